package porttest

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
)

// alter makes inproc networks with changed ports. They have two banks, and the ports can
// multicast.
func alter(port func(dimmnet.Port) dimmnet.Port) func() dimmnet.Network {
	return alterOn(inproc.Config{Bulk: 2 * page, Banks: true}, func(p dimmnet.Port) dimmnet.Port {
		return port(Multicasting(64)(p))
	})
}

// alterOn makes inproc networks of a given configuration with changed ports.
func alterOn(cfg inproc.Config, port func(dimmnet.Port) dimmnet.Port) func() dimmnet.Network {
	cfg.Grace = 200 * time.Millisecond
	return func() dimmnet.Network { return Wrap(inproc.New(cfg), port) }
}

// testEnv is an env that waits for a short time only.
func testEnv(network func() dimmnet.Network) *env {
	e := newEnv(network, uint64(time.Now().UnixNano()))
	e.part = 10
	e.patience = 20 * time.Millisecond
	return e
}

// pass runs all cases; none may fail.
func pass(t *testing.T, network func() dimmnet.Network) {
	for _, c := range append(cases(), threadCases()...) {
		for _, nodes := range c.nodes {
			e := testEnv(network)
			if err := c.check(e, nodes); err != nil {
				t.Errorf("PORTTEST_SEED=%d: %s/nodes=%d: %v", e.seed, c.name, nodes, err)
			}
		}
	}
}

// TestAccepts runs the suite on ports that use the freedom that the contract leaves them.
func TestAccepts(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	for name, network := range map[string]func() dimmnet.Network{
		"multicast":         alter(func(p dimmnet.Port) dimmnet.Port { return p }),
		"few credits":       alter(Refusing(seed, 1./3)),
		"never idles":       alter(Restless(seed, 1)),
		"late":              alter(Late(seed, 4)),
		"very late":         alter(Late(seed, 30)),
		"late, few credits": alter(func(p dimmnet.Port) dimmnet.Port { return Late(seed, 4)(Refusing(seed, 1./3)(p)) }),
		"small": alterOn(inproc.Config{}, func(p dimmnet.Port) dimmnet.Port {
			return newSmall(p, dimmnet.Limits{Store: 8, Block: 464, LLCM: 1 << 17})
		}),
		"no powers of 2": alterOn(inproc.Config{LLCM: 4096, Bulk: 9000}, func(p dimmnet.Port) dimmnet.Port {
			return Multicasting(3)(newSmall(p, dimmnet.Limits{Store: 3, Block: 100, RDMA: 77, LLCM: 4096, Bulk: 8999}))
		}),
		"tiny": alterOn(inproc.Config{LLCM: 2056, Bulk: page, Banks: true}, func(p dimmnet.Port) dimmnet.Port {
			return Multicasting(1)(newSmall(p, dimmnet.Limits{Store: 1, Block: 1, RDMA: 1, LLCM: 2056, Bulk: page}))
		}),
	} {
		t.Run(name, func(t *testing.T) { pass(t, network) })
	}
}

// hung returns from Run long after its context has ended.
type hung struct{ *inproc.Network }

func (h hung) Run(ctx context.Context, _ int, _ func(dimmnet.Host) error) error {
	<-ctx.Done()
	time.Sleep(time.Second)
	return ctx.Err()
}

// goexit ends the goroutine that calls Run.
type goexit struct{ *inproc.Network }

func (g goexit) Run(context.Context, int, func(dimmnet.Host) error) error {
	runtime.Goexit()
	return nil
}

// TestNeverHangs: a Run that ignores its context, or never returns, is an error.
func TestNeverHangs(t *testing.T) {
	for want, network := range map[string]dimmnet.Network{
		"has not returned": hung{inproc.New(inproc.Config{})},
		"runtime.Goexit":   goexit{inproc.New(inproc.Config{})},
	} {
		e := testEnv(func() dimmnet.Network { return network })
		e.bound, e.grace = 10*time.Millisecond, 10*time.Millisecond
		if err := e.run(2, (*thread).stuck); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
}

// results changes what Run returns.
type results struct {
	*inproc.Network
	change func(error) error
}

func (r results) Run(ctx context.Context, nodes int, body func(dimmnet.Host) error) error {
	return r.change(r.Network.Run(ctx, nodes, body))
}

// TestCatches runs, on ports that break a rule, the cases that should then fail.
func TestCatches(t *testing.T) {
	result := func(change func(error) error) func() dimmnet.Network {
		return func() dimmnet.Network { return results{inproc.New(inproc.Config{}), change} }
	}
	for _, m := range []struct {
		rule    string
		network func() dimmnet.Network
		cases   string
	}{
		{"a Write overtakes nothing", alter(func(p dimmnet.Port) dimmnet.Port { return &lateWrite{Port: p} }), "Order WriteNeighbours"},
		{"a store appears as a whole", alter(func(p dimmnet.Port) dimmnet.Port { return &tornStore{Port: p} }), "WordsAtOnce"},
		{"a store has its own size", alter(func(p dimmnet.Port) dimmnet.Port { return wideStore{p} }), "StoreNeighbours BytesOfAWord"},
		{"a Write has its own size", alter(func(p dimmnet.Port) dimmnet.Port { return wideWrite{p} }), "WriteNeighbours"},
		{"the buffer of a Write may be reused", alter(func(p dimmnet.Port) dimmnet.Port { return &lazyWrite{Port: p} }), "Reuse"},
		{"Idle compares with the mark", alter(func(p dimmnet.Port) dimmnet.Port { return deafIdle{p} }), "ArrivalBeforeIdle"},
		{"Idle returns when the port has failed", alter(func(p dimmnet.Port) dimmnet.Port { return endlessIdle{p} }), "BodyFails Cancelled Deadlock"},
		{"polls are counted", alter(func(p dimmnet.Port) dimmnet.Port { return miscounts{p} }), "Counters"},
		{"wrong sizes panic", alter(func(p dimmnet.Port) dimmnet.Port { return lenient{p} }), "Misuse"},
		{"Err stays the same", alter(func(p dimmnet.Port) dimmnet.Port { return moody{p} }), "BodyFails"},
		{"ports fail", alter(func(p dimmnet.Port) dimmnet.Port { return cheerful{p} }), "Cancelled"},
		{"a refused post does not land", alter(newLiar), "FullWindowWrite FullWindowStore"},
		{"a refused post is not counted", alter(newOvercounts), "FullWindowWrite FullWindowStore"},
		{"a sample sees a word as a whole", alter(func(p dimmnet.Port) dimmnet.Port { return tornSample{p} }), "PullAtOnce"},
		{"done has the size", alter(func(p dimmnet.Port) dimmnet.Port { return wrongDone{p} }), "Push Pull"},
		{"done is a whole word", alter(func(p dimmnet.Port) dimmnet.Port { return halfDone{p} }), "Push Pull Together Flip"},
		{"done overtakes no data", alter(func(p dimmnet.Port) dimmnet.Port { return &earlyDone{Port: p} }), "Push Pull"},
		{"a move has its own size", alter(func(p dimmnet.Port) dimmnet.Port { return wideMove{p} }), "Push Pull SelfRDMA Together"},
		{"moves do not replace each other", alter(newOneMove), "Together Flip"},
		{"a move goes to a rank that exists", alter(func(p dimmnet.Port) dimmnet.Port { return strayMove{p} }), "MisuseRDMA"},
		{"an operation that is not supported panics", alter(func(p dimmnet.Port) dimmnet.Port { return secret{p} }), "NoRDMA NoBulk NoMulticast"},
		{"Flip exchanges the sides", alter(func(p dimmnet.Port) dimmnet.Port { return flipless{p} }), "Push Pull SelfRDMA Together Largest Flip"},
		{"a Fill has its own size", alter(func(p dimmnet.Port) dimmnet.Port { return wideFill{p} }), "Fill"},
		{"a Fill goes to its offset", alter(func(p dimmnet.Port) dimmnet.Port { return shiftedFill{p} }), "Fill Flip Push Read"},
		{"the buffer of a Fill may be reused", alter(func(p dimmnet.Port) dimmnet.Port { return &lazyFill{Port: p} }), "Fill"},
		{"a Fill is within the bulk memory", alter(func(p dimmnet.Port) dimmnet.Port { return cutFill{p} }), "Misuse"},
		{"a Read keeps to its buffer", alter(func(p dimmnet.Port) dimmnet.Port { return wideRead{p} }), "Read"},
		{"a narrow Read sees a word as a whole", alter(func(p dimmnet.Port) dimmnet.Port { return tornRead{p} }), "NarrowAtOnce"},
		{"a narrow Read sees new values", alter(func(p dimmnet.Port) dimmnet.Port { return &staleRead{Port: p} }), "NarrowRing"},
		{"narrow Reads are counted", alter(func(p dimmnet.Port) dimmnet.Port { return &readCounts{Port: p, narrow: -1} }), "Counters NarrowRing"},
		{"narrow Reads are counted once", alter(func(p dimmnet.Port) dimmnet.Port { return &readCounts{Port: p, narrow: 1} }), "Counters"},
		{"wide Reads are not counted", alter(func(p dimmnet.Port) dimmnet.Port { return &readCounts{Port: p, wide: 1} }), "Counters"},
		{"Reads of bulk memory are not counted", alter(func(p dimmnet.Port) dimmnet.Port { return &readCounts{Port: p, bulk: 1} }), "Counters"},
		{"a Multicast reaches all", alter(func(p dimmnet.Port) dimmnet.Port { return misses{p} }), "Multicast MulticastOrder MulticastRing"},
		{"a Multicast reaches no other", alter(func(p dimmnet.Port) dimmnet.Port { return oneMore{p} }), "Multicast MulticastOrder"},
		{"a Multicast overtakes nothing", alter(func(p dimmnet.Port) dimmnet.Port { return &lateMulticast{Port: p} }), "Multicast MulticastOrder Order"},
		{"a Multicast is one Store", alter(func(p dimmnet.Port) dimmnet.Port { return &miscountedMulticast{Port: p} }), "Counters"},
		{"a Multicast goes to different ranks", alter(func(p dimmnet.Port) dimmnet.Port { return compact{p} }), "MisuseMulticast"},
		{"a refused Multicast does not land", alter(func(p dimmnet.Port) dimmnet.Port { return &partialMulticast{Port: p} }), "FullWindowMulticast"},
		{"a failed port posts nothing", alter(func(p dimmnet.Port) dimmnet.Port { return undead{p} }), "BodyFails Cancelled Deadlock"},
		{"memory starts as zeros", alter(dirty), "Fresh"},
		{"Run reports failures", result(func(error) error { return nil }), "NodeCount BodyFails BodyPanics Cancelled Deadlock"},
		{"Run returns the cause", result(func(error) error { return errors.New("failed") }), "BodyFails BodyPanics Cancelled DeadlineExceeded CancelledBefore"},
	} {
		if raceDetector && (strings.Contains(m.rule, "overtakes") || strings.Contains(m.rule, "rank that exists")) {
			continue // these are data races
		}
		for _, c := range append(cases(), threadCases()...) {
			if !strings.Contains(" "+m.cases+" ", " "+c.name+" ") {
				continue
			}
			e := testEnv(m.network)
			e.bound = 300 * time.Millisecond
			nodes := c.nodes[len(c.nodes)-1]
			if err := c.check(e, nodes); err == nil {
				t.Errorf("PORTTEST_SEED=%d: %s: %s/nodes=%d passes though the rule is broken", e.seed, m.rule, c.name, nodes)
			}
		}
	}
}
