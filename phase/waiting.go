package phase

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Waiting says in words what the rank waits for.
func (e *Engine) Waiting() string {
	var from, to []dimmnet.Rank
	for i, r := range e.peers {
		if e.in[i].due > 0 {
			from = append(from, r)
		}
		if e.out[i].pending() {
			to = append(to, r)
		}
	}
	what := "the data"
	if e.state == gather {
		what = "the lists"
	}
	pushing, granting, landing := e.bulk.waiting()
	from = distinct(append(from, pushing...))
	switch {
	case len(from) > 0:
		return fmt.Sprintf("%s of ranks %v", what, from)
	case len(to) > 0:
		return fmt.Sprintf("ranks %v to empty their slots", to)
	case len(granting) > 0:
		return fmt.Sprintf("ranks %v to grant room for a PUSH", distinct(granting))
	case len(landing) > 0:
		return fmt.Sprintf("its PUSHes to land at ranks %v", distinct(landing))
	}
	return "nothing"
}

// distinct sorts ranks and keeps one of each.
func distinct(ranks []dimmnet.Rank) []dimmnet.Rank {
	slices.Sort(ranks)
	return slices.Compact(ranks)
}

// waiting lists the ranks that are to push in the present round, to grant, and
// where something is landing.
func (b *bulk) waiting() (pushing, granting, landing []dimmnet.Rank) {
	if b == nil {
		return nil, nil, nil
	}
	for _, p := range b.round {
		if !p.come.ends {
			pushing = append(pushing, p.from)
		}
		for i := range p.hops {
			switch h := &p.hops[i]; {
			case !h.granted:
				granting = append(granting, h.to)
			case !h.quiet():
				landing = append(landing, h.to)
			}
		}
	}
	return pushing, granting, landing
}
