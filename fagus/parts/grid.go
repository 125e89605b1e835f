package parts

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
)

// Shape is that of a Grid.
type Shape struct {
	// Rows are divided between the ranks, in a [Block] each.
	Rows, Columns int
	// Halo is how many rows of others, above and below its own, a rank reads.
	Halo int
	// Wrap says that the first row is below the last.
	Wrap bool
}

// Grid is an array of rows of which ranks read some of their neighbours'. These are guarded by
// variables of their own, so that only they move.
//
// To read a neighbour's old rows while that writes new ones takes two grids, in turn:
//
//	set := n.Set(slices.Concat(to.WantMine(fagus.Exclusive), from.WantMine(fagus.Shared), from.WantHalo())...)
type Grid[T any] struct {
	*fagus.Array[T]
	Shape
	node   *fagus.Node
	strips []strip
}

// strip is rows with one variable.
type strip struct {
	lo, hi, rank int
	guard        *fagus.SyncVar
}

// NewGrid makes the array and binds the variables. It is collective.
func NewGrid[T any](n *fagus.Node, name string, s Shape) (*Grid[T], error) {
	if s.Rows < 1 || s.Columns < 1 || s.Halo < 0 || s.Halo > s.Rows {
		return nil, fmt.Errorf("parts: grid %q of %d x %d with %d rows of halo: want at least one row and column, and no more halo than rows", name, s.Rows, s.Columns, s.Halo)
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

// cuts divides rows lo to hi where neighbours need others than the rank itself.
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

// Of are the rows of a rank, lo up to but not including hi.
func (g *Grid[T]) Of(rank int) (lo, hi int) { return Block(g.Rows, g.node.Nodes(), rank) }

// Mine are this rank's.
func (g *Grid[T]) Mine() (lo, hi int) { return g.Of(g.node.Rank()) }

// Row is a row, as this rank has it. Of a Grid that wraps i may be up to Rows below 0, or above the
// last.
func (g *Grid[T]) Row(i int) []T {
	if g.Wrap {
		i = (i + g.Rows) % g.Rows
	}
	return g.Slice()[i*g.Columns:][:g.Columns:g.Columns]
}

// WantMine asks for this rank's rows.
func (g *Grid[T]) WantMine(mode fagus.Mode) (wants []fagus.Request) {
	for _, s := range g.strips {
		if s.rank == g.node.Rank() {
			wants = append(wants, fagus.Want(s.guard, mode))
		}
	}
	return wants
}

// WantFill asks for this rank's rows, exclusively, and declares that it writes all of them: so that
// nothing is compared to find out.
func (g *Grid[T]) WantFill() (wants []fagus.Request) {
	for _, s := range g.strips {
		if s.rank == g.node.Rank() {
			wants = append(wants, fagus.Want(s.guard, fagus.Exclusive).Writing(g.Range(s.lo*g.Columns, s.hi*g.Columns)))
		}
	}
	return wants
}

// WantAll asks for all rows.
func (g *Grid[T]) WantAll(mode fagus.Mode) (wants []fagus.Request) {
	for _, s := range g.strips {
		wants = append(wants, fagus.Want(s.guard, mode))
	}
	return wants
}

// WantHalo asks for the rows of others that this rank reads, shared: none if it has no rows.
func (g *Grid[T]) WantHalo() (wants []fagus.Request) {
	lo, hi := g.Mine()
	if lo == hi {
		return nil
	}
	for _, s := range g.strips {
		if s.rank != g.node.Rank() && (g.near(s, lo-g.Halo, lo) || g.near(s, hi, hi+g.Halo)) {
			wants = append(wants, fagus.Want(s.guard, fagus.Shared))
		}
	}
	return wants
}

// WantRows asks for the rows lo up to but not including hi, shared, whoever has them. In a Grid that wraps they may be
// up to Rows below 0, or above the last. Programs that read to one side only get less by it than by WantHalo.
func (g *Grid[T]) WantRows(lo, hi int) (wants []fagus.Request) {
	for _, s := range g.strips {
		if lo < hi && g.near(s, lo, hi) {
			wants = append(wants, fagus.Want(s.guard, fagus.Shared))
		}
	}
	return wants
}

// near says whether a row of s is one of lo up to hi, which may lie outside of the grid.
func (g *Grid[T]) near(s strip, lo, hi int) bool {
	overlaps := func(by int) bool { return s.lo < hi+by && lo+by < s.hi }
	return overlaps(0) || g.Wrap && (overlaps(g.Rows) || overlaps(-g.Rows))
}
