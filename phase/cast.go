package phase

import (
	"cmp"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// cast is what one rank brings to others by PUSH: all variables of a plan that
// go from the same owner along the same tree. So every receiver gets the same
// bytes, and passes them on unread.
type cast struct {
	items []source // what moves, by ID
	edges []edge   // a rank's edge in comes before its edges out
}

// edge is one hop of a cast. Each end has a row of words for its hops, and
// numbers them alike; numbers are unique within a rank and a plan.
type edge struct {
	from, to dimmnet.Rank
	out      int // its number among the hops out of from
	in       int // its number among the hops into to
}

// newCasts merges transfers, which come in the order of a plan. A cast takes the
// place of its first transfer. Those whose hops find no number below words are
// returned as rest. Every rank comes to the same result.
func newCasts(transfers []syncvar.Transfer, words int) (casts, rest []cast) {
	place := make(map[string]int)
	var all []cast
	for len(transfers) > 0 {
		n := 1
		for n < len(transfers) && transfers[n].ID == transfers[0].ID {
			n++
		}
		for _, tree := range bySince(transfers[:n]) {
			key := treeKey(tree)
			i, ok := place[key]
			if !ok {
				i = len(all)
				place[key] = i
				all = append(all, cast{edges: treeEdges(tree)})
			}
			all[i].items = append(all[i].items, source{tree[0].ID, tree[0].Since})
		}
		transfers = transfers[n:]
	}
	count := counter{words: words, out: make(map[dimmnet.Rank]int), in: make(map[dimmnet.Rank]int)}
	for _, c := range all {
		if count.number(c.edges) {
			casts = append(casts, c)
		} else {
			rest = append(rest, c)
		}
	}
	return casts, rest
}

// bySince splits the transfers of one variable into trees: whoever has the same
// version gets the same data.
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

// treeKey is equal for equal trees only.
func treeKey(tree []syncvar.Transfer) string {
	key := make([]byte, 0, 4*len(tree))
	for _, t := range tree {
		key = append(key, byte(t.From), byte(t.From>>8), byte(t.To), byte(t.To>>8))
	}
	return string(key)
}

func treeEdges(tree []syncvar.Transfer) []edge {
	edges := make([]edge, len(tree))
	for i, t := range tree {
		edges[i] = edge{from: t.From, to: t.To}
	}
	return edges
}

// counter numbers the hops of a plan at both of their ends.
type counter struct {
	words   int
	out, in map[dimmnet.Rank]int // hops numbered so far
}

// number numbers all edges of a cast, or none if that takes too many numbers.
func (c *counter) number(edges []edge) bool {
	for i := range edges {
		e := &edges[i]
		e.out, e.in = c.out[e.from], c.in[e.to]
		if max(e.out, e.in) >= c.words {
			for _, e := range edges[:i] {
				c.out[e.from]--
				c.in[e.to]--
			}
			return false
		}
		c.out[e.from]++
		c.in[e.to]++
	}
	return true
}

// without is the plan that leaves the casts of rest to later phases. Nothing is
// granted and no call complete then: all ranks bring their calls again.
func (p Plan) without(casts, rest []cast) Plan {
	if len(rest) == 0 {
		return p
	}
	part := Plan{Partial: true, Granted: make([]bool, len(p.Granted))}
	for _, c := range casts {
		for _, item := range c.items {
			for _, e := range c.edges {
				part.Transfers = append(part.Transfers, syncvar.Transfer{
					ID: item.id, From: e.from, To: e.to, Since: item.since, Relay: e.from != c.edges[0].from})
			}
		}
	}
	return part
}
