package stencil

import (
	"fmt"
	"math"

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
	case c.N < 1 || c.Radius > (c.N-1)/2:
		return fmt.Errorf("stencil: %d x %d grid: a star of radius %d needs at least %d rows and columns", c.N, c.N, c.Radius, min(2*uint64(c.Radius), math.MaxInt-1)+1)
	}
	return c.Loop.Validate("stencil")
}

// operations returns the floating-point operations per point, as PRK counts them.
func (c *Config) operations() int { return 2*(4*c.Radius+1) + 1 }

type stencil struct {
	Config
	node   *fagus.Node
	in     *parts.Grid[float64]
	lo, hi int         // this rank has the rows lo to hi-1
	halo   [][]float64 // by i-lo+Radius: a copy of row i of the halo; nil for this rank's rows
	out    []float64   // this rank's rows of the output

	toCopy, toWrite *fagus.SyncSet
}

// Run runs the kernel. Every rank calls it with the same Config.
func Run(n *fagus.Node, cfg Config) (prk.Result, error) {
	if err := cfg.Validate(); err != nil {
		return prk.Result{}, err
	}
	s := &stencil{Config: cfg, node: n}
	shape := parts.Shape{Rows: cfg.N, Columns: cfg.N, Halo: cfg.Radius}
	var err error
	if s.in, err = parts.NewGrid[float64](n, "in", shape); err != nil {
		return prk.Result{}, err
	}
	s.toCopy, s.toWrite = n.Set(s.in.WantHalo()...), n.Set(s.in.WantFill()...)
	sums, err := parts.NewExactSums(n, "norm", 1)
	if err != nil {
		return prk.Result{}, err
	}
	s.fill()
	parts.KeepBlock(n, "out", &s.out, cfg.N, cfg.N)
	cfg.Resume(n)
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
	s.lo, s.hi = s.in.Mine()
	s.out = make([]float64, (s.hi-s.lo)*s.N)
	s.halo = make([][]float64, s.hi-s.lo+2*s.Radius)
	s.eachOfHalo(func(i int) { s.halo[i-s.lo+s.Radius] = make([]float64, s.N) })
	s.toWrite.Do(func() {
		for i := s.lo; i < s.hi; i++ {
			begin(s.in.Row(i), i)
		}
	})
	s.node.Fence()
}

// eachOfHalo calls f for the rows of the halo.
func (s *stencil) eachOfHalo(f func(i int)) {
	if s.lo == s.hi {
		return
	}
	for i := max(s.lo-s.Radius, 0); i < s.lo; i++ {
		f(i)
	}
	for i := s.hi; i < min(s.hi+s.Radius, s.N); i++ {
		f(i)
	}
}

func (s *stencil) iterate(times int) error {
	for range times {
		s.toCopy.Do(func() { s.eachOfHalo(func(i int) { copy(s.halo[i-s.lo+s.Radius], s.in.Row(i)) }) })
		s.node.Fence()
		if err := s.Step(s.node, s.toWrite, s.apply); err != nil {
			return err
		}
	}
	return nil
}

func (s *stencil) row(i int) []float64 {
	if i < s.lo || i >= s.hi {
		return s.halo[i-s.lo+s.Radius]
	}
	return s.in.Row(i)
}

// apply applies the star to this rank's points, and computes its rows of the next input in place,
// each as soon as no star reads it any more.
func (s *stencil) apply() error {
	for i := s.lo; i < s.hi+s.Radius; i++ {
		if err := s.node.Err(); err != nil {
			return err
		}
		if i < s.hi && i >= s.Radius && i < s.N-s.Radius {
			star(s.out[(i-s.lo)*s.N:][:s.N], s.row, i, s.Radius)
			s.node.Spend(fagus.Time((s.N-2*s.Radius)*s.operations()) * prk.OperationTime)
		}
		if behind := i - s.Radius; behind >= s.lo {
			grow(s.in.Row(behind), s.in.Row(behind))
			s.node.Spend(fagus.Time(s.N) * prk.OperationTime)
		}
	}
	return nil
}
