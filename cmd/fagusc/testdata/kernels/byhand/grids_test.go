package byhand

import (
	"math"
	"slices"

	"github.com/fagus-dsm/fagus/cmd/fagusc/testdata/kernels"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// pair is two grids. Each half of a step reads one grid and writes the other grid.
type pair struct {
	node  *fagus.Node
	name  string
	grids [2]*parts.Grid[float64]
}

// newPair makes two grids of rows x columns points.
func newPair(node *fagus.Node, name string, rows, columns int) (*pair, error) {
	p := &pair{node: node, name: again(node, name)}
	for i, which := range []string{" even", " odd"} {
		var err error
		if p.grids[i], err = parts.NewGrid[float64](node, p.name+which, parts.Shape{Rows: rows, Columns: columns, Halo: 1}); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// fill calls f while rank 0 holds both grids and the variables in more, for writing. f returns the
// elements that other ranks receive, in ranges of at most one row.
func (p *pair) fill(f func() []fagus.Range, more ...fagus.Request) error {
	var wants []fagus.Request
	if p.node.Rank() == 0 {
		for _, r := range slices.Concat(p.grids[0].WantAll(fagus.Exclusive), p.grids[1].WantAll(fagus.Exclusive), more) {
			wants = append(wants, r.Reporting())
		}
	}
	err := p.node.During(p.node.Set(wants...), func() error {
		if p.node.Rank() > 0 {
			return nil
		}
		return p.node.Wrote(f()...)
	})
	if err != nil {
		return err
	}
	return p.node.Fence()
}

// half returns the requests for writing one grid and reading the other grid.
func (p *pair) half(grid int) []fagus.Request {
	to, from := p.grids[grid], p.grids[1-grid]
	return slices.Concat(to.WantFill(), from.WantMine(fagus.Shared), from.WantHalo())
}

// halves returns the sets for both halves.
func (p *pair) halves() [2]*fagus.SyncSet {
	return [2]*fagus.SyncSet{p.node.Set(p.half(0)...), p.node.Set(p.half(1)...)}
}

// inside returns this rank's rows, without the first and the last row of the grid.
func (p *pair) inside() (lo, hi int) {
	lo, hi = p.grids[0].Mine()
	return max(lo, 1), min(hi, p.grids[0].Rows-1)
}

// collect calls f at rank 0, which holds both grids for reading.
func (p *pair) collect(f func()) error {
	var wants []fagus.Request
	if p.node.Rank() == 0 {
		wants = slices.Concat(p.grids[0].WantAll(fagus.Shared), p.grids[1].WantAll(fagus.Shared))
	}
	return during(p.node, func() {
		if p.node.Rank() == 0 {
			f()
		}
	}, wants...)
}

// Jacobi is [kernels.Jacobi]. Of b only the border moves to the ranks: the last row of b goes to
// the last rank, and every rank gets the first and last points of its own rows. Both points of a
// row are neighbours in a separate array.
func Jacobi(node *fagus.Node, a, b []float64, n, steps int) error {
	if n < 3 || steps < 1 {
		return nil // no interior points, or no steps
	}
	p, err := newPair(node, "Jacobi", n, n)
	if err != nil {
		return err
	}
	sides, err := parts.NewBlocks[float64](node, p.name+" sides", n, 2)
	if err != nil {
		return err
	}
	sa, sb := p.grids[0], p.grids[1]
	if err := p.fill(func() (wrote []fagus.Range) {
		copy(sa.Slice(), a)
		copy(sb.Slice(), b)
		for i := range n {
			wrote = append(wrote, sa.Range(i*n, i*n+n), sides.Range(2*i, 2*i+2))
			sides.Slice()[2*i], sides.Slice()[2*i+1] = b[i*n], b[i*n+n-1]
		}
		return append(wrote, sb.Range(n*n-n, n*n))
	}, sides.WantAll(fagus.Exclusive)...); err != nil {
		return err
	}
	sets := p.halves()
	lo, hi := p.inside()
	begin := func() { // runs before the first half
		for i := lo; i < hi; i++ {
			sb.Row(i)[0], sb.Row(i)[n-1] = sides.Slice()[2*i], sides.Slice()[2*i+1]
		}
	}
	set := node.Set(append(p.half(1), sides.WantMine(fagus.Shared)...)...)
	for range steps {
		for _, to := range []int{1, 0} {
			if err := node.During(set, func() error {
				begin()
				p.smooth(to)
				return nil
			}); err != nil {
				return err
			}
			if err := node.Fence(); err != nil {
				return err
			}
			set, begin = sets[1-to], func() {}
		}
	}
	return p.collect(func() {
		copy(a, sa.Slice())
		copy(b, sb.Slice())
	})
}

// smooth computes this rank's part of a grid from the other grid.
func (p *pair) smooth(grid int) {
	lo, hi := p.inside()
	of := p.grids[1-grid]
	for i := lo; i < hi; i++ {
		to, above, beside, below := p.grids[grid].Row(i), of.Row(i-1), of.Row(i), of.Row(i+1)
		for j := 1; j < len(to)-1; j++ {
			to[j] = 0.25 * (above[j] + below[j] + beside[j-1] + beside[j+1])
		}
	}
}

// SOR is [kernels.SOR]. Each colour is a grid: the even points, whose row and column have an even
// sum, and the odd points. Point j of a row has index j/2.
func SOR(node *fagus.Node, u []float64, n int, omega, limit float64, most int) (sweeps int, change float64, err error) {
	if n < 3 || most < 1 {
		sweeps, change = kernels.SOR(u, n, omega, limit, most) // no interior points
		return sweeps, change, nil
	}
	p, err := newPair(node, "SOR", n, (n+1)/2)
	if err != nil {
		return 0, 0, err
	}
	if err := p.fill(func() []fagus.Range { return p.part(u, n) }); err != nil {
		return 0, 0, err
	}
	sets := p.halves()
	change = math.Inf(1)
	for sweeps < most && change > limit {
		change = 0
		for half, colour := range []int{1, 0} {
			if err := node.During(sets[colour], func() error {
				change = max(change, p.relax(colour, n, omega))
				return nil
			}); err != nil {
				return 0, 0, err
			}
			if half > 0 {
				continue // the Reduce follows
			}
			if err := node.Fence(); err != nil {
				return 0, 0, err
			}
		}
		if change, err = fagus.Reduce(node, change, func(a, b float64) float64 { return max(a, b) }); err != nil {
			return 0, 0, err
		}
		sweeps++
	}
	return sweeps, change, p.collect(func() {
		for i := 1; i < n-1; i++ {
			for j := 1; j < n-1; j++ {
				u[i*n+j] = p.grids[(i+j)%2].Row(i)[j/2]
			}
		}
	})
}

// part copies the points of u to the grids of their colours and returns the ranges written.
func (p *pair) part(u []float64, n int) (wrote []fagus.Range) {
	for i := range n {
		for j, x := range u[i*n:][:n] {
			p.grids[(i+j)%2].Row(i)[j/2] = x
		}
		for _, g := range p.grids {
			wrote = append(wrote, g.Range(i*g.Columns, (i+1)*g.Columns))
		}
	}
	return wrote
}

// relax updates this rank's points of one colour and returns the largest change.
func (p *pair) relax(colour, n int, omega float64) (change float64) {
	lo, hi := p.inside()
	of := p.grids[1-colour]
	for i := lo; i < hi; i++ {
		row, above, beside, below := p.grids[colour].Row(i), of.Row(i-1), of.Row(i), of.Row(i+1)
		for j := 2 - (i+colour)%2; j < n-1; j += 2 {
			k := j / 2
			d := omega * (0.25*(above[k]+below[k]+beside[(j-1)/2]+beside[(j+1)/2]) - row[k])
			row[k] += d
			change = max(change, math.Abs(d))
		}
	}
	return change
}
