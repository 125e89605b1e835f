package transpose

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/apps/internal/prk"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Config describes a run.
type Config struct {
	N int // rows and columns of the matrices
	prk.Loop
}

// Validate reports an error if the kernel cannot run with c.
func (c *Config) Validate() error {
	if c.N < 1 {
		return fmt.Errorf("transpose: %d x %d matrix: want at least 1 x 1", c.N, c.N)
	}
	return c.Loop.Validate("transpose")
}

type transpose struct {
	Config
	node     *fagus.Node
	from, to *blocks   // the current A and the next one; swapped in each iteration
	b        []float64 // this rank's columns of B, one after another
	lo, hi   int       // this rank has the columns lo to hi-1
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
	parts.KeepBlock(n, "B", &t.b, cfg.N, cfg.N)
	t.fill(cfg.Resume(n))
	took, err := cfg.Timed(n, t.iterate)
	if err != nil {
		return prk.Result{}, err
	}
	cfg.PlantLast(n, cfg.N, func() { t.b[len(t.b)-1]++ })
	sum, err := fagus.Reduce(n, cfg.differences(t.b, t.lo), func(a, b float64) float64 { return a + b })
	return cfg.result(took, sum), err
}

// result returns the result; differences is the sum of absolute errors over all ranks.
func (c *Config) result(took fagus.Time, differences float64) prk.Result {
	// PRK counts each element of A and of B once, although both are read and written.
	work := 2 * 8 * float64(c.N) * float64(c.N)
	return prk.Result{Got: differences, Error: differences, Time: took, Work: work, Made: c.Made()}
}

// fill writes A(i,j) = i + nj + done, its value after so many iterations, to this rank's columns.
func (t *transpose) fill(done int) {
	me := t.node.Rank()
	t.node.Set(t.from.wantToFill()...).Do(func() {
		for reader := range t.node.Nodes() {
			lo, hi := parts.Block(t.N, t.node.Nodes(), reader)
			block := t.from.block(me, reader)
			for j := t.lo; j < t.hi; j++ {
				begin(block[(j-t.lo)*(hi-lo):][:hi-lo], t.N*j+lo+done)
			}
		}
	})
	t.node.Fence()
}

func (t *transpose) iterate(times int) error {
	n := t.node
	for range times {
		set := n.Set(slices.Concat(t.to.wantToFill(), t.from.wantOthers(), t.from.wantRows())...)
		if err := t.Step(n, set, t.turn); err != nil {
			return err
		}
		t.from, t.to = t.to, t.from
	}
	return nil
}

// turn adds this rank's rows of A to its columns of B, and computes its columns of the next A.
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
