package pagerank

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// rounding is the largest change of a sum of ranks by adding in another order.
const rounding = 1e-11

func (k *ranking) result(took fagus.Time, ranks []float64) verify.Result {
	var sum parts.Exact
	for _, x := range ranks {
		sum.Add(x)
	}
	return verify.Result{
		Time: took, Operations: float64(k.rounds-k.begun) * operations(len(k.Graph.Links), k.Graph.Pages),
		Checks: []verify.Check{
			{Name: "residual of the stationary equation", Got: k.residual(ranks), Tolerance: k.Tolerance + rounding},
			{Name: "sum of the ranks", Got: sum.Float64(), Want: 1, Tolerance: rounding},
		},
		Lines: append(k.top(ranks), fmt.Sprintf("%d iterations, the last changed the ranks by %.3g in all", k.rounds, k.changed)),
	}
}

// residual returns the sum of the differences between the ranks and the ranks of the next
// iteration. It computes that iteration by another algorithm: every page distributes its rank
// along its links.
func (k *ranking) residual(ranks []float64) float64 {
	links := make([]int, len(ranks))
	for _, l := range k.Graph.Links {
		links[l.From]++
	}
	got, lost := make([]float64, len(ranks)), parts.Exact{}
	for _, l := range k.Graph.Links {
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
		sum += math.Abs(ranks[page] - (k.Damping*(x+all) + (1-k.Damping)/pages))
	}
	return sum
}

func (k *ranking) top(ranks []float64) (lines []string) {
	var best []int // pages, the highest rank first
	higher := func(a, b int) int { return cmp.Or(cmp.Compare(ranks[b], ranks[a]), cmp.Compare(a, b)) }
	for page := range ranks {
		if k.Top == 0 || len(best) == k.Top && higher(page, best[len(best)-1]) > 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, page, higher)
		best = slices.Insert(best, at, page)
		best = best[:min(len(best), k.Top)]
	}
	for _, page := range best {
		lines = append(lines, fmt.Sprintf("page %d: %.10g", k.Graph.Name(page), ranks[page]))
	}
	return lines
}
