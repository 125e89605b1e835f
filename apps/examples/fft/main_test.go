package main

import (
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/fagustest"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// TestTransform compares each element with the sum that defines it.
func TestTransform(t *testing.T) {
	const size = 16
	fagustest.Run(t, fagus.Config{Nodes: 3}, func(n *fagus.Node) error {
		columns, err := transform(n, size)
		if err != nil {
			return err
		}
		lo, hi := parts.Block(size, n.Nodes(), n.Rank())
		if len(columns) != hi-lo {
			return fmt.Errorf("%d columns, want %d", len(columns), hi-lo)
		}
		for j, column := range columns {
			for i, x := range column {
				if want := alone(i, lo+j, size); cmplx.Abs(x-want) > 1e-12 {
					return fmt.Errorf("row %d, column %d: %g, want %g", i, lo+j, x, want)
				}
			}
		}
		return nil
	})
}

// alone returns an element of the transformed picture.
func alone(i, j, size int) (sum complex128) {
	for k := range size {
		for l := range size {
			sum += point(k, l, size) * cmplx.Rect(1, -2*math.Pi*float64(i*k+j*l)/float64(size))
		}
	}
	return sum / complex(float64(size*size), 0)
}
