package mg_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/apps/mg"
)

func benchmark() apptest.Benchmark {
	return apptest.Benchmark{Run: mg.Run, Plain: mg.Plain, Guarded: 3, Spoiled: []int{3}}
}

func TestBenchmark(t *testing.T) { benchmark().Test(t) }

// TestMostRanks verifies runs in which some ranks have no planes of the second level.
func TestMostRanks(t *testing.T) {
	benchmark().MostRanks(t, 21, 32)
}

// TestTooMany checks that a run fails with more ranks than planes.
func TestTooMany(t *testing.T) {
	benchmark().TooMany(t, 32)
}

// TestMoves checks that only planes that ranks read are moved, on 4 nodes with 8 planes each on
// the finest level. Of the finest level a rank receives two planes for each residual and
// smoothing, and one for restricting. Of the next level it receives two for each residual and
// smoothing, and one each for restricting and prolonging. Of the third level it receives all 8
// planes.
func TestMoves(t *testing.T) {
	const nodes, iterations = 4, 4
	planes := nodes * (2 + iterations*(2+2+2+1)) * 8 * 32 * 32
	below := nodes*iterations*(2+2+1+1)*8*16*16 + iterations*(nodes-1)*8*8*8*8
	benchmark().Moves(t, nodes, planes+below, 7) // headers
}
