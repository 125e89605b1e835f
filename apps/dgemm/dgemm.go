package dgemm

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/apps/internal/gemm"
	"github.com/fagus-dsm/fagus/apps/internal/prk"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Config describes a run.
type Config struct {
	N int // rows and columns of the matrices
	prk.Loop
}

// maxN limits a matrix to 2 TiB.
const maxN = 1 << 19

// Validate reports an error if the kernel cannot run with c.
func (c *Config) Validate() error {
	if c.N < 2 || c.N > maxN { // the expected checksum of a 1 x 1 matrix is 0
		return fmt.Errorf("dgemm: %d x %d matrices: want 2 x 2 to %d x %[3]d", c.N, c.N, maxN)
	}
	return c.Loop.Validate("dgemm")
}

// operations returns the floating-point operations of some rows of C, as PRK counts them.
func (c *Config) operations(rows int) float64 { return 2 * float64(rows) * float64(c.N) * float64(c.N) }

// result returns the result; sum is the sum of all elements of C.
func (c *Config) result(sum *parts.Exact, took fagus.Time) prk.Result {
	n := float64(c.N)
	return prk.Result{
		Got: sum.Float64(), Want: 0.25 * n * n * n * (n - 1) * (n - 1) * float64(c.Total()),
		Time: took, Work: c.operations(c.N), Made: c.Made(),
	}.Relative()
}

type product struct {
	Config
	node    *fagus.Node
	a, b, c *parts.Blocks[float64] // in blocks of rows
	product gemm.Product
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
	p.fill()
	cfg.Resume(n)
	set := n.Set(slices.Concat(p.a.WantMine(fagus.Shared), p.b.WantAll(fagus.Shared), p.c.WantFill())...)
	took, err := cfg.Timed(n, func(times int) error {
		return n.During(set, func() error { return p.iterate(times) })
	})
	if err != nil {
		return prk.Result{}, err
	}
	sum := make([]parts.Exact, 1)
	n.Set(p.c.WantMine(fagus.Exclusive)...).Do(func() {
		mine := p.c.Mine()
		cfg.PlantLast(n, cfg.N, func() { spoil(&cfg, mine) })
		add(&sum[0], mine)
	})
	err = sums.Add(sum)
	return cfg.result(&sum[0], took), err
}

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

func (p *product) fill() {
	p.node.Set(slices.Concat(p.a.WantFill(), p.b.WantFill())...).Do(func() {
		fill(p.a.Mine(), p.N)
		fill(p.b.Mine(), p.N)
	})
	p.node.Fence()
}

// iterate multiplies this rank's rows the given number of times. The caller holds these rows.
func (p *product) iterate(times int) error {
	a, b, c := p.a.Mine(), p.b.Slice(), p.c.Mine()
	for range times {
		done := 0
		p.product.Add(c, p.N, a, p.N, len(c)/p.N, b, p.N, p.N, func(rows int) bool {
			p.node.Spend(fagus.Time(p.operations(rows-done)) * prk.OperationTime)
			done = rows
			return p.node.Err() == nil
		})
		if err := p.node.Err(); err != nil {
			return err
		}
		p.AdvanceTogether(p.node, 1)
	}
	return nil
}

// fill sets every element of some rows to its column index.
func fill(rows []float64, columns int) {
	for ; len(rows) > 0; rows = rows[columns:] {
		for j := range columns {
			rows[j] = float64(j)
		}
	}
}

func add(sum *parts.Exact, c []float64) {
	for _, x := range c {
		sum.Add(x)
	}
}

// spoil adds the expected checksum to the last element of C, which doubles the checksum.
func spoil(cfg *Config, c []float64) { c[len(c)-1] += cfg.result(new(parts.Exact), 0).Want }
