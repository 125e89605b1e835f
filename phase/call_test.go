package phase_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/phase"
	"github.com/fagus-dsm/fagus/syncvar"
)

// polledCalls is a run of random calls by ranks that poll for requests. Every rank draws the
// meetings of a round from the same seed, and its acquires in between from a seed of its own.
type polledCalls struct {
	seed    uint64
	rounds  int
	arrived []atomic.Int32 // by round: the ranks that have begun the meeting that ends it
	added   atomic.Uint64  // to all variables, by all ranks
}

const polledVars = 3

// TestPolledCalls: a meeting ends when all ranks are in it, a Reduce returns the values of all,
// and no tenure is lost. In between ranks acquire nothing, or one variable, which fits an inline
// request, or several, which do not.
func TestPolledCalls(t *testing.T) {
	for seed := range uint64(12) {
		nodes := 2 + int(seed%3)
		c := &polledCalls{seed: seed, rounds: 60, arrived: make([]atomic.Int32, 60)}
		err := inproc.New(inproc.Config{}).Run(t.Context(), nodes, c.run)
		if err != nil {
			t.Fatalf("seed %d, %d ranks: %v", seed, nodes, err)
		}
	}
}

// entering is an Observer that counts calls and phases.
type entering struct{ count, agreed *int }

func (e entering) Entered()                       { *e.count++ }
func (e entering) Wants(k syncvar.EventKind) bool { return k == syncvar.Agreed }

func (e entering) On(event syncvar.Event) {
	if event.Kind == syncvar.Agreed {
		*e.agreed++
	}
}

func (c *polledCalls) run(h dimmnet.Host) error {
	rank := uint64(h.Port().Rank())
	meetings, own := rand.New(rand.NewPCG(c.seed, 0)), rand.New(rand.NewPCG(c.seed, 1+rank))
	space, mem := consistency.NewSpace(), make([]byte, polledVars*8)
	base, err := space.AddRegion("array", "bytes", 1, mem)
	if err != nil {
		return err
	}
	for id := range consistency.Addr(polledVars) {
		if _, err := space.Bind(fmt.Sprint(id), []consistency.Range{{Lo: base + id*8, Hi: base + id*8 + 8}}); err != nil {
			return err
		}
	}
	entered, agreed := 0, 0
	e, err := phase.New(h.Port(), space, phase.Config{Live: true, Polls: true, Observer: entering{&entered, &agreed}})
	if err != nil {
		return err
	}
	calls := 0
	acquire := func(exclusive []syncvar.ID, f func(id syncvar.ID, value []byte)) error {
		calls++
		if err := e.Call(&syncvar.List{Call: syncvar.Acquire, Exclusive: exclusive}); err != nil {
			return err
		}
		for _, id := range exclusive {
			space.BeginWrite(id, nil)
			f(id, mem[id*8:][:8])
			space.EndWrite(id, e.Table().Version(id))
		}
		return nil
	}
	for round := range c.rounds {
		for range own.IntN(3) {
			if err := acquire(someVars(own), func(_ syncvar.ID, value []byte) {
				binary.NativeEndian.PutUint64(value, binary.NativeEndian.Uint64(value)+1)
				c.added.Add(1)
			}); err != nil {
				return err
			}
		}
		call := []syncvar.Call{syncvar.Barrier, syncvar.Reduce, syncvar.Update}[meetings.IntN(3)]
		word := uint64(0)
		if call == syncvar.Reduce {
			word = rank<<32 | uint64(round)
		}
		c.arrived[round].Add(1)
		calls++
		if err := e.Meet(call, word); err != nil {
			return err
		}
		if n := int(c.arrived[round].Load()); n != h.Port().Nodes() {
			return fmt.Errorf("round %d: %v returns when %d ranks have called it", round, call, n)
		}
		if call == syncvar.Reduce {
			for r, got := range e.Words() {
				if want := uint64(r)<<32 | uint64(round); got != want {
					return fmt.Errorf("round %d: the value of rank %d is %#x, want %#x", round, r, got, want)
				}
			}
		}
	}
	sum := uint64(0)
	err = acquire([]syncvar.ID{0, 1, 2}, func(_ syncvar.ID, value []byte) { sum += binary.NativeEndian.Uint64(value) })
	if err != nil {
		return err
	}
	if want := c.added.Load(); sum != want {
		return fmt.Errorf("the variables add up to %d, want %d", sum, want)
	}
	if phases := e.Counts().Phases; entered != calls || agreed != int(phases) {
		return fmt.Errorf("%d times Entered in %d calls, %d times Agreed in %d phases", entered, calls, agreed, phases)
	}
	return e.Meet(syncvar.End, 0)
}

// someVars returns none, one, or two of the variables.
func someVars(random *rand.Rand) []syncvar.ID {
	ids := []syncvar.ID{0, 1, 2}
	random.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	ids = ids[:random.IntN(3)]
	slices.Sort(ids)
	return ids
}

// TestPolledDeclarations: a rank that has declared something since its last call says so in the
// next one, also in a meeting. If other ranks have not declared it, the run fails.
func TestPolledDeclarations(t *testing.T) {
	err := inproc.New(inproc.Config{}).Run(t.Context(), 2, func(h dimmnet.Host) error {
		space := consistency.NewSpace()
		e, err := phase.New(h.Port(), space, phase.Config{Live: true, Polls: true})
		if err != nil {
			return err
		}
		for round := range 6 {
			if round == 4 && h.Port().Rank() == 1 {
				if _, err := space.AddRegion("late", "bytes", 1, make([]byte, 8)); err != nil {
					return err
				}
			}
			if err := e.Meet(syncvar.Barrier, 0); err != nil {
				return fmt.Errorf("round %d: %w", round, err)
			}
		}
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "round 4") || !strings.Contains(err.Error(), "all ranks must make the same arrays") {
		t.Errorf("error %v, want one of round 4 about arrays", err)
	}
}
