package fagus_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/shm"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// lockUse is one tenure: the variable, whether it added one to what it guards, and
// what it saw.
type lockUse struct {
	variable int
	adds     bool
}

// countersUnderLocks is the sequential model of numbers under locks: each variable by itself
// is one that is read, or read and counted up.
func countersUnderLocks() porcupine.Model {
	return porcupine.Model{
		Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
			parts := make(map[int][]porcupine.Operation)
			most := 0
			for _, op := range history {
				v := op.Input.(lockUse).variable
				parts[v] = append(parts[v], op)
				most = max(most, v)
			}
			var list [][]porcupine.Operation
			for v := range most + 1 {
				list = append(list, parts[v])
			}
			return list
		},
		Init: func() any { return int64(0) },
		Step: func(state, input, output any) (bool, any) {
			now := state.(int64)
			if output.(int64) != now {
				return false, nil
			}
			if input.(lockUse).adds {
				now++
			}
			return true, now
		},
		DescribeOperation: func(input, output any) string {
			return fmt.Sprintf("%+v saw %d", input, output)
		},
	}
}

// lockHistory collects what all ranks did. now is the clock of the network.
type lockHistory struct {
	mu  sync.Mutex
	ops []porcupine.Operation
}

// program lets a rank use locks at random, and records when each use was asked for
// and given back.
func (h *lockHistory) program(seed uint64, uses, variables int, now func(*fagus.Node) int64) func(*fagus.Node) error {
	return func(n *fagus.Node) error {
		a, err := fagus.NewArray[int64](n, "a", variables)
		if err != nil {
			return err
		}
		vars := make([]*fagus.SyncVar, variables)
		for i := range vars {
			if vars[i], err = n.Bind(fmt.Sprint("v", i), a.Range(i, i+1)); err != nil {
				return err
			}
		}
		r := rand.New(rand.NewPCG(seed, uint64(n.Rank())))
		for range uses {
			use := lockUse{r.IntN(variables), r.IntN(3) > 0}
			mode := fagus.Shared
			if use.adds {
				mode = fagus.Exclusive
			}
			set := n.Set(fagus.Want(vars[use.variable], mode))
			call := now(n)
			if err := n.Acquire(set); err != nil {
				return err
			}
			saw := a.Slice()[use.variable]
			n.Spend(fagus.Time(r.IntN(5)) * fagus.Microsecond)
			if use.adds {
				a.Slice()[use.variable]++
			}
			if err := n.Release(set); err != nil {
				return err
			}
			h.mu.Lock()
			h.ops = append(h.ops, porcupine.Operation{ClientId: n.Rank(), Input: use, Call: call, Output: saw, Return: now(n)})
			h.mu.Unlock()
		}
		return n.Barrier()
	}
}

func (h *lockHistory) check(t *testing.T, what string, seed uint64) {
	t.Helper()
	switch porcupine.CheckOperationsTimeout(countersUnderLocks(), h.ops, time.Minute) {
	case porcupine.Illegal:
		t.Errorf("%s, seed %d: %d tenures have no order in which each saw what the one before had left", what, seed, len(h.ops))
	case porcupine.Unknown:
		t.Errorf("%s, seed %d: %d tenures could not be checked in a minute", what, seed, len(h.ops))
	}
}

// TestLocksAreLinearizable checks mutual exclusion and freshness of individual
// locks: the tenures of every variable have an order that agrees with real time, in
// which each sees what the last writer has left.
func TestLocksAreLinearizable(t *testing.T) {
	seeds := uint64(40)
	if testing.Short() {
		seeds = 6
	}
	for seed := uint64(1); seed <= seeds; seed++ {
		nodes := 2 + int(seed%4)
		start := time.Now()
		wall := func(*fagus.Node) int64 { return time.Since(start).Nanoseconds() }
		nets := map[string]fagus.Config{
			"inproc": {Net: inproc.New(inproc.Config{})},
			"shm":    {Net: shm.New(shm.Config{}), Placement: fagus.PlaceShared, Notices: seed%2 == 0},
			"sim":    {Net: newSim(t, sim.Config{Seed: seed, Limit: 100 * dimmnet.Second}), Notices: seed%2 == 0},
			"udp":    {Net: newSim(t, sim.Config{Seed: seed, Limit: 100 * dimmnet.Second, UDP: &sim.UDP{Loss: 0.2, Duplicate: 0.1, Reorder: 0.2}})},
		}
		for name, cfg := range nets {
			cfg.Nodes, cfg.Mode = nodes, fagus.Threaded
			clock := wall
			if name == "shm" && shm.Supported() != nil {
				continue
			}
			if cfg.Net.Clock() == dimmnet.Virtual { // threads run one at a time: their order is that of the calls
				count := int64(0)
				clock = func(*fagus.Node) int64 { count++; return count }
			}
			var h lockHistory
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			_, err := fagus.Run(ctx, cfg, h.program(seed, 40, 3, clock))
			cancel()
			if err != nil {
				t.Fatalf("%s, seed %d: %v", name, seed, err)
			}
			h.check(t, name, seed)
		}
	}
}

// TestLockCheckerSeesMistakes gives the checker histories that no lock allows.
func TestLockCheckerSeesMistakes(t *testing.T) {
	add := lockUse{0, true}
	for name, ops := range map[string][]porcupine.Operation{
		"lost update": {
			{ClientId: 0, Input: add, Call: 1, Output: int64(0), Return: 2},
			{ClientId: 1, Input: add, Call: 1, Output: int64(0), Return: 2},
		},
		"stale read": {
			{ClientId: 0, Input: add, Call: 1, Output: int64(0), Return: 2},
			{ClientId: 1, Input: lockUse{0, false}, Call: 3, Output: int64(0), Return: 4},
		},
	} {
		if porcupine.CheckOperations(countersUnderLocks(), ops) {
			t.Errorf("%s: nothing was found", name)
		}
	}
}
