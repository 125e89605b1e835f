package guard

import "github.com/fagus-dsm/fagus/consistency"

// byPage appends r, cut where pages meet.
func (g *Guard) byPage(out []consistency.Range, r consistency.Range) []consistency.Range {
	s := g.span(r)
	base := g.arrays[s.array].base
	for i := s.lo; i < s.hi; i++ {
		out = append(out, consistency.Range{
			Lo: max(r.Lo, base+consistency.Addr(i*g.pageBytes)),
			Hi: min(r.Hi, base+consistency.Addr((i+1)*g.pageBytes)),
		})
	}
	return out
}

// freshPages are those with bytes that have arrived and were not touched.
func (g *Guard) freshPages() []span {
	var pages []span
	for i := range g.vars {
		for _, r := range g.vars[i].fresh {
			pages = append(pages, g.span(r))
		}
	}
	return joined(pages)
}

// forgetFresh drops the page table's entries of what has arrived.
func (g *Guard) forgetFresh() error {
	for _, s := range g.freshPages() {
		if err := forget(g.view(s)); err != nil {
			return err
		}
	}
	return nil
}

// look finds out which fresh pages the program has touched.
func (g *Guard) look() {
	pages := g.freshPages()
	if len(pages) == 0 {
		return
	}
	touched := make(map[span]bool)
	for _, s := range pages {
		flags, ok := g.pagemap.touched(g.view(s))
		for i := s.lo; i < s.hi; i++ {
			// Where the kernel does not tell, all counts as touched: nothing is said of it.
			touched[span{s.array, i, i + 1}] = !ok || flags[i-s.lo]
		}
	}
	for i := range g.vars {
		v := &g.vars[i]
		kept := v.fresh[:0]
		for _, r := range v.fresh {
			if !touched[g.span(r)] {
				kept = append(kept, r)
			}
		}
		v.fresh = kept
	}
}
