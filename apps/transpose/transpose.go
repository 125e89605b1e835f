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
	took, err := cfg.Timed(n, t.iterate)
	if err != nil {
		return prk.Result{}, err
	}
	if cfg.Spoils(n, cfg.N) {
		t.b[len(t.b)-1]++
	}
	sum, err := fagus.Reduce(n, cfg.differences(t.b, t.lo), func(a, b float64) float64 { return a + b })
	return cfg.result(took, sum), err
}

// result follows from the sum of all differences.
func (c *Config) result(took fagus.Time, differences float64) prk.Result {
	// PRK counts each element of A and of B once, though both are read and written.
	work := 2 * 8 * float64(c.N) * float64(c.N) * float64(c.Iterations)
	return prk.Result{Got: differences, Error: differences, Time: took, Work: work}
}

// fill makes A(i,j) = i + nj.
func (t *transpose) fill() error {
	me := t.node.Rank()
	err := t.node.During(t.node.Set(t.from.wantToFill()...), func() error {
		for reader := range t.node.Nodes() {
			lo, hi := parts.Block(t.N, t.node.Nodes(), reader)
			block := t.from.block(me, reader)
			for j := t.lo; j < t.hi; j++ {
				begin(block[(j-t.lo)*(hi-lo):][:hi-lo], t.N*j+lo)
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
		grow(t.to.block(n.Rank(), rank), t.from.block(n.Rank(), rank))
		n.Spend(fagus.Time(2*8*(hi-lo)*(t.hi-t.lo)) * prk.ByteTime)
	}
	return nil
}

// differences are those of some columns of B, from lo on, to the closed form, added up.
func (c *Config) differences(b []float64, lo int) (sum float64) {
	times := float64(c.Total())
	addit := times * float64(c.Iterations) / 2
	for at, x := range b {
		i, j := at%c.N, lo+at/c.N
		sum += math.Abs(x - (float64(c.N*i+j)*times + addit))
	}
	return sum
}
