package ssor_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/apps/ssor"
)

func benchmark() apptest.Benchmark {
	return apptest.Benchmark{Run: ssor.Run, Plain: ssor.Plain, Guarded: 3, Spoiled: []int{3}}
}

func TestBenchmark(t *testing.T) { benchmark().Test(t) }

// TestMostRanks verifies runs in which some or all ranks have one plane, and so need planes of
// ranks that are not their neighbours.
func TestMostRanks(t *testing.T) {
	benchmark().MostRanks(t, 7, 10)
}

// TestTooMany checks that a run fails with more ranks than planes that are computed.
func TestTooMany(t *testing.T) {
	benchmark().TooMany(t, 10)
}

// TestMoves checks that only data that ranks read are moved, on 2 nodes with 5 planes each: the
// edges of 10 x 12 points in each sweep, and two planes of 12 x 12 unknowns to each rank for each
// residual, of which two are computed before the first iteration.
func TestMoves(t *testing.T) {
	const nodes, iterations, vector = 2, 50, 5 * 8
	least := iterations*2*10*12*vector + (2+iterations)*nodes*2*12*12*vector
	benchmark().Moves(t, nodes, least, 15) // headers and stamps
}
