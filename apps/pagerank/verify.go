package pagerank

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/fagus-dsm/fagus/apps/verify"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// rounding is what additions in another order may change a sum of ranks by.
const rounding = 1e-11

// finish acquires all ranks, verifies them and names the highest.
func (w *web) finish(r *verify.Result) error {
	return w.node.During(w.node.Set(w.ranks.WantAll(fagus.Shared)...), func() error {
		ranks := w.ranks.Slice()
		var sum parts.Exact
		for _, x := range ranks {
			sum.Add(x)
		}
		r.Checks = []verify.Check{
			{Name: "residual of the stationary equation", Got: w.residual(ranks), Tolerance: w.Tolerance + rounding},
			{Name: "sum of the ranks", Got: sum.Float64(), Want: 1, Tolerance: rounding},
		}
		r.Lines = append(w.top(ranks), fmt.Sprintf("%d iterations, the last changed the ranks by %.3g in all", w.rounds, w.all[1]))
		return nil
	})
}

// residual is by how much the ranks differ, in all, from what they become if every page sends
// its own along its links.
func (w *web) residual(ranks []float64) float64 {
	links := make([]int, len(ranks))
	for _, l := range w.Graph.Links {
		links[l.From]++
	}
	got, lost := make([]float64, len(ranks)), parts.Exact{}
	for _, l := range w.Graph.Links {
		got[l.To] += ranks[l.From] / float64(links[l.From])
	}
	for page, count := range links {
		if count == 0 {
			lost.Add(ranks[page])
		}
	}
	sum, pages := 0.0, float64(len(ranks))
	all := lost.Float64() / pages
	for page, x := range got {
		sum += math.Abs(ranks[page] - (w.Damping*(x+all) + (1-w.Damping)/pages))
	}
	return sum
}

// top are lines of the pages with the highest ranks.
func (w *web) top(ranks []float64) (lines []string) {
	var best []int // pages, the highest first
	higher := func(a, b int) int { return cmp.Or(cmp.Compare(ranks[b], ranks[a]), cmp.Compare(a, b)) }
	for page := range ranks {
		if w.Top == 0 || len(best) == w.Top && higher(page, best[len(best)-1]) > 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, page, higher)
		best = slices.Insert(best, at, page)
		best = best[:min(len(best), w.Top)]
	}
	for _, page := range best {
		lines = append(lines, fmt.Sprintf("page %d: %.10g", w.Graph.Name(page), ranks[page]))
	}
	return lines
}
