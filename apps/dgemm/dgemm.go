package dgemm

import (
	"fmt"
	"math"
	"slices"

	"github.com/fagus-dsm/fagus/apps/gemm"
	"github.com/fagus-dsm/fagus/apps/prk"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Config describes a run.
type Config struct {
	N int // rows and columns
	prk.Loop
}

// maxN bounds a matrix: 2 TiB.
const maxN = 1 << 19

// Validate reports what cannot be run.
func (c *Config) Validate() error {
	if c.N < 2 || c.N > maxN { // of 1 x 1 the closed form is 0
		return fmt.Errorf("dgemm: matrices of %d x %d: want 2 x 2 to %d x %[3]d", c.N, c.N, maxN)
	}
	return c.Loop.Validate("dgemm")
}

// operations are those of so many rows of C, as PRK counts them.
func (c *Config) operations(rows int) float64 { return 2 * float64(rows) * float64(c.N) * float64(c.N) }

// result is what came of the sum of all elements of C.
func (c *Config) result(sum *parts.Exact, took fagus.Time) prk.Result {
	n := float64(c.N)
	r := prk.Result{
		Got: sum.Float64(), Want: 0.25 * n * n * n * (n - 1) * (n - 1) * float64(c.Total()),
		Time: took, Work: c.operations(c.N) * float64(c.Iterations),
	}
	r.Error = math.Abs(r.Got-r.Want) / r.Want
	return r
}

// product is the program's data.
type product struct {
	Config
	node    *fagus.Node
	a, b, c *parts.Blocks[float64] // of rows
	packed  *gemm.Matrix           // B, from the first iteration on
}

// Run runs the kernel. Every rank calls it with the same Config.
func Run(n *fagus.Node, cfg Config) (prk.Result, error) {
	if err := cfg.Validate(); err != nil {
		return prk.Result{}, err
	}
	p := &product{Config: cfg, node: n}
	if err := p.declare(); err != nil {
		return prk.Result{}, err
	}
	sums, err := parts.NewExactSums(n, "checksum", 1)
	if err != nil {
		return prk.Result{}, err
	}
	if err := p.fill(); err != nil {
		return prk.Result{}, err
	}
	set := n.Set(slices.Concat(p.a.WantMine(fagus.Shared), p.b.WantAll(fagus.Shared), p.c.WantFill())...)
	took, err := cfg.Timed(n, func(times int) error {
		return n.During(set, func() error { return p.iterate(times) })
	})
	if err != nil {
		return prk.Result{}, err
	}
	sum := make([]parts.Exact, 1)
	if err := n.During(n.Set(p.c.WantMine(fagus.Exclusive)...), func() error {
		mine := p.c.Mine()
		if cfg.Spoils(n, cfg.N) {
			spoil(&cfg, mine)
		}
		add(&sum[0], mine)
		return nil
	}); err != nil {
		return prk.Result{}, err
	}
	err = sums.Add(sum)
	return cfg.result(&sum[0], took), err
}

// declare makes the arrays and binds the variables, the same at every rank.
func (p *product) declare() (err error) {
	if p.a, err = parts.NewBlocks[float64](p.node, "A", p.N, p.N); err != nil {
		return err
	}
	if p.b, err = parts.NewBlocks[float64](p.node, "B", p.N, p.N); err != nil {
		return err
	}
	p.c, err = parts.NewBlocks[float64](p.node, "C", p.N, p.N)
	return err
}

// fill writes this rank's rows of A and B. C is 0.
func (p *product) fill() error {
	if err := p.node.During(p.node.Set(slices.Concat(p.a.WantFill(), p.b.WantFill())...), func() error {
		fill(p.a.Mine(), p.N)
		fill(p.b.Mine(), p.N)
		return nil
	}); err != nil {
		return err
	}
	return p.node.Barrier()
}

// iterate multiplies this rank's rows.
func (p *product) iterate(times int) error {
	if p.packed == nil {
		p.packed = gemm.Pack(p.b.Slice(), p.N, p.N)
	}
	chunk := max(minChunk, chunkSteps/(p.N*p.N)) * p.N
	for range times {
		for a, c := p.a.Mine(), p.c.Mine(); len(c) > 0; {
			if err := p.node.Err(); err != nil {
				return err
			}
			here := min(chunk, len(c))
			p.packed.AddTo(c, p.N, a, p.N, here/p.N)
			p.node.Spend(fagus.Time(p.operations(here/p.N)) * prk.OperationTime)
			a, c = a[here:], c[here:]
		}
		p.Advance(p.node)
	}
	return nil
}

// Between two looks at Node.Err are some 100 ms, but so many rows that B is worth reading.
const (
	chunkSteps = 1 << 31
	minChunk   = 128
)

// fill makes the elements of rows the numbers of their columns.
func fill(rows []float64, columns int) {
	for ; len(rows) > 0; rows = rows[columns:] {
		for j := range columns {
			rows[j] = float64(j)
		}
	}
}

// add adds up all elements.
func add(sum *parts.Exact, c []float64) {
	for _, x := range c {
		sum.Add(x)
	}
}

// spoil makes the last element of C wrong by as much as all of it should have.
func spoil(cfg *Config, c []float64) {
	c[len(c)-1] += cfg.result(new(parts.Exact), 0).Want
}
