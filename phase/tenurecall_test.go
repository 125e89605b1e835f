package phase_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/phase"
	"github.com/fagus-dsm/fagus/syncvar"
)

// writer is a rank that polls for requests. In each round, rank 0 changes a variable of so many
// bytes and then makes a call that all ranks make.
type writer struct {
	*phase.Engine
	rank  int
	space *consistency.Space
	mem   []byte
}

func newWriter(h dimmnet.Host, bytes int) (w *writer, err error) {
	w = &writer{rank: int(h.Port().Rank())}
	w.Engine, w.space, w.mem, err = turnEngine(h, bytes)
	return w, err
}

// write changes the variable at rank 0. It returns what the next list of the rank attaches.
func (w *writer) write() (attached []syncvar.ID, err error) {
	l := syncvar.List{Call: syncvar.Acquire}
	if w.rank > 0 {
		return nil, w.Call(&l)
	}
	l.Exclusive = []syncvar.ID{0}
	if err := w.Call(&l); err != nil {
		return nil, err
	}
	w.space.BeginWrite(0, nil)
	w.mem[0]++
	w.space.EndWrite(0, w.Version(0))
	return []syncvar.ID{0}, nil
}

// TestReduceAfterTenure: a Reduce has the words of all ranks, also of a rank that has just changed
// a variable, whether its contents go with the request (24 bytes) or not (200).
func TestReduceAfterTenure(t *testing.T) {
	const rounds = 300
	for _, bytes := range []int{24, 200} {
		for nodes := 2; nodes <= 3; nodes++ {
			err := inproc.New(inproc.Config{}).Run(t.Context(), nodes, func(h dimmnet.Host) error {
				w, err := newWriter(h, bytes)
				if err != nil {
					return err
				}
				for i := range rounds {
					attached, err := w.write()
					if err != nil {
						return err
					}
					if err := w.Call(&syncvar.List{Call: syncvar.Reduce, Word: uint64(1000*i + w.rank), Attached: attached}); err != nil {
						return err
					}
					for r, word := range w.Words() {
						if want := uint64(1000*i + r); word != want {
							return fmt.Errorf("round %d: rank %d has the word %d of rank %d, want %d", i, w.rank, word, r, want)
						}
					}
				}
				return w.Call(&syncvar.List{Call: syncvar.End})
			})
			if err != nil {
				t.Errorf("%d bytes, %d ranks: %v", bytes, nodes, err)
			}
		}
	}
}

// TestNoOfferAfterMeeting: when a peer fetches a variable after a Barrier, that does not count as
// if it wanted contents with the Barrier. So later Barriers carry none.
func TestNoOfferAfterMeeting(t *testing.T) {
	const rounds = 40
	err := inproc.New(inproc.Config{}).Run(t.Context(), 2, func(h dimmnet.Host) error {
		w, err := newWriter(h, 200)
		if err != nil {
			return err
		}
		var sent uint64 // bytes in Barriers
		for range rounds {
			attached, err := w.write()
			if err != nil {
				return err
			}
			before := h.Port().Counters()
			if err := w.Call(&syncvar.List{Call: syncvar.Barrier, Attached: attached}); err != nil {
				return err
			}
			sent += h.Port().Counters().Minus(before).Bytes
			l := syncvar.List{Call: syncvar.Acquire}
			if w.rank == 1 {
				l.Shared = []syncvar.ID{0}
			}
			if err := w.Call(&l); err != nil {
				return err
			}
		}
		if sent != rounds*dimmnet.WordBytes {
			t.Errorf("rank %d has sent %d bytes in %d Barriers, want a word each", w.rank, sent, rounds)
		}
		return w.Call(&syncvar.List{Call: syncvar.End})
	})
	if err != nil {
		t.Error(err)
	}
}

// moving is an Observer that calls a function when data begin to move.
type moving struct {
	syncvar.Unobserved
	f func()
}

func (m *moving) On(e syncvar.Event) {
	if e.Kind == syncvar.Moving {
		m.f()
	}
}

// overTree runs ranks that have bound so many variables of 8 bytes, with lists over a tree.
func overTree(t *testing.T, nodes, variables int, watch syncvar.Observer, body func(e *phase.Engine, h dimmnet.Host) error) {
	t.Helper()
	net, err := sim.New(sim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err = net.Run(ctx, nodes, func(h dimmnet.Host) error {
		space := consistency.NewSpace()
		base, err := space.AddRegion("a", "words", 8, make([]byte, 8*variables))
		if err != nil {
			return err
		}
		for v := range variables {
			lo := base + consistency.Addr(8*v)
			if _, err := space.Bind(fmt.Sprint(v), []consistency.Range{{Lo: lo, Hi: lo + 8}}); err != nil {
				return err
			}
		}
		e, err := phase.New(h.Port(), space, phase.Config{Transfer: phase.Push, Lists: phase.ListsTree, Charge: h.Charge, Observer: watch})
		if err != nil {
			return err
		}
		if err := body(e, h); err != nil {
			return err
		}
		return e.Call(&syncvar.List{Call: syncvar.End})
	})
	if err != nil {
		t.Error(err)
	}
}

// TestOwnerOfFirstWant: a rank that wants a variable for the first time names its owner while it
// waits for the lists of others.
func TestOwnerOfFirstWant(t *testing.T) {
	var waits [9]string // by rank; ranks are coroutines
	watch, at := &moving{f: func() {}}, make(map[dimmnet.Rank]*phase.Engine)
	watch.f = func() {
		for r, e := range at {
			if w := e.LastWait(); len(w.Owners) > 0 {
				waits[r] = fmt.Sprint(w.Owners)
			}
		}
	}
	overTree(t, len(waits), 1, watch, func(e *phase.Engine, h dimmnet.Host) error {
		rank := h.Port().Rank()
		at[rank] = e
		acquire := func(wants bool) error {
			l := &syncvar.List{Call: syncvar.Acquire}
			if wants {
				l.Exclusive = []syncvar.ID{0}
			}
			return e.Call(l)
		}
		for range 3 {
			if err := acquire(rank == 1); err != nil {
				return err
			}
		}
		if rank == 2 {
			h.Spend(5 * dimmnet.Millisecond)
		}
		return acquire(rank == 5)
	})
	if want := "[{0 1}]"; waits[5] != want {
		t.Errorf("rank 5 waits for %q, want %s: rank 1 owns variable 0", waits[5], want)
	}
}

// TestFirstWants: a phase in which a rank wants a variable for the first time does not cost more
// after many phases than after a few.
func TestFirstWants(t *testing.T) {
	const nodes, phases = 8, 1024
	overTree(t, nodes, nodes*phases, nil, func(e *phase.Engine, h dimmnet.Host) error {
		var took [2]dimmnet.Time // the second and the last quarter
		for i := range phases {
			began := h.Now()
			id := syncvar.ID(i*nodes + int(h.Port().Rank())*7%nodes)
			if err := e.Call(&syncvar.List{Call: syncvar.Acquire, Exclusive: []syncvar.ID{id}}); err != nil {
				return err
			}
			switch i * 4 / phases {
			case 1:
				took[0] += h.Now() - began
			case 3:
				took[1] += h.Now() - began
			}
		}
		if took[1] > 2*took[0] {
			t.Errorf("rank %d: a quarter of the phases took %v, a later one %v", h.Port().Rank(), took[0], took[1])
		}
		return nil
	})
}
