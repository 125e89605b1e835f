package sor

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Tolerance is the largest accepted difference from the solution. The largest value of the
// solution is 1.
const Tolerance = 1e-8

// Config describes a run.
type Config struct {
	N          int // rows and columns of the grid, including the border
	Iterations int // each relaxes all points; 0 means 5 N
	// Progress counts iterations at rank 0. Spoil makes the last point wrong.
	verify.Options
}

const maxIterations = 1 << 30

// Validate reports an error if the program cannot run with c.
func (c *Config) Validate() error {
	switch {
	case c.N < 3:
		return fmt.Errorf("sor: %d x %d grid: want at least 3 x 3", c.N, c.N)
	case c.Iterations < 0 || c.Iterations > maxIterations:
		return fmt.Errorf("sor: %d iterations: want 1 to %d, or 0 for the default", c.Iterations, maxIterations)
	}
	return nil
}

// Total returns the number of iterations.
func (c *Config) Total() int {
	if c.Iterations == 0 {
		return 5 * c.N
	}
	return c.Iterations
}

// Result is the outcome at one rank.
type Result struct {
	Error float64    // largest difference from the solution, over all ranks
	Time  fagus.Time // of all iterations
}

// A point costs six operations of 10 ns: a Pentium III at 950 MHz performs about 100 Mflop/s.
const (
	operations    = 6
	operationTime = 10 * fagus.Nanosecond
)

type sor struct {
	board
	node   *fagus.Node
	colour [2]*parts.Grid[float64]
}

// Run runs the program. Every rank calls it with the same Config.
func Run(n *fagus.Node, cfg Config) (Result, error) {
	if err := cfg.Validate(); err != nil {
		return Result{}, err
	}
	s := &sor{board: newBoard(cfg), node: n}
	for c, name := range []string{"red", "black"} {
		var err error
		s.colour[c], err = parts.NewGrid[float64](n, name, parts.Shape{Rows: cfg.N, Columns: s.columns, Halo: 1})
		if err != nil {
			return Result{}, err
		}
		s.points[c] = s.colour[c].Slice()
	}
	lo, hi := s.colour[0].Mine()
	all := n.Set(slices.Concat(s.colour[0].WantFill(), s.colour[1].WantFill())...)
	if !n.Resume() {
		all.Do(func() { s.fillBorder(lo, hi) })
	}
	var r Result
	r.Time, _ = parts.Timed(n, s.iterate)
	farthest := 0.0
	all.Do(func() {
		cfg.PlantLast(n, cfg.N, s.spoil)
		farthest = s.farthest(lo, hi)
	})
	var err error
	r.Error, err = fagus.Reduce(n, farthest, func(a, b float64) float64 { return max(a, b) })
	return r, err
}

func (s *sor) iterate() error {
	n := s.node
	var sets [2]*fagus.SyncSet
	for c, to := range s.colour {
		from := s.colour[1-c]
		sets[c] = n.Set(slices.Concat(to.WantFill(), from.WantMine(fagus.Shared), from.WantHalo())...)
	}
	for range n.Steps(s.Total()) {
		for c, set := range sets {
			set.Do(func() { s.relax(c) })
			n.Fence()
		}
		s.AdvanceTogether(n, 1)
	}
	n.Checkpoint() // of the result, for fagus checkpoint export
	return n.Err()
}

func (s *sor) relax(c int) {
	lo, hi := s.colour[c].Mine()
	lo, hi = max(lo, 1), min(hi, s.N-1)
	s.board.relax(c, lo, hi)
	s.node.Spend(fagus.Time(max(hi-lo, 0)*s.N/2*operations) * operationTime)
}
