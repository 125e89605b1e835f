package fagus

import (
	"slices"
	"testing"

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

// TestEvents: an observer is told of what each call does, in order, in both modes.
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
			if want := []eventKind{eventCalled, eventGranted, eventAcquired, eventReturned, eventReleasing, eventReleased, eventReturned}; !slices.Equal(c.seen, want) {
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
				if want := []eventKind{eventCalled, eventEntered, eventMet, eventReturned}; !slices.Equal(c.seen, want) {
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
