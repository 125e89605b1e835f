package transpose

import (
	"fmt"
	"math"
	"slices"

	"github.com/fagus-dsm/fagus/apps/prk"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Config describes a run.
type Config struct {
	N int // rows and columns
	prk.Loop
}

// Validate reports what cannot be run.
func (c *Config) Validate() error {
	if c.N < 1 {
		return fmt.Errorf("transpose: a matrix of %d x %d: want at least 1 x 1", c.N, c.N)
	}
	return c.Loop.Validate("transpose")
}

// transpose is the program's data.
type transpose struct {
	Config
	node   *fagus.Node
	from   *blocks   // A, and what it will be; they change places
	to     *blocks   //
	b      []float64 // this rank's columns of B, one after another
	lo, hi int       // these columns
}

// Run runs the kernel. Every rank calls it with the same Config.
func Run(n *fagus.Node, cfg Config) (prk.Result, error) {
	if err := cfg.Validate(); err != nil {
		return prk.Result{}, err
	}
	t := &transpose{Config: cfg, node: n}
	t.lo, t.hi = parts.Block(cfg.N, n.Nodes(), n.Rank())
	t.b = make([]float64, (t.hi-t.lo)*cfg.N)
	var err error
	if t.from, err = newBlocks(n, "even", cfg.N); err != nil {
		return prk.Result{}, err
	}
	if t.to, err = newBlocks(n, "odd", cfg.N); err != nil {
		return prk.Result{}, err
	}
	if err := t.fill(); err != nil {
		return prk.Result{}, err
	}
	// PRK counts each element of A and of B once, though both are read and written.
	r := prk.Result{Work: 2 * 8 * float64(cfg.N) * float64(cfg.N) * float64(cfg.Iterations)}
	if r.Time, err = cfg.Timed(n, t.iterate); err != nil {
		return r, err
	}
	if cfg.Spoils(n, cfg.N) {
		t.b[len(t.b)-1]++
	}
	r.Got, err = fagus.Reduce(n, t.differences(), func(a, b float64) float64 { return a + b })
	r.Error = r.Got
	return r, err
}

// fill makes A(i,j) = i + nj.
func (t *transpose) fill() error {
	me := t.node.Rank()
	err := t.node.During(t.node.Set(t.from.wantToFill()...), func() error {
		for reader := range t.node.Nodes() {
			lo, hi := parts.Block(t.N, t.node.Nodes(), reader)
			block := t.from.block(me, reader)
			for j := t.lo; j < t.hi; j++ {
				column := block[(j-t.lo)*(hi-lo):][:hi-lo]
				for i := range column {
					column[i] = float64(t.N*j + lo + i)
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return t.node.Barrier()
}

func (t *transpose) iterate(times int) error {
	n := t.node
	for range times {
		set := n.Set(slices.Concat(t.to.wantToFill(), t.from.wantOthers(), t.from.wantRows())...)
		if err := n.During(set, t.turn); err != nil {
			return err
		}
		if err := n.Barrier(); err != nil {
			return err
		}
		t.from, t.to = t.to, t.from
		t.Advance(n)
	}
	return nil
}

// turn adds A's rows to B's columns, and makes the next A.
func (t *transpose) turn() error {
	n := t.node
	for rank := range n.Nodes() {
		if err := n.Err(); err != nil {
			return err
		}
		lo, hi := parts.Block(t.N, n.Nodes(), rank)
		addTransposed(t.b, t.N, lo, t.from.block(rank, n.Rank()), t.hi-t.lo)
		to := t.to.block(n.Rank(), rank)
		for i, x := range t.from.block(n.Rank(), rank)[:len(to)] {
			to[i] = x + 1
		}
		n.Spend(fagus.Time(2*8*(hi-lo)*(t.hi-t.lo)) * prk.ByteTime)
	}
	return nil
}

// differences are those to the closed form, added up.
func (t *transpose) differences() (sum float64) {
	times := float64(t.Total())
	addit := times * float64(t.Iterations) / 2
	for j := t.lo; j < t.hi; j++ {
		for i, x := range t.b[(j-t.lo)*t.N:][:t.N] {
			sum += math.Abs(x - (float64(t.N*i+j)*times + addit))
		}
	}
	return sum
}
