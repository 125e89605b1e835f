package movement

import (
	"cmp"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Multicast is what one rank sends to others by PUSH: all variables of a plan that go from the
// same owner along the same tree. Every receiver gets the same bytes, so it can pass them on
// without reading them.
type Multicast struct {
	Owner dimmnet.Rank // the root of the tree
	Items []Source     // by ID
	Edges []Edge       // of the tree; a rank's edge in comes before its edges out
}

// Edge is one hop of a multicast. A rank numbers its hops out, and its hops in, to find their
// words. Both numbers are unique within a rank and a plan.
type Edge struct {
	From, To dimmnet.Rank
	out      int // the index of the hop among the hops out of rank from
	in       int // the index of the hop among the hops into rank to
}

// NewMulticasts merges transfers, which are in the order of a plan. A multicast takes the position
// of its first transfer. rest are the multicasts with a hop without a word: its number would not
// be below words. Every rank computes the same result.
//
// If nodes is not 0, a hop has the number of the peer. If there are several hops from one rank to
// the other, multiples of nodes are added. Then the two ranks need to know no other hops.
func NewMulticasts(transfers []syncvar.Transfer, words, nodes int) (numbered, rest []Multicast) {
	index := make(map[string]int)
	var all []Multicast
	for len(transfers) > 0 {
		n := 1
		for n < len(transfers) && transfers[n].ID == transfers[0].ID {
			n++
		}
		for _, tree := range bySince(transfers[:n]) {
			key := treeKey(tree)
			i, ok := index[key]
			if !ok {
				i = len(all)
				index[key] = i
				all = append(all, Multicast{Owner: tree[0].From, Edges: treeEdges(tree)})
			}
			all[i].Items = append(all[i].Items, Source{tree[0].ID, tree[0].Since})
		}
		transfers = transfers[n:]
	}
	numbers := newHopNumbers(words, nodes)
	for _, c := range all {
		if numbers.assign(c.Edges) {
			numbered = append(numbered, c)
		} else {
			rest = append(rest, c)
		}
	}
	return numbered, rest
}

// bySince splits the transfers of a variable: receivers with the same Since get the same data.
func bySince(transfers []syncvar.Transfer) (trees [][]syncvar.Transfer) {
	sorted := slices.Clone(transfers)
	slices.SortStableFunc(sorted, func(a, b syncvar.Transfer) int { return cmp.Compare(a.Since, b.Since) })
	for lo := 0; lo < len(sorted); {
		hi := lo + 1
		for hi < len(sorted) && sorted[hi].Since == sorted[lo].Since {
			hi++
		}
		trees = append(trees, sorted[lo:hi])
		lo = hi
	}
	return trees
}

func treeKey(tree []syncvar.Transfer) string {
	key := make([]byte, 0, 4*len(tree))
	for _, t := range tree {
		key = append(key, byte(t.From), byte(t.From>>8), byte(t.To), byte(t.To>>8))
	}
	return string(key)
}

func treeEdges(tree []syncvar.Transfer) []Edge {
	edges := make([]Edge, len(tree))
	for i, t := range tree {
		edges[i] = Edge{From: t.From, To: t.To}
	}
	return edges
}

// hopNumbers numbers the hops of a plan at both of their ends.
type hopNumbers struct {
	words   int                  // every number is below this limit
	out, in map[dimmnet.Rank]int // by rank: how many hops are numbered so far

	nodes int // 0: hops are numbered one after the other
	pairs map[[2]dimmnet.Rank]int
}

func newHopNumbers(words, nodes int) hopNumbers {
	h := hopNumbers{words: words, nodes: nodes}
	if nodes > 0 {
		h.pairs = make(map[[2]dimmnet.Rank]int)
	} else {
		h.out, h.in = make(map[dimmnet.Rank]int), make(map[dimmnet.Rank]int)
	}
	return h
}

// number gives an edge its numbers.
func (h *hopNumbers) number(e *Edge) {
	if h.nodes == 0 {
		e.out, e.in = h.out[e.From], h.in[e.To]
		return
	}
	before := h.nodes * h.pairs[[2]dimmnet.Rank{e.From, e.To}]
	e.out, e.in = before+int(e.To), before+int(e.From)
}

// count counts a numbered edge, or takes it back if by is -1.
func (h *hopNumbers) count(e *Edge, by int) {
	if h.nodes > 0 {
		h.pairs[[2]dimmnet.Rank{e.From, e.To}] += by
		return
	}
	h.out[e.From] += by
	h.in[e.To] += by
}

// assign numbers all edges. If a number would reach the limit, it numbers none and returns false.
func (h *hopNumbers) assign(edges []Edge) bool {
	for i := range edges {
		e := &edges[i]
		if h.number(e); max(e.out, e.in) >= h.words {
			for j := range edges[:i] {
				h.count(&edges[j], -1)
			}
			return false
		}
		h.count(e, 1)
	}
	return true
}
