package porttest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

// Run runs the suite as subtests of t. network makes a new network for each subtest.
func Run(t *testing.T, network func() dimmnet.Network) {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("PORTTEST_SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatalf("porttest: PORTTEST_SEED: %v", err)
		}
	}
	for _, c := range append(cases(), threadCases()...) {
		for _, nodes := range c.nodes {
			t.Run(fmt.Sprintf("%s/nodes=%d", c.name, nodes), func(t *testing.T) {
				if strings.HasPrefix(c.name, "Deadlock") {
					t.Parallel() // most networks detect no deadlock: the test waits for timeouts
				}
				e := newEnv(network, seed)
				switch {
				case testing.Short():
					e.part = 10
				case !longtest.Thorough():
					e.part = 3
				}
				if err := c.check(e, nodes); err != nil {
					t.Fatalf("PORTTEST_SEED=%d: %v", seed, err)
				}
			})
		}
	}
}

type testCase struct {
	name  string
	nodes []int // numbers of nodes; check runs once for each
	check func(e *env, nodes int) error
}

func cases() []testCase {
	alone, two, some := []int{1}, []int{2}, []int{1, 2, 5}
	return []testCase{
		{"Limits", some, checkLimits},
		{"NodeCount", alone, checkNodeCount},
		{"Fresh", two, checkFresh},
		{"Host", some, checkHost},
		{"StoreNeighbours", some, checkStores},
		{"WriteNeighbours", some, checkWrites},
		{"Self", two, checkSelf},
		{"Reuse", two, checkReuse},
		{"Push", some, checkPush},
		{"Pull", some, checkPull},
		{"SelfRDMA", two, checkSelfRDMA},
		{"Together", some, checkTogether},
		{"Largest", two, checkLargest},
		{"Read", two, checkRead},
		{"Fill", two, checkFill},
		{"Flip", some, checkFlip},
		{"Multicast", some, checkMulticast},
		{"ZeroCopy", []int{2, 5}, checkZeroCopy},
		{"NoRDMA", two, checkNoRDMA},
		{"NoBulk", two, checkNoBulk},
		{"NoMulticast", two, checkNoMulticast},
		{"Order", some, checkOrder},
		{"MulticastOrder", some, checkMulticastOrder},
		{"WordsAtOnce", []int{2, 3}, checkWordsAtOnce},
		{"NarrowAtOnce", []int{2, 3}, checkNarrowAtOnce},
		{"PullAtOnce", []int{2, 3}, checkPullAtOnce},
		{"BytesOfAWord", []int{2, 5}, checkBytesOfAWord},
		{"FullWindowWrite", two, checkFullWindowWrite},
		{"FullWindowStore", two, checkFullWindowStore},
		{"FullWindowMulticast", two, checkFullWindowMulticast},
		{"Misuse", two, checkMisuse},
		{"MisuseRDMA", two, checkMisuseRDMA},
		{"MisuseMulticast", two, checkMisuseMulticast},
		{"Counters", two, checkCounters},
		{"PingPong", two, checkRing},
		{"Ring", []int{1, 4}, checkRing},
		{"NarrowRing", []int{1, 2, 4}, checkNarrowRing},
		{"MulticastRing", some, checkMulticastRing},
		{"AllToAll", some, checkAllToAll},
		{"ArrivalBeforeIdle", []int{1, 5}, checkArrivalBeforeIdle},
		{"ArrivalSeenBeforeIdle", two, checkArrivalSeenBeforeIdle},
		{"BodyFails", []int{1, 3}, checkBodyFails},
		{"BodyPanics", []int{1, 3}, checkBodyPanics},
		{"Cancelled", []int{1, 3}, checkCancelled},
		{"DeadlineExceeded", []int{3}, checkDeadlineExceeded},
		{"CancelledBefore", two, checkCancelledBefore},
		{"Deadlock", some, checkDeadlock},
	}
}

type env struct {
	network  func() dimmnet.Network
	seed     uint64
	part     int           // tests make only one round out of part
	bound    time.Duration // limit of the context of each run
	grace    time.Duration // how long Run may take to return after that
	patience time.Duration // how long to wait for ports that cannot detect a deadlock
}

func newEnv(network func() dimmnet.Network, seed uint64) *env {
	return &env{
		network:  network,
		seed:     seed,
		part:     1,
		bound:    time.Minute,
		grace:    15 * time.Second,
		patience: 200 * time.Millisecond,
	}
}

// rounds returns how many of n rounds a test makes.
func (e *env) rounds(n int) int { return max(1, n/e.part) }

func (e *env) run(nodes int, body func(*thread) error) error {
	return e.runOn(context.Background(), e.network(), nodes, body)
}

// runOn runs body on network. A run that does not end soon after its context is an error.
func (e *env) runOn(ctx context.Context, network dimmnet.Network, nodes int, body func(*thread) error) error {
	ctx, cancel := context.WithTimeout(ctx, e.bound)
	defer cancel()
	c := new(crew)
	defer c.over.Store(true)
	result := make(chan error, 1)
	go func() {
		err := errors.New("porttest: Run called runtime.Goexit: want a return")
		defer func() { result <- err }()
		err = network.Run(ctx, nodes, func(h dimmnet.Host) error { return body(newThread(e, h, c)) })
	}()
	timer := time.NewTimer(e.bound + e.grace)
	defer timer.Stop()
	select {
	case err := <-result:
		return c.end(err)
	case <-timer.C:
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		return fmt.Errorf("porttest: Run has not returned %v after its context ended\n\n%s", e.grace, stacks)
	}
}
