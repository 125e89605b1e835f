package pagerank

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Config describes a run.
type Config struct {
	// Graph is the graph to rank. Run does not change it, so ranks in one process may share it.
	Graph *Graph
	// Damping is the probability of following a link: at least 0, and less than 1.
	Damping float64
	// Tolerance ends the iterations when the total change of all ranks is at most Tolerance.
	Tolerance float64
	// Iterations is the largest number of iterations. A result that has not converged by then
	// fails verification.
	Iterations int
	// Top is the number of highest-ranked pages to list in the result.
	Top int
	// Progress counts iterations at rank 0. Spoil makes the rank of the last page wrong.
	verify.Options
}

const (
	minTolerance  = 1e-13 // below 1e-13 rounding dominates
	maxIterations = 1 << 20
	pollPages     = 1 << 14 // pages between two checks of Node.Err
)

// Validate reports an error if the program cannot run with c.
func (c *Config) Validate() error {
	switch {
	case c.Graph == nil:
		return fmt.Errorf("pagerank: Config.Graph is nil: want a graph")
	case !(c.Damping >= 0 && c.Damping < 1): // written so that NaN fails
		return fmt.Errorf("pagerank: damping %g: want at least 0 and less than 1", c.Damping)
	case !(c.Tolerance >= minTolerance && c.Tolerance < 1):
		return fmt.Errorf("pagerank: tolerance %g: want at least %g and less than 1", c.Tolerance, minTolerance)
	case c.Iterations < 1 || c.Iterations > maxIterations:
		return fmt.Errorf("pagerank: %d iterations: want 1 to %d", c.Iterations, maxIterations)
	case c.Top < 0:
		return fmt.Errorf("pagerank: top %d pages: want at least 0", c.Top)
	}
	return c.Graph.Validate()
}

type web struct {
	ranking
	node  *fagus.Node
	given *parts.Whole[float64]   // by page: its contribution along each link
	ranks *parts.Vectors[float64] // of each node's pages, gathered at the end
	sums  *parts.ExactSums
}

// Run ranks the pages. Every rank calls it with the same Config. The operations of the result are
// two per link and four per page in each round but the first.
func Run(n *fagus.Node, cfg Config) (verify.Result, error) {
	if err := cfg.Validate(); err != nil {
		return verify.Result{}, err
	}
	w := web{ranking: ranking{Config: cfg}, node: n}
	if err := w.declare(); err != nil {
		return verify.Result{}, err
	}
	lo, hi := w.given.Items(n.Rank())
	w.have(lo, hi)
	took, err := parts.Timed(n, w.iterate)
	if err != nil {
		return verify.Result{}, err
	}
	w.PlantLast(n, w.Graph.Pages, func() { spoil(w.mine) })
	r := verify.Result{Time: took}
	var check func([][]float64)
	if n.Rank() == 0 {
		check = func(ranks [][]float64) { r = w.result(took, slices.Concat(ranks...)) }
	}
	err = w.ranks.Gather(w.mine, check)
	return r, err
}

func (w *web) declare() (err error) {
	if w.given, err = parts.NewWhole[float64](w.node, "given", w.Graph.Pages); err != nil {
		return err
	}
	_, most := parts.Block(w.Graph.Pages, w.node.Nodes(), 0)
	if w.ranks, err = parts.NewVectors[float64](w.node, "ranks", most); err != nil {
		return err
	}
	w.sums, err = parts.NewExactSums(w.node, "sums", totals)
	return err
}

// iterate starts from equal ranks, and stops when their total change is at most Tolerance.
func (w *web) iterate() error {
	first := make([]parts.Exact, totals)
	if err := w.given.Fill(func(gives []float64) { w.round(nil, gives, first) }); err != nil {
		return err
	}
	if err := w.add(first); err != nil {
		return err
	}
	parts.KeepBlock(w.node, "mine", &w.mine, w.Graph.Pages, 1)
	w.given.Keep()
	w.node.Resume(&w.rounds, &w.lost, &w.changed)
	w.begun = w.rounds
	for !w.done() {
		all := make([]parts.Exact, totals)
		if err := w.given.Next(func(given, gives []float64) { w.round(given, gives, all) }); err != nil {
			return err
		}
		if err := w.add(all); err != nil {
			return err
		}
		w.AdvanceTogether(w.node, 1)
		w.node.Checkpoint()
	}
	return nil
}

// round computes the ranks of this node's pages from given, or the first ranks if given is nil.
func (w *web) round(given, gives []float64, all []parts.Exact) {
	for lo := 0; lo < len(gives) && w.node.Err() == nil; lo += pollPages {
		w.rank(lo, min(lo+pollPages, len(gives)), given, gives, all)
	}
	w.node.Spend(fagus.Time(operations(len(w.pages), len(w.mine))) * npb.OperationTime)
}

// add adds up the sums of all nodes, and ends the round.
func (w *web) add(all []parts.Exact) error {
	if err := w.sums.Add(all); err != nil {
		return err
	}
	w.end(all)
	return nil
}
