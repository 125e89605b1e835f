package p2p

import (
	"fmt"
	"github.com/fagus-dsm/fagus/apps/internal/prk"
	"github.com/fagus-dsm/fagus/fagus"
)

// Config describes a run.
type Config struct {
	Columns, Rows int // of the grid: m and n
	Batch         int // rows that a rank passes to the next rank at once
	prk.Loop
}

// Validate reports an error if the kernel cannot run with c.
func (c *Config) Validate() error {
	switch {
	case c.Columns < 2 || c.Rows < 2:
		return fmt.Errorf("p2p: grid of %d columns and %d rows: want at least 2 of each", c.Columns, c.Rows)
	case c.Batch < 1:
		return fmt.Errorf("p2p: batches of %d rows: want at least 1", c.Batch)
	}
	return c.Loop.Validate("p2p")
}

// batches returns the batches of an iteration. The first row never changes and is in none.
func (c *Config) batches() int { return (c.Rows - 1 + c.Batch - 1) / c.Batch }

func (c *Config) rows(batch int) (lo, hi int) {
	lo = 1 + batch*c.Batch
	return lo, min(lo+c.Batch, c.Rows)
}

// Run runs the kernel. Every rank calls it with the same Config.
func Run(n *fagus.Node, cfg Config) (prk.Result, error) {
	if err := cfg.Validate(); err != nil {
		return prk.Result{}, err
	}
	p := &pipeline{Config: cfg, node: n, last: min(n.Nodes(), cfg.Columns-1) - 1}
	if err := p.declare(); err != nil {
		return prk.Result{}, err
	}
	p.fill()
	p.iteration = float64(cfg.Resume(n)) // the iteration follows from the corner alone
	took, err := cfg.Timed(n, p.iterate)
	if err != nil {
		return prk.Result{}, err
	}
	corner := 0.0
	if n.Rank() == p.last {
		cfg.Plant(func() { p.at(cfg.Rows - 1)[p.width]++ })
		corner = p.at(cfg.Rows - 1)[p.width]
	}
	corner, err = fagus.Reduce(n, corner, func(a, b float64) float64 { return a + b })
	return cfg.result(took, corner), err
}

// result returns the result; corner is the last corner of the grid.
func (c *Config) result(took fagus.Time, corner float64) prk.Result {
	return prk.Result{
		Got: corner, Want: float64(c.Total()) * float64(c.Columns+c.Rows-2),
		Time: took, Work: 2 * float64(c.Columns-1) * float64(c.Rows-1), Made: c.Made(),
	}.Relative()
}

// pollTime passes between two Acquires of a batch that is not ready.
const pollTime = 5 * fagus.Microsecond

func (p *pipeline) iterate(times int) error {
	n := p.node
	for range times {
		p.iteration++
		for batch := 0; n.Rank() <= p.last && batch < len(p.sets); {
			ready := false
			err := n.During(p.sets[batch], func() error {
				if ready = p.ready(batch); ready {
					p.compute(batch)
				}
				return nil
			})
			if err != nil {
				return err
			}
			if ready {
				batch++
			} else {
				n.Spend(pollTime)
			}
		}
		p.AdvanceTogether(n, 1)
	}
	return nil
}

// compute computes a batch's rows from the previous rank's edge, and writes this rank's edge.
func (p *pipeline) compute(batch int) {
	rank := p.node.Rank()
	if rank == 0 && batch == 0 {
		p.at(0)[1] = p.corner.Slice()[0].Value
	}
	lo, hi := p.rows(batch)
	first := 1 // of the columns to read: the first one of rank 0 does not change
	if rank > 0 {
		first = 0
		for j, left := range p.edges[rank-1].of(batch)[1:][:hi-lo] {
			p.at(lo + j)[0] = left
		}
	}
	for j := lo; j < hi; {
		j += follow(func(k int) []float64 { return p.at(j - 1 + k)[first:] }, hi-j)
	}
	if rank < p.last {
		for j := range hi - lo {
			p.edges[rank].of(batch)[1+j] = p.at(lo + j)[p.width]
		}
	}
	if rank < p.last {
		p.edges[rank].of(batch)[0] = p.iteration
	}
	if rank == p.last && batch == len(p.sets)-1 {
		p.corner.Slice()[0] = corner{Iteration: p.iteration, Value: -p.at(p.Rows - 1)[p.width]}
	}
	p.node.Spend(fagus.Time(2*(hi-lo)*p.width) * prk.OperationTime)
}

// follow computes rows 1 to n, or fewer, from row 0, and returns how many. Column 0 is set.
func follow(row func(int) []float64, n int) int {
	const most = 4
	if n < most || len(row(0)) <= most {
		next(row(1), row(0))
		return 1
	}
	next4(row(1), row(2), row(3), row(4), row(0))
	return most
}

// next computes a row from the row below.
func next(row, below []float64) {
	below = below[:len(row)]
	left, diagonal := row[0], below[0]
	for i := 1; i < len(row); i++ {
		up := below[i]
		// one dependent addition per point, not two: integers are exact in any order
		left += up - diagonal
		row[i], diagonal = left, up
	}
}

// next4 is four calls of next, for rows of more than 4 columns. Each row is a column behind the row
// before it, so that four additions do not wait for each other.
func next4(a, b, c, d, below []float64) {
	n := len(a)
	next(a[:4], below[:4])
	next(b[:3], a[:3])
	next(c[:2], b[:2])
	ends := below[4:n]
	aa, bb, cc, dd := a[4:][:len(ends)], b[3:][:len(ends)], c[2:][:len(ends)], d[1:][:len(ends)]
	x, p, q, r := below[3], a[2], b[1], c[0]
	u, v, w, z := a[3], b[2], c[1], d[0]
	for i, up := range ends {
		u, v, w, z, x, p, q, r = u+(up-x), v+(u-p), w+(v-q), z+(w-r), up, u, v, w
		aa[i], bb[i], cc[i], dd[i] = u, v, w, z
	}
	next(b[n-2:], a[n-2:])
	next(c[n-3:], b[n-3:])
	next(d[n-4:], c[n-4:])
}
