package history

import (
	"strings"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// graph is which event must come before which. Nodes are the events of all ranks, one
// rank after the other.
type graph struct {
	first []int // of a rank
	edges [][]edge
}

type edge struct {
	to  int
	why string
}

func (g *graph) node(p place) int { return g.first[p.rank] + p.index }

func (g *graph) place(node int) place {
	r := len(g.first) - 1
	for g.first[r] > node {
		r--
	}
	return place{dimmnet.Rank(r), node - g.first[r]}
}

func (g *graph) add(from, to place, why string) {
	n := g.node(from)
	g.edges[n] = append(g.edges[n], edge{g.node(to), why})
}

// order is A2: program order, tenures and meetings have no cycle together.
func (h *History) order(list map[syncvar.ID][]tenure) *Violation {
	g := h.graph(list)
	cycle := g.shortest(g.component())
	if cycle == nil {
		return nil
	}
	var words []string
	for _, e := range cycle {
		words = append(words, h.describe(g.place(e.from))+" "+e.why)
	}
	return h.violation(Order, "each before the next, and the last before the first: %s", strings.Join(words, "; "))
}

// graph collects what must come before what.
func (h *History) graph(list map[syncvar.ID][]tenure) *graph {
	g := &graph{}
	nodes := 0
	for _, r := range h.ranks {
		g.first = append(g.first, nodes)
		nodes += len(r.events)
	}
	g.edges = make([][]edge, nodes)
	for rank, r := range h.ranks {
		for i := 1; i < len(r.events); i++ {
			g.add(place{dimmnet.Rank(rank), i - 1}, place{dimmnet.Rank(rank), i}, "in its program before")
		}
	}
	for _, id := range ids(list) {
		g.addTenures(list[id])
	}
	h.addMeetings(g)
	return g
}

// addTenures orders those of a variable, which are in the order of their versions.
func (g *graph) addTenures(ts []tenure) {
	const why = "before"
	last := -1 // the exclusive one before
	for i := range ts {
		from := max(last, 0)
		if ts[i].mode == syncvar.Shared { // after the exclusive one alone
			if last >= 0 && ts[last].ended {
				g.add(ts[last].end, ts[i].begin, why)
			}
			continue
		}
		for j := from; j < i; j++ {
			if ts[j].ended {
				g.add(ts[j].end, ts[i].begin, why)
			}
		}
		last = i
	}
}

// addMeetings puts what every rank did before a meeting before what all do after it.
// One event, the last that comes, stands for the meeting: so there are as many edges
// as ranks, not their square.
func (h *History) addMeetings(g *graph) {
	comes, leaves := make(map[uint32][]place), make(map[uint32][]place)
	most := uint32(0)
	for rank, r := range h.ranks {
		for i := range r.events {
			e, p := &r.events[i], place{dimmnet.Rank(rank), i}
			switch e.op {
			case enter:
				comes[e.meeting] = append(comes[e.meeting], p)
			case leave:
				leaves[e.meeting] = append(leaves[e.meeting], p)
			}
			most = max(most, e.meeting)
		}
	}
	for m := uint32(1); m <= most; m++ {
		for _, l := range leaves[m] {
			for _, c := range comes[m] {
				g.add(c, l, "before")
			}
		}
	}
}
