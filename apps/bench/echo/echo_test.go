package echo_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/apps/bench/echo"
	"github.com/fagus-dsm/fagus/fagus"
)

// calls are the short calls of a program with one variable: a tenure in which the rank takes the
// variable from rank 1, and one in which it hands the variable to rank 1.
type calls struct {
	barrier, take, give func() error
	turns               int // taken
}

func newCalls(n *fagus.Node) (*calls, error) {
	x := fagus.NewGuarded[uint64](n, "x", 1)
	take, give, c := n.Set(x.Write()), n.Set(), &calls{barrier: n.Barrier}
	c.take = func() error { return take.Do(func() { x.Slice()[0]++; c.turns++ }) }
	c.give = func() error { return give.Do(func() {}) }
	return c, n.Err()
}

// TestPhases checks that each call takes a phase and a request, and that lists follow only the
// first.
func TestPhases(t *testing.T) {
	for _, place := range []fagus.Placement{fagus.PlaceShared, fagus.PlacePrivate} {
		_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2, Net: echo.New(), Placement: place}, func(n *fagus.Node) error {
			c, err := newCalls(n)
			if err != nil {
				return err
			}
			if err := c.barrier(); err != nil {
				return err
			}
			before := n.Stats()
			const rounds = 10
			for range rounds {
				for _, call := range []func() error{c.take, c.give, c.barrier} {
					if err := call(); err != nil {
						return err
					}
				}
			}
			s := n.Stats()
			if s.Phases-before.Phases != 3*rounds || s.Slots != before.Slots || c.turns != rounds {
				t.Errorf("%v: %d phases, %d slots, %d turns in %d rounds", place, s.Phases-before.Phases, s.Slots-before.Slots, c.turns, rounds)
			}
			if stores := s.Messages().Stores - before.Messages().Stores; stores != 3*rounds {
				t.Errorf("%v: %d Stores in %d rounds, want one a call", place, stores, rounds)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%v: %v", place, err)
		}
	}
}

// BenchmarkOwnWork measures the rank's own work in short calls.
func BenchmarkOwnWork(b *testing.B) {
	for _, place := range []fagus.Placement{fagus.PlaceShared, fagus.PlacePrivate} {
		for _, what := range []string{"barrier", "take", "give", "turns"} {
			b.Run(place.String()+"/"+what, func(b *testing.B) {
				_, err := fagus.Run(b.Context(), fagus.Config{Nodes: 2, Net: echo.New(), Placement: place}, func(n *fagus.Node) error {
					c, err := newCalls(n)
					if err != nil {
						return err
					}
					f := map[string]func() error{"barrier": c.barrier, "take": c.take, "give": c.give, "turns": func() error {
						if err := c.take(); err != nil {
							return err
						}
						return c.give()
					}}[what]
					// Until then the rank's clock does not use the processor's counter.
					for begun := n.Now(); n.Now()-begun < 15*fagus.Millisecond; {
					}
					b.ResetTimer()
					for b.Loop() {
						if err := f(); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}
