package sor

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Tolerance is how far from the solution a point may be. The largest value is 1.
const Tolerance = 1e-8

// Config describes a run.
type Config struct {
	N          int // rows and columns of the grid, the border included
	Iterations int // over all points; 0 stands for 5 N
	// Progress, if not nil, is called at rank 0 with the iterations just finished.
	Progress func(iterations int)
	// Spoil makes one number, the last, wrong: for those who want to see that it is found.
	Spoil bool
}

// Validate reports what cannot be run.
func (c *Config) Validate() error {
	switch {
	case c.N < 3:
		return fmt.Errorf("sor: a grid of %d x %d: want at least 3 x 3", c.N, c.N)
	case c.Iterations < 0:
		return fmt.Errorf("sor: %d iterations: want at least 1, or 0 for as many as it takes", c.Iterations)
	}
	return nil
}

// Total is how many iterations there are.
func (c *Config) Total() int {
	if c.Iterations == 0 {
		return 5 * c.N
	}
	return c.Iterations
}

// Result is what a rank has in the end.
type Result struct {
	Error float64    // the largest difference to the solution, of all ranks
	Time  fagus.Time // of all iterations
}

// operations are those of one point, of operationTime each on a simulated machine: 100 Mflop/s are about
// those of a Pentium III at 950 MHz.
const (
	operations    = 6
	operationTime = 10 * fagus.Nanosecond
)

// sor is the program's data.
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
	if err := n.During(all, func() error { s.fillBorder(lo, hi); return nil }); err != nil {
		return Result{}, err
	}
	var r Result
	var err error
	if r.Time, err = parts.Timed(n, s.iterate); err != nil {
		return r, err
	}
	farthest := 0.0
	if err := n.During(all, func() error {
		if cfg.Spoil && lo < hi && hi == cfg.N {
			s.spoil()
		}
		farthest = s.farthest(lo, hi)
		return nil
	}); err != nil {
		return r, err
	}
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
	for range s.Total() {
		for c, set := range sets {
			if err := n.During(set, func() error { s.relax(c); return nil }); err != nil {
				return err
			}
			if err := n.Barrier(); err != nil {
				return err
			}
		}
		if s.Progress != nil && n.Rank() == 0 {
			s.Progress(1)
		}
	}
	return nil
}

// relax changes this rank's points of a colour.
func (s *sor) relax(c int) {
	lo, hi := s.colour[c].Mine()
	lo, hi = max(lo, 1), min(hi, s.N-1)
	s.board.relax(c, lo, hi)
	s.node.Spend(fagus.Time(max(hi-lo, 0)*s.N/2*operations) * operationTime)
}
