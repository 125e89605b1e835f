package cg

import (
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestFewRows checks that with more ranks than rows the error is planted in the last row.
func TestFewRows(t *testing.T) {
	const nodes = 4
	p := problem{rows: 2, nonzer: 1, shift: 10}
	rows := func(spoil bool) [][]float64 {
		return apptest.Run(t, fagus.Config{Nodes: nodes}, "2 rows", func(n *fagus.Node) ([]float64, error) {
			s, err := newSolver(n, p, &verify.Options{Spoil: spoil})
			if err != nil {
				return nil, err
			}
			return s.mine.blocks[0].values, nil
		})
	}
	right, wrong := rows(false), rows(true)
	for rank := range nodes {
		if changed := !slices.Equal(right[rank], wrong[rank]); changed != (rank == 1) {
			t.Errorf("rank %d has %g, and %g with a planted error: want only the last row to differ", rank, right[rank], wrong[rank])
		}
	}
}
