package fagus

import (
	"errors"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/syncvar"
)

// counter is an observer as somebody may add it: it counts the acquires of each variable, and keeps
// the kinds of all events.
type counter struct {
	acquires map[syncvar.ID]int
	seen     []eventKind
	first    eventKind // the first kind that it wants
}

func (c *counter) kinds() (all []eventKind) {
	for k := c.first; k < eventKinds; k++ {
		all = append(all, k)
	}
	return all
}

func (c *counter) on(e *event) error {
	c.seen = append(c.seen, e.kind)
	if e.kind == eventAcquired {
		for _, id := range slices.Concat(e.set.shared, e.set.exclusive) {
			c.acquires[id]++
		}
	}
	return nil
}

// TestEvents: an observer is told of what each call does, in order, in both modes. In Threaded mode
// the only rank meets itself in a phase, too.
func TestEvents(t *testing.T) {
	for _, mode := range []Mode{Phase, Threaded} {
		c := counter{acquires: make(map[syncvar.ID]int)}
		_, err := Run(t.Context(), Config{Nodes: 1, Mode: mode}, func(n *Node) error {
			n.events.add(&c)
			x, y := NewGuarded[int64](n, "x", 4), NewGuarded[int64](n, "y", 4)
			c.seen = nil
			if err := n.Set(x.Write(), y.Read()).Do(func() {}); err != nil {
				return err
			}
			if want := []eventKind{eventCalled, eventWaiting, eventGranted, eventAcquired, eventReturned, eventReleasing, eventReleased, eventReturned}; !slices.Equal(c.seen, want) {
				t.Errorf("%v mode: a tenure has the events %v, want %v", mode, c.seen, want)
			}
			for range 2 {
				if err := n.Set(y.Write()).Do(func() {}); err != nil {
					return err
				}
			}
			for name, call := range map[string]func() error{"Barrier": n.Barrier, "Update": n.Update, "Fence": n.Fence} {
				c.seen = nil
				if err := call(); err != nil {
					return err
				}
				want := []eventKind{eventCalled, eventEntered, eventWaiting, eventMet, eventReturned}
				if name == "Fence" && mode == Phase { // it waits in the next call
					want = slices.DeleteFunc(want, func(k eventKind) bool { return k == eventWaiting })
				}
				if !slices.Equal(c.seen, want) {
					t.Errorf("%v mode: a %s has the events %v, want %v", mode, name, c.seen, want)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if c.acquires[0] != 1 || c.acquires[1] != 3 {
			t.Errorf("%v mode: x and y are acquired %v times, want 1 and 3", mode, c.acquires)
		}
	}
}

// TestEngineEvents: an observer is told of what a rank waits for, and of moving data.
func TestEngineEvents(t *testing.T) {
	for _, c := range []struct {
		name string
		mode Mode
		want []eventKind // of rank 1, which waits for rank 0
	}{
		{"phase", Phase, []eventKind{eventOf(syncvar.Denied), eventOf(syncvar.Moving)}},
		{"threaded", Threaded, []eventKind{eventOf(syncvar.Waiting), eventOf(syncvar.Held)}},
	} {
		net, err := sim.New(sim.Config{})
		if err != nil {
			t.Fatal(err)
		}
		counters := [2]counter{}
		var seen []eventKind
		_, err = Run(t.Context(), Config{Nodes: 2, Mode: c.mode, Net: net}, func(n *Node) error {
			counters[n.rank].first = eventEngine
			n.events.add(&counters[n.rank])
			x := NewGuarded[int64](n, "x", 4)
			if n.rank == 1 {
				n.Spend(Microsecond)
			}
			err := n.Set(x.Write()).Do(func() {
				x.Slice()[0]++
				n.Spend(Millisecond)
			})
			if n.rank == 1 {
				seen = slices.Clone(counters[1].seen)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(seen, c.want) {
			t.Errorf("%s mode: up to its Release, rank 1 has the events %v of its engine, want %v", c.name, seen, c.want)
		}
	}
}

// TestLatest: a meeting says which rank came last, also where ranks have locks; an Acquire of locks
// is no meeting.
func TestLatest(t *testing.T) {
	for _, mode := range []Mode{Phase, Threaded} {
		_, err := Run(t.Context(), Config{Nodes: 2, Mode: mode}, func(n *Node) error {
			met, err := n.engine.Meet(syncvar.Barrier, 0)
			if !met.Known {
				t.Errorf("%v mode: rank %d does not know who came last to a Barrier", mode, n.rank)
			}
			acquired, failed := n.engine.Acquire(nil, nil)
			if acquired.Known != (mode == Phase) {
				t.Errorf("%v mode: after an Acquire, rank %d has %+v", mode, n.rank, acquired)
			}
			return errors.Join(err, failed)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestObserverFails: the error of an observer fails the call, or the next one, and is an event.
func TestObserverFails(t *testing.T) {
	for _, kind := range []eventKind{eventWaiting, eventMet, eventReturned} {
		c := counter{acquires: make(map[syncvar.ID]int)}
		_, err := Run(t.Context(), Config{Nodes: 1}, func(n *Node) error {
			n.events.add(&c)
			n.events.add(failing(kind))
			_ = n.Barrier()
			return n.Barrier()
		})
		if !errors.Is(err, errObserver) || !slices.Contains(c.seen, eventFailed) {
			t.Errorf("an observer of event %d fails: %v, with the events %v", kind, err, c.seen)
		}
	}
}

var errObserver = errors.New("the observer has failed")

// failing is an observer that fails at an event.
type failing eventKind

func (f failing) kinds() []eventKind { return []eventKind{eventKind(f)} }

func (f failing) on(*event) error { return errObserver }
