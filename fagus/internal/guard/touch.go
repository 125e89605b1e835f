package guard

import (
	"slices"

	"github.com/fagus-dsm/fagus/consistency"
)

// byPage appends r to out, cut at page boundaries.
func (g *Guard) byPage(out []consistency.Range, r consistency.Range) []consistency.Range {
	s := g.span(r)
	base := s.area.first
	for i := s.lo; i < s.hi; i++ {
		out = append(out, consistency.Range{
			Lo: max(r.Lo, base+consistency.Addr(i*g.pageBytes)),
			Hi: min(r.Hi, base+consistency.Addr((i+1)*g.pageBytes)),
		})
	}
	return out
}

func (g *Guard) freshPages() []span {
	var pages []span
	for i := range g.vars {
		for _, r := range g.vars[i].fresh {
			pages = append(pages, g.spans(&g.vars[i], r)...)
		}
	}
	return joined(pages)
}

// forgetFresh drops the page table entries of the pages on which data have arrived.
func (g *Guard) forgetFresh() error {
	for _, s := range g.freshPages() {
		if err := forget(g.view(s)); err != nil {
			return err
		}
	}
	return nil
}

// pollTouched reads which fresh pages were touched, and removes their ranges.
func (g *Guard) pollTouched() {
	pages := g.freshPages()
	if len(pages) == 0 {
		return
	}
	touched := make(map[span]bool)
	for _, s := range pages {
		flags, ok := g.pagemap.touched(g.view(s))
		for i := s.lo; i < s.hi; i++ {
			// If the page table cannot be read, all pages count as touched: nothing is reported.
			touched[span{s.area, i, i + 1}] = !ok || flags[i-s.lo]
		}
	}
	for i := range g.vars {
		v := &g.vars[i]
		kept := v.fresh[:0]
		for _, r := range v.fresh {
			if !slices.ContainsFunc(g.spans(v, r), func(s span) bool { return touched[s] }) {
				kept = append(kept, r)
			}
		}
		v.fresh = kept
	}
}
