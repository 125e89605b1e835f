package pagerank

import (
	"math"

	"github.com/fagus-dsm/fagus/fagus/parts"
)

// ranking computes the ranks of some pages, round by round. It knows nothing of nodes.
type ranking struct {
	Config
	incoming           // the links to its pages
	mine     []float64 // the ranks of its pages
	lost     float64   // the total rank of pages without links
	changed  float64   // the total change of all ranks
	rounds   int       // -1 before the first ranks
	begun    int       // rounds of the runs that this one resumes
}

// totals is the number of sums in a round.
const totals = 2

func (k *ranking) have(lo, hi int) {
	k.incoming = links(k.Graph, lo, hi)
	k.mine = make([]float64, hi-lo)
	k.rounds = -1
}

func (k *ranking) done() bool {
	return k.rounds >= k.Iterations || k.rounds > 0 && k.changed <= k.Tolerance
}

// base returns the part of a page's rank that does not come from links.
func (k *ranking) base() float64 {
	if k.rounds < 0 {
		return 1 / float64(k.Graph.Pages)
	}
	return (1 - k.Damping + k.Damping*k.lost) / float64(k.Graph.Pages)
}

// rank computes the next ranks of the pages lo to hi-1 of this ranking: the base plus the
// contributions in given, unless given is nil. It stores the contributions of these pages in
// gives. It adds their lost ranks and their changes to the sums in the slice all.
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

func (k *ranking) end(all []parts.Exact) {
	k.lost, k.changed = all[0].Float64(), all[1].Float64()
	k.rounds++
}

func operations(links, pages int) float64 { return 2*float64(links) + 4*float64(pages) }
func spoil(ranks []float64)               { ranks[len(ranks)-1] *= 1.5 }
