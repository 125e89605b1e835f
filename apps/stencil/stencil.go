package stencil

import (
	"fmt"

	"github.com/fagus-dsm/fagus/apps/internal/prk"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Config describes a run.
type Config struct {
	N      int // rows and columns of the grid
	Radius int // of the star
	prk.Loop
}

// Validate reports an error if the kernel cannot run with c.
func (c *Config) Validate() error {
	switch {
	case c.Radius < 1:
		return fmt.Errorf("stencil: radius %d: want at least 1", c.Radius)
	case c.N <= 2*c.Radius:
		return fmt.Errorf("stencil: %d x %d grid: a star of radius %d needs at least %d rows and columns", c.N, c.N, c.Radius, 2*c.Radius+1)
	}
	return c.Loop.Validate("stencil")
}

// operations returns the floating-point operations per point, as PRK counts them.
func (c *Config) operations() int { return 2*(4*c.Radius+1) + 1 }

type stencil struct {
	Config
	node *fagus.Node
	in   *parts.Pair[float64]
	out  []float64 // this rank's rows of the output
}

// Run runs the kernel. Every rank calls it with the same Config.
func Run(n *fagus.Node, cfg Config) (prk.Result, error) {
	if err := cfg.Validate(); err != nil {
		return prk.Result{}, err
	}
	s := &stencil{Config: cfg, node: n}
	shape := parts.Shape{Rows: cfg.N, Columns: cfg.N, Halo: cfg.Radius}
	var err error
	if s.in, err = parts.NewPair[float64](n, "in", shape); err != nil {
		return prk.Result{}, err
	}
	sums, err := parts.NewExactSums(n, "norm", 1)
	if err != nil {
		return prk.Result{}, err
	}
	s.fill()
	took, err := cfg.Timed(n, s.iterate)
	if err != nil {
		return prk.Result{}, err
	}
	cfg.PlantLast(n, cfg.N, func() { cfg.spoil(s.out) })
	norm := []parts.Exact{norm(s.out)}
	if err := sums.Add(norm); err != nil {
		return prk.Result{}, err
	}
	return cfg.result(took, &norm[0]), nil
}

func (s *stencil) fill() {
	lo, hi := s.in.Now.Mine()
	s.out = make([]float64, (hi-lo)*s.N)
	s.in.Fill(func() error {
		for i := lo; i < hi; i++ {
			begin(s.in.Next.Row(i), i)
		}
		return nil
	})
}

func (s *stencil) iterate(times int) error {
	for range times {
		if err := s.in.Step(s.apply); err != nil {
			return err
		}
		s.AdvanceTogether(s.node, 1)
	}
	return nil
}

// apply applies the star to this rank's points, and computes its rows of the next input.
func (s *stencil) apply() error {
	lo, hi := s.in.Now.Mine()
	for i := lo; i < hi; i++ {
		if err := s.node.Err(); err != nil {
			return err
		}
		if i >= s.Radius && i < s.N-s.Radius {
			star(s.out[(i-lo)*s.N:][:s.N], s.in.Now.Row, i, s.Radius)
			s.node.Spend(fagus.Time((s.N-2*s.Radius)*s.operations()) * prk.OperationTime)
		}
		grow(s.in.Next.Row(i), s.in.Now.Row(i))
		s.node.Spend(fagus.Time(s.N) * prk.OperationTime)
	}
	return nil
}
