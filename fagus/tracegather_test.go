package fagus

import (
	"bytes"
	"context"
	"math/rand/v2"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// gathering is a job of whose ranks one calls Gather; the others have the bytes in rest.
type gathering struct {
	dimmnet.Network
	rest [][]byte
	own  int
	most int // bytes that a Gather has returned
}

func (g *gathering) Job() (dimmnet.Rank, int) { return dimmnet.Rank(g.own), len(g.rest) }

func (g *gathering) Gather(_ context.Context, own []byte) ([][]byte, error) {
	all, bytes := make([][]byte, len(g.rest)), 0
	for r := range g.rest {
		piece := own
		if r != g.own {
			n := min(len(g.rest[r]), pieceInTest)
			piece, g.rest[r] = g.rest[r][:n], g.rest[r][n:]
		}
		all[r] = piece
		bytes += len(piece)
	}
	g.most = max(g.most, bytes)
	return all, nil
}

const pieceInTest = 100

// TestGatherPieces: all bytes of all ranks come, in order and in pieces of the size, whoever has
// the most, also where a rank has a whole number of pieces.
func TestGatherPieces(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, sizes := range [][]int{{0, 0}, {100, 0}, {200, 199}, {1000, 100}, {101, 100, 99}, {300}} {
		g := &gathering{}
		want := make([][]byte, len(sizes))
		for r, n := range sizes {
			for range n {
				want[r] = append(want[r], byte(random.Uint32()))
			}
			g.rest = append(g.rest, want[r])
		}
		got := make([][]byte, len(sizes))
		err := dimmnet.GatherPieces(t.Context(), g, want[0], pieceInTest, func(r int, piece []byte) { got[r] = append(got[r], piece...) })
		if err != nil {
			t.Fatal(err)
		}
		for r := range want {
			if !bytes.Equal(got[r], want[r]) {
				t.Errorf("of %v bytes, rank %d has sent others than %d that have come", sizes, r, len(got[r]))
			}
		}
		if g.most > pieceInTest*len(sizes) {
			t.Errorf("of %v bytes, a Gather had %d", sizes, g.most)
		}
	}
}
