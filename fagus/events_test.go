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
}

func (c *counter) kinds() (all []eventKind) {
	for k := range eventKinds {
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
			n.observers.add(&c)
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
		net  sim.Config
		want []syncvar.EventKind // of rank 1, which waits for rank 0
	}{
		{"phase", Phase, sim.Config{}, []syncvar.EventKind{syncvar.Denied, syncvar.Moving}},
		{"threaded", Threaded, sim.Config{}, []syncvar.EventKind{syncvar.Waiting, syncvar.Held}},
	} {
		net, err := sim.New(c.net)
		if err != nil {
			t.Fatal(err)
		}
		counters := [2]counter{}
		_, err = Run(t.Context(), Config{Nodes: 2, Mode: c.mode, Net: net}, func(n *Node) error {
			counters[n.rank].acquires = make(map[syncvar.ID]int)
			n.observers.add(&counters[n.rank])
			x := NewGuarded[int64](n, "x", 4)
			if n.rank == 1 {
				n.Spend(Microsecond)
			}
			return n.Set(x.Write()).Do(func() {
				x.Slice()[0]++
				n.Spend(Millisecond)
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		var seen []syncvar.EventKind
		for _, k := range counters[1].seen {
			if k == eventReleased {
				break
			}
			if k >= eventEngine {
				seen = append(seen, syncvar.EventKind(k-eventEngine))
			}
		}
		if !slices.Equal(seen, c.want) {
			t.Errorf("%s mode: up to its Release, rank 1 has the events %v of its engine, want %v", c.name, seen, c.want)
		}
	}
}

// TestObserverFails: the error of an observer fails the call, or the next one, and is an event.
func TestObserverFails(t *testing.T) {
	for _, kind := range []eventKind{eventWaiting, eventMet, eventReturned} {
		c := counter{acquires: make(map[syncvar.ID]int)}
		_, err := Run(t.Context(), Config{Nodes: 1}, func(n *Node) error {
			n.observers.add(&c)
			n.observers.add(failing(kind))
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
