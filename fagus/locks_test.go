package fagus_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/shm"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// lockUse is the input of one tenure.
type lockUse struct {
	variable int
	adds     bool // the tenure is exclusive and increments the counter
}

// countersUnderLocks returns the sequential model: each variable guards a counter that a tenure
// reads, or reads and increments.
func countersUnderLocks() porcupine.Model {
	return porcupine.Model{
		Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
			byVariable := make(map[int][]porcupine.Operation)
			most := 0
			for _, op := range history {
				v := op.Input.(lockUse).variable
				byVariable[v] = append(byVariable[v], op)
				most = max(most, v)
			}
			var list [][]porcupine.Operation
			for v := range most + 1 {
				list = append(list, byVariable[v])
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

// lockHistory collects the tenures of all ranks.
type lockHistory struct {
	mu  sync.Mutex
	ops []porcupine.Operation
}

// program lets a rank acquire random locks, and records when each Acquire began and each
// Release ended. now is the clock of the network.
func (h *lockHistory) program(seed uint64, uses, variables int, now func(*fagus.Node) int64) func(*fagus.Node) error {
	return func(n *fagus.Node) error {
		a, vars, err := counters(n, variables)
		if err != nil {
			return err
		}
		r := rand.New(rand.NewPCG(seed, uint64(n.Rank())))
		for range uses {
			use := lockUse{r.IntN(variables), r.IntN(3) > 0}
			access := fagus.Shared
			if use.adds {
				access = fagus.Exclusive
			}
			var saw int64
			call := now(n)
			if err := tenure(n, n.Set(fagus.Want(vars[use.variable], access)), func() {
				saw = a.Slice()[use.variable]
				n.Spend(fagus.Time(r.IntN(5)) * fagus.Microsecond)
				if use.adds {
					a.Slice()[use.variable]++
				}
			}); err != nil {
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
		t.Errorf("%s, seed %d: %d tenures have no order in which each sees what the previous ones wrote", what, seed, len(h.ops))
	case porcupine.Unknown:
		t.Errorf("%s, seed %d: %d tenures could not be checked in a minute", what, seed, len(h.ops))
	}
}

// TestLocksAreLinearizable checks mutual exclusion and the propagation of data: the tenures of
// every variable have an order that agrees with real time, and in which each tenure sees what the
// last writer wrote.
func TestLocksAreLinearizable(t *testing.T) {
	for seed := uint64(1); seed <= cases(40, 6); seed++ {
		nodes := 2 + int(seed%4)
		start := time.Now()
		wall := func(*fagus.Node) int64 { return time.Since(start).Nanoseconds() }
		nets := map[string]fagus.Config{
			"inproc": {Net: goroutines(), Direct: seed%2 == 0},
			"shm":    {Net: shm.New(shm.Config{}), Placement: fagus.PlaceShared, Notices: seed%2 == 0, Direct: seed%3 == 0},
			"sim":    {Net: newSim(t, sim.Config{Seed: seed, Limit: 100 * dimmnet.Second}), Notices: seed%2 == 0},
			"direct": {Net: newSim(t, sim.Config{Seed: seed, Limit: 100 * dimmnet.Second}), Notices: seed%2 == 0, Direct: true},
			"udp":    {Net: newSim(t, sim.Config{Seed: seed, Limit: 100 * dimmnet.Second, UDP: &sim.UDP{Loss: 0.2, Duplicate: 0.1, Reorder: 0.2}})},
		}
		for name, cfg := range nets {
			cfg.Nodes, cfg.Mode = nodes, fagus.Threaded
			clock := wall
			if name == "shm" && shm.Supported() != nil {
				continue
			}
			// Simulated threads run one at a time, so a counter suffices as a clock.
			if cfg.Net.Clock() == dimmnet.Virtual {
				count := int64(0)
				clock = func(*fagus.Node) int64 { count++; return count }
			}
			var h lockHistory
			if _, err := runFor(t, cfg, h.program(seed, 40, 3, clock)); err != nil {
				t.Fatalf("%s, seed %d: %v", name, seed, err)
			}
			h.check(t, name, seed)
		}
	}
}

// TestLockCheckerSeesMistakes: the checker rejects histories that no lock allows.
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
			t.Errorf("%s: the checker accepts it", name)
		}
	}
}
