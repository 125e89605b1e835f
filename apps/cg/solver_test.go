package cg

import (
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/apps/apptest"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestFewRows: with more ranks than rows the last that has one makes a number wrong.
func TestFewRows(t *testing.T) {
	const nodes = 4
	p := problem{rows: 2, nonzer: 1, shift: 10}
	rows := func(spoil bool) [][]float64 {
		return apptest.Run(t, fagus.Config{Nodes: nodes}, "2 rows", func(n *fagus.Node) ([]float64, error) {
			s, err := newSolver(n, p, spoil)
			if err != nil {
				return nil, err
			}
			return s.mine.values, nil
		})
	}
	right, wrong := rows(false), rows(true)
	for rank := range nodes {
		if changed := !slices.Equal(right[rank], wrong[rank]); changed != (rank == 1) {
			t.Errorf("rank %d has %g, and %g when spoiled", rank, right[rank], wrong[rank])
		}
	}
}
