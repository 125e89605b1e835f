package pagerank

import (
	"math"

	"github.com/fagus-dsm/fagus/fagus/parts"
)

// ranking are the ranks of some pages, round by round. It knows nothing of other nodes.
type ranking struct {
	Config
	incoming           // links of its pages
	mine     []float64 // the ranks of its pages
	lost     float64   // what pages without links have in all
	changed  float64   // how much the ranks of all pages changed in all
	rounds   int       // -1 before the first ranks
}

// totals is how many numbers are added up in a round.
const totals = 2

// have makes it the ranking of pages lo up to but not including hi.
func (k *ranking) have(lo, hi int) {
	k.incoming = links(k.Graph, lo, hi)
	k.mine = make([]float64, hi-lo)
	k.rounds = -1
}

// done says whether there is nothing more to iterate.
func (k *ranking) done() bool {
	return k.rounds >= k.Iterations || k.rounds > 0 && k.changed <= k.Tolerance
}

// base is what every page has, whoever links to it.
func (k *ranking) base() float64 {
	if k.rounds < 0 {
		return 1 / float64(k.Graph.Pages)
	}
	return (1 - k.Damping + k.Damping*k.lost) / float64(k.Graph.Pages)
}

// rank gives its pages lo up to but not including hi their next ranks: the base, and what they are given, if that
// is not nil. It says what they give along each link, and adds to all what they lose and change.
func (k *ranking) rank(lo, hi int, given, gives []float64, all []parts.Exact) {
	base := k.base()
	for i := lo; i < hi; i++ {
		x, share := base, k.share[i]
		if given != nil {
			sum := 0.0
			for _, page := range k.pages[k.first[i]:k.first[i+1]] {
				sum += given[page]
			}
			x += k.Damping * sum
		}
		all[1].Add(math.Abs(x - k.mine[i]))
		k.mine[i], gives[i] = x, x*share
		if share == 0 {
			all[0].Add(x)
		}
	}
}

// end ends a round, of which all are the totals of all pages.
func (k *ranking) end(all []parts.Exact) {
	k.lost, k.changed = all[0].Float64(), all[1].Float64()
	k.rounds++
}

// operations are those of a round.
func operations(links, pages int) float64 { return 2*float64(links) + 4*float64(pages) }

// spoil makes the last rank wrong.
func spoil(ranks []float64) { ranks[len(ranks)-1] *= 1.5 }
