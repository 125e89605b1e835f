package history

import (
	"strings"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

type graph struct {
	first []int    // by rank: the node of the rank's first event
	edges [][]edge // by node: the edges out of the node
}

type edge struct {
	to  int
	why string
}

func (g *graph) node(p eventID) int { return g.first[p.rank] + p.index }

func (g *graph) eventOf(node int) eventID {
	r := len(g.first) - 1
	for g.first[r] > node {
		r--
	}
	return eventID{dimmnet.Rank(r), node - g.first[r]}
}

func (g *graph) add(from, to eventID, why string) {
	n := g.node(from)
	g.edges[n] = append(g.edges[n], edge{g.node(to), why})
}

func (h *History) order(list map[syncvar.ID][]tenure) *Violation {
	g := h.graph(list)
	cycle := g.shortest(g.component())
	if cycle == nil {
		return nil
	}
	var words []string
	for _, e := range cycle {
		words = append(words, h.describe(g.eventOf(e.from))+" "+e.why)
	}
	return h.violation(Order, "each before the next, and the last before the first: %s", strings.Join(words, "; "))
}

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
			g.add(eventID{dimmnet.Rank(rank), i - 1}, eventID{dimmnet.Rank(rank), i}, "in its program before")
		}
	}
	for _, id := range ids(list) {
		g.addTenures(list[id])
	}
	h.addMeetings(g)
	return g
}

func (g *graph) addTenures(ts []tenure) {
	const why = "before"
	last := -1 // the index of the last exclusive tenure
	for i := range ts {
		from := max(last, 0)
		if ts[i].access == syncvar.Shared { // no edges between shared tenures
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

// addMeetings adds edges: all ranks arrive at a meeting before any rank leaves the meeting.
func (h *History) addMeetings(g *graph) {
	comes, leaves := make(map[uint32][]eventID), make(map[uint32][]eventID)
	most := uint32(0)
	for rank, r := range h.ranks {
		for i := range r.events {
			e, p := &r.events[i], eventID{dimmnet.Rank(rank), i}
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
