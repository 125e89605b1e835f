package main

import (
	"fmt"
	"math"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/fagustest"
)

// TestMove compares the bodies with those that one rank moves, and their energy before and after.
func TestMove(t *testing.T) {
	const bodies, steps = 40, 20
	want := begin(bodies)
	for range steps {
		moved := make([]body, bodies)
		for i := range moved {
			moved[i] = next(want, i)
		}
		want = moved
	}
	fagustest.Run(t, fagus.Config{Nodes: 3}, func(n *fagus.Node) error {
		got, err := move(n, bodies, steps)
		if err != nil {
			return err
		}
		if len(got) != bodies {
			return fmt.Errorf("%d bodies, want %d", len(got), bodies)
		}
		for i := range got {
			for k, x := range got[i].Position {
				if math.Abs(x-want[i].Position[k]) > 1e-12 {
					return fmt.Errorf("body %d is %+v, want %+v", i, got[i], want[i])
				}
			}
		}
		if before, after := energy(begin(bodies)), energy(got); math.Abs(after-before) > 0.01*math.Abs(before) {
			return fmt.Errorf("energy %g at the beginning, %g at the end", before, after)
		}
		return nil
	})
}

// TestNext: two bodies at rest fall towards each other.
func TestNext(t *testing.T) {
	all := []body{{Position: vector{-1, 0, 0}}, {Position: vector{1, 0, 0}}}
	a, b := next(all, 0), next(all, 1)
	want := interval * 2 / (math.Pow(4+soft, 1.5) * 2)
	if math.Abs(a.Speed[0]-want) > 1e-15 || a.Speed[0] != -b.Speed[0] || a.Position[0] <= -1 {
		t.Errorf("the bodies are %+v and %+v, want the speed %g", a, b, want)
	}
}
