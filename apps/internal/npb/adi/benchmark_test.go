package adi_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/apps/bt"
	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/apps/internal/npb/adi"
	"github.com/fagus-dsm/fagus/apps/sp"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

// each runs a test of each benchmark.
func each(t *testing.T, test func(t *testing.T, b adi.Benchmark, a apptest.Benchmark)) {
	for _, b := range []adi.Benchmark{bt.Benchmark(), sp.Benchmark()} {
		t.Run(b.Name, func(t *testing.T) {
			test(t, b, apptest.Benchmark{Run: b.Run, Plain: b.Plain, Guarded: 3, Spoiled: []int{3, 12}})
		})
	}
}

// TestBenchmark checks several numbers of nodes. On 12 nodes the first and the last rank have only
// a plane of the boundary.
func TestBenchmark(t *testing.T) {
	each(t, func(t *testing.T, _ adi.Benchmark, a apptest.Benchmark) { a.Test(t) })
}

// TestMostRanks verifies runs in which planes have tiles of their own, and ranks with no planes.
func TestMostRanks(t *testing.T) {
	longtest.Third(t)
	each(t, func(t *testing.T, _ adi.Benchmark, a apptest.Benchmark) { a.MostRanks(t, 5, 12) })
}

// TestTooMany checks that a run fails with more ranks than planes.
func TestTooMany(t *testing.T) {
	each(t, func(t *testing.T, _ adi.Benchmark, a apptest.Benchmark) { a.TooMany(t, 12) })
}

// TestMoves checks that only data that ranks read are moved, on 4 nodes with 3 planes and 3 rows
// each. In a step, 3 quarters of the right side move from planes to rows, and as much of the
// solution from rows to planes, with 2 or 4 more planes for each rank. The forcing and the last
// residual need the solution once more.
func TestMoves(t *testing.T) {
	longtest.Third(t)
	each(t, func(t *testing.T, b adi.Benchmark, a apptest.Benchmark) {
		const nodes, length = 4, 64
		steps := b.Problem(npb.S).Steps
		rhs, solution := 12, 12+2+4+4+2
		a.Moves(t, nodes, (steps*rhs+(steps+2)*solution)*12*length*8*(nodes-1)/nodes, 7) // headers
	})
}
