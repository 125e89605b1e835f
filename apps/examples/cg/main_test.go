package main

import (
	"fmt"
	"math"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/fagustest"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// TestSolve compares the temperatures with those that another method computes on plain slices.
func TestSolve(t *testing.T) {
	const size = 20
	want := alone(size)
	fagustest.Run(t, fagus.Config{Nodes: 3}, func(n *fagus.Node) error {
		got, err := solve(n, size, 1000)
		if err != nil {
			return err
		}
		lo, hi := parts.Block(size, n.Nodes(), n.Rank())
		if len(got) != (hi-lo)*size {
			return fmt.Errorf("%d points, want %d", len(got), (hi-lo)*size)
		}
		for i, x := range got {
			if math.Abs(x-want[lo*size+i]) > 1e-8 {
				return fmt.Errorf("row %d, column %d: %g degrees, want %g", lo+i/size, i%size, x, want[lo*size+i])
			}
		}
		return nil
	})
}

// alone computes the temperatures by setting each point to the mean that the equations say, until
// nothing changes (Gauss-Seidel).
func alone(size int) []float64 {
	x := make([]float64, size*size)
	at := func(i, j int) float64 {
		if i < 0 || j < 0 || i == size || j == size {
			return 0
		}
		return x[i*size+j]
	}
	for change := 1.0; change > 1e-14; {
		change = 0
		for k := range x {
			i, j := k/size, k%size
			t := (at(i-1, j) + at(i+1, j) + at(i, j-1) + at(i, j+1) + heat) / 4
			change = max(change, math.Abs(t-x[k]))
			x[k] = t
		}
	}
	return x
}
