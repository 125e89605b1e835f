package adi

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// halo is the number of planes that a rank reads on each side of its own.
const halo = 2

// tile is what lies in some planes of one rank and in the rows of another, or of the same: planes
// lo to hi-1.
type tile struct {
	lo, hi, planes, rows int           // planes and rows are ranks
	parts                []fagus.Range // by plane
	guard                *fagus.SyncVar
}

// field is a shared cube whose tiles are bound to sync variables.
type field struct {
	*cube
	*fagus.Array[float64]
	tiles []tile
}

// newField makes the array and binds its variables. There are as many planes as ranks at least.
// halo is the number of planes at each end of a rank's planes that other ranks acquire.
func newField(n *fagus.Node, name string, points, halo int) (*field, error) {
	var blocks [][2]int
	for rank := range n.Nodes() {
		lo, hi := parts.Block(points, n.Nodes(), rank)
		blocks = append(blocks, [2]int{lo, hi})
	}
	f := &field{cube: newCube(points)}
	var err error
	if f.Array, err = fagus.NewArray[float64](n, name, f.size()); err != nil {
		return nil, err
	}
	f.numbers = f.Slice()
	for planes, p := range blocks {
		for _, cut := range cuts(p[0], p[1], halo) {
			for rows, r := range blocks {
				t := tile{lo: cut[0], hi: cut[1], planes: planes, rows: rows}
				for z := t.lo; z < t.hi; z++ {
					t.parts = append(t.parts, f.Range((z*points+r[0])*f.length, (z*points+r[1])*f.length))
				}
				if t.guard, err = n.Bind(fmt.Sprintf("%s.%d.%d", name, t.lo, r[0]), t.parts...); err != nil {
					return nil, err
				}
				f.tiles = append(f.tiles, t)
			}
		}
	}
	return f, nil
}

// cuts divides planes lo to hi-1 so that the first and the last few can be acquired alone.
func cuts(lo, hi, halo int) (planes [][2]int) {
	at := []int{lo, min(lo+halo, hi), max(hi-halo, lo), hi}
	slices.Sort(at)
	at = slices.Compact(at)
	for i, end := range at[1:] {
		planes = append(planes, [2]int{at[i], end})
	}
	return planes
}

// want returns requests for the tiles that a function selects. An exclusive holder overwrites them.
func (f *field) want(access fagus.Access, selects func(t *tile) bool) (wants []fagus.Request) {
	for i := range f.tiles {
		t := &f.tiles[i]
		if !selects(t) {
			continue
		}
		want := fagus.Want(t.guard, access)
		if access == fagus.Exclusive {
			want = want.Writing(t.parts...)
		}
		wants = append(wants, want)
	}
	return wants
}
