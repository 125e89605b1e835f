package pagerank

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/apps/npb"
	"github.com/fagus-dsm/fagus/apps/verify"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Config describes a run.
type Config struct {
	// Graph is what is ranked. Nobody changes it: ranks of one process may have the same.
	Graph *Graph
	// Damping is the probability that a reader follows a link: at least 0, and less than 1.
	Damping float64
	// Tolerance ends the iterations: the sum over all pages of what the rank changes.
	Tolerance float64
	// Iterations is the most that are done; if that is not enough, the result is wrong.
	Iterations int
	// Top is how many pages of the highest rank the result has lines of.
	Top int
	// Progress, if not nil, is called at rank 0 after each iteration with 1.
	Progress func(iterations int)
	// Spoil makes the rank of the last page wrong: for those who want to see that it is found.
	Spoil bool
}

const (
	minTolerance  = 1e-13 // what rounding leaves
	maxIterations = 1 << 20
	pollPages     = 1 << 14 // between two looks at whether the run goes on
)

// Validate reports what cannot be run.
func (c *Config) Validate() error {
	switch {
	case c.Graph == nil:
		return fmt.Errorf("pagerank: no graph")
	case !(c.Damping >= 0 && c.Damping < 1): // this way round for NaN
		return fmt.Errorf("pagerank: damping %g: want at least 0, and less than 1", c.Damping)
	case !(c.Tolerance >= minTolerance && c.Tolerance < 1):
		return fmt.Errorf("pagerank: tolerance %g: want at least %g, and less than 1", c.Tolerance, minTolerance)
	case c.Iterations < 1 || c.Iterations > maxIterations:
		return fmt.Errorf("pagerank: %d iterations: want 1 to %d", c.Iterations, maxIterations)
	case c.Top < 0:
		return fmt.Errorf("pagerank: lines of %d pages: want at least 0", c.Top)
	}
	return c.Graph.Validate()
}

// web is the program's data: those of all ranks, and this rank's.
type web struct {
	ranking
	node  *fagus.Node
	given [2]*parts.Blocks[float64] // by page: what it gives along each link; in turn
	ranks *parts.Blocks[float64]    // by page, in the end
	sums  *parts.ExactSums
}

// Run ranks the pages. Every rank calls it with the same Config. Operations are two a link, and four a
// page, in each round but the first.
func Run(n *fagus.Node, cfg Config) (verify.Result, error) {
	if err := cfg.Validate(); err != nil {
		return verify.Result{}, err
	}
	w := web{ranking: ranking{Config: cfg}, node: n}
	if err := w.declare(); err != nil {
		return verify.Result{}, err
	}
	lo, hi := w.ranks.Items(n.Rank())
	w.have(lo, hi)
	took, err := parts.Timed(n, w.iterate)
	if err != nil {
		return verify.Result{}, err
	}
	if err := w.handIn(); err != nil {
		return verify.Result{}, err
	}
	if n.Rank() != 0 {
		return verify.Result{Time: took}, nil
	}
	var r verify.Result
	err = n.During(n.Set(w.ranks.WantAll(fagus.Shared)...), func() error {
		r = w.result(took, w.ranks.Slice())
		return nil
	})
	return r, err
}

// declare makes the arrays and binds the variables, the same at every rank.
func (w *web) declare() (err error) {
	for i := range w.given {
		if w.given[i], err = parts.NewBlocks[float64](w.node, fmt.Sprintf("given/%d", i), w.Graph.Pages, 1); err != nil {
			return err
		}
	}
	if w.ranks, err = parts.NewBlocks[float64](w.node, "ranks", w.Graph.Pages, 1); err != nil {
		return err
	}
	w.sums, err = parts.NewExactSums(w.node, "sums", totals)
	return err
}

// iterate begins with the same rank for all, and ends when they hardly change.
func (w *web) iterate() error {
	n, from, to := w.node, w.given[0], w.given[1]
	if err := w.round(n.Set(from.WantMine(fagus.Exclusive)...), from, nil); err != nil {
		return err
	}
	for !w.done() {
		set := n.Set(slices.Concat(to.WantMine(fagus.Exclusive), from.WantAll(fagus.Shared))...)
		if err := w.round(set, to, from.Slice()); err != nil {
			return err
		}
		from, to = to, from
		if w.Progress != nil && n.Rank() == 0 {
			w.Progress(1)
		}
	}
	return nil
}

// round gives every page of this rank its next rank, of what it is given, or its first one if that is nil.
func (w *web) round(set *fagus.SyncSet, to *parts.Blocks[float64], given []float64) error {
	all := make([]parts.Exact, totals)
	if err := w.node.During(set, func() error {
		gives := to.Mine()
		for lo := 0; lo < len(gives); lo += pollPages {
			if err := w.node.Err(); err != nil {
				return err
			}
			w.rank(lo, min(lo+pollPages, len(gives)), given, gives, all)
		}
		w.node.Spend(fagus.Time(operations(len(w.pages), len(w.mine))) * npb.OperationTime)
		return nil
	}); err != nil {
		return err
	}
	if err := w.sums.Add(all); err != nil {
		return err
	}
	w.end(all)
	return nil
}

// handIn writes the ranks where rank 0 finds them.
func (w *web) handIn() error {
	if err := w.node.During(w.node.Set(w.ranks.WantMine(fagus.Exclusive)...), func() error {
		copy(w.ranks.Mine(), w.mine)
		if _, hi := w.ranks.Items(w.node.Rank()); w.Spoil && len(w.mine) > 0 && hi == w.Graph.Pages {
			spoil(w.ranks.Mine())
		}
		return nil
	}); err != nil {
		return err
	}
	return w.node.Barrier()
}
