package parts

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
)

// Shape is the shape of a Grid.
type Shape struct {
	Rows, Columns int  // the size of the grid. Each rank has a [Block] of rows.
	Halo          int  // number of rows that a rank reads on each side of its own rows
	Wrap          bool // makes the first row the neighbour of the last
}

// Grid is an array of rows that are divided among the ranks. Each rank also reads its halo: the
// rows next to its own. Rows in the halo of other ranks have their own variables, so that only
// these rows are transferred.
//
// A rank that reads a neighbour's old rows while the neighbour writes new ones needs a [Pair] of
// grids. A program that acquires one grid in several ways calls Fence between a tenure that writes
// rows and another rank's tenure of the same rows.
type Grid[T any] struct {
	*fagus.Array[T]
	Shape
	node   *fagus.Node
	strips []strip
}

type strip struct {
	lo, hi, rank int // rows lo to hi-1, which belong to rank
	guard        *fagus.SyncVar
}

// NewGrid makes the array and binds the variables of each rank's rows. It is collective.
func NewGrid[T any](n *fagus.Node, name string, s Shape) (*Grid[T], error) {
	if s.Rows < 1 || s.Columns < 1 || s.Halo < 0 || s.Halo > s.Rows {
		return nil, fmt.Errorf("parts: grid %q of %d x %d elements with a halo of %d rows: want at least one row and column, and a halo of at most all rows", name, s.Rows, s.Columns, s.Halo)
	}
	a, err := fagus.NewArray[T](n, name, s.Rows*s.Columns)
	if err != nil {
		return nil, err
	}
	g := &Grid[T]{Array: a, Shape: s, node: n}
	for rank := range n.Nodes() {
		lo, hi := g.Of(rank)
		for i, cut := range cuts(lo, hi, s.Halo) {
			v, err := n.Bind(fmt.Sprintf("%s.%d.%d", name, rank, i), a.Range(cut[0]*s.Columns, cut[1]*s.Columns))
			if err != nil {
				return nil, err
			}
			g.strips = append(g.strips, strip{cut[0], cut[1], rank, v})
		}
	}
	return g, nil
}

func cuts(lo, hi, halo int) (rows [][2]int) {
	switch {
	case lo == hi:
	case halo == 0 || hi-lo <= 2*halo:
		rows = append(rows, [2]int{lo, hi})
	default:
		rows = append(rows, [2]int{lo, lo + halo}, [2]int{lo + halo, hi - halo}, [2]int{hi - halo, hi})
	}
	return rows
}

// Of returns the numbers of a rank's rows: lo to hi-1.
func (g *Grid[T]) Of(rank int) (lo, hi int) { return Block(g.Rows, g.node.Nodes(), rank) }

// Mine returns the numbers of this rank's rows: lo to hi-1.
func (g *Grid[T]) Mine() (lo, hi int) { return g.Of(g.node.Rank()) }

// Row returns this rank's copy of row i. If the grid wraps, i may be from -Rows to 2*Rows-1.
func (g *Grid[T]) Row(i int) []T {
	if g.Wrap {
		i = (i + g.Rows) % g.Rows
	}
	return g.Part(i*g.Columns, (i+1)*g.Columns)
}

func (g *Grid[T]) want(access fagus.Access, f func(strip) bool) (wants []fagus.Request) {
	for _, s := range g.strips {
		if f(s) {
			wants = append(wants, fagus.Want(s.guard, access))
		}
	}
	return wants
}

// WantMine returns requests for this rank's rows.
func (g *Grid[T]) WantMine(access fagus.Access) []fagus.Request {
	return g.want(access, func(s strip) bool { return s.rank == g.node.Rank() })
}

// WantFill returns exclusive requests for this rank's rows, with the declaration that the rank
// writes all of them. Release then compares nothing.
func (g *Grid[T]) WantFill() (wants []fagus.Request) {
	for _, s := range g.strips {
		if s.rank == g.node.Rank() {
			wants = append(wants, fagus.Want(s.guard, fagus.Exclusive).Writing(g.Range(s.lo*g.Columns, s.hi*g.Columns)))
		}
	}
	return wants
}

// WantAll returns requests for all rows.
func (g *Grid[T]) WantAll(access fagus.Access) []fagus.Request {
	return g.want(access, func(strip) bool { return true })
}

// WantHalo returns shared requests for this rank's halo, or none if this rank has no rows.
func (g *Grid[T]) WantHalo() []fagus.Request {
	lo, hi := g.Mine()
	return g.want(fagus.Shared, func(s strip) bool {
		return lo < hi && s.rank != g.node.Rank() && (g.near(s, lo-g.Halo, lo) || g.near(s, hi, hi+g.Halo))
	})
}

// WantRows returns shared requests for the rows lo to hi-1. If the grid wraps, row numbers may be
// from -Rows to 2*Rows-1. A rank that reads neighbouring rows on one side only should use
// WantRows: WantHalo requests the rows on both sides.
func (g *Grid[T]) WantRows(lo, hi int) []fagus.Request {
	return g.want(fagus.Shared, func(s strip) bool { return lo < hi && g.near(s, lo, hi) })
}

func (g *Grid[T]) near(s strip, lo, hi int) bool {
	overlaps := func(by int) bool { return s.lo < hi+by && lo+by < s.hi }
	return overlaps(0) || g.Wrap && (overlaps(g.Rows) || overlaps(-g.Rows))
}
