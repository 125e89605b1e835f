package guard

import (
	"slices"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/syncvar"
)

// mostWindows limits the windows of all ranks of a process, so that less than half of the mappings
// that Linux allows by default (vm.max_map_count, 65530) are windows.
const mostWindows = 1 << 15

// Part returns the bytes r of an array for the program; r is not empty. If a variable guards all of
// r, but not all of its pages, Part returns r in a window: a further mapping of the variable's
// pages, which is open exactly while the variable may be accessed. Otherwise it returns r in the
// view. Several goroutines may call Part at the same time, but not during another call.
func (g *Guard) Part(r consistency.Range) []byte {
	g.mu.Lock()
	defer g.mu.Unlock()
	a := g.areaOf(r)
	return a.view[r.Lo-a.first : r.Hi-a.first : r.Hi-a.first]
}

func (g *Guard) areaOf(r consistency.Range) *area {
	a := g.arrayOf(r)
	if id, ok := g.space.GuardOf(r.Lo); ok {
		bound := g.boundAt(id, r.Lo)
		if r.Hi <= bound.Hi && g.ownPages(a, bound) {
			return &a.area
		}
		if r.Hi <= bound.Hi {
			if w := g.window(&g.vars[id], a, bound); w != nil {
				return w
			}
		}
	}
	a.whole.Store(true)
	return &a.area
}

// boundAt returns the range of a variable in which an address lies.
func (g *Guard) boundAt(id syncvar.ID, at consistency.Addr) consistency.Range {
	ranges := g.space.Ranges(id)
	i, _ := slices.BinarySearchFunc(ranges, at, func(r consistency.Range, at consistency.Addr) int {
		if r.Hi <= at {
			return -1
		}
		return 1
	})
	return ranges[i]
}

// ownPages reports whether the pages of r have no other bytes of their array.
func (g *Guard) ownPages(a *array, r consistency.Range) bool {
	size := consistency.Addr(g.pageBytes)
	return (r.Lo-a.first)%size == 0 && ((r.Hi-a.first)%size == 0 || r.Hi == a.bytes.Hi)
}

// window returns the window of v to its range r, or nil if there are too many mappings.
func (g *Guard) window(v *variable, a *array, r consistency.Range) *area {
	for _, w := range v.windows {
		if w.bytes == r {
			return w
		}
	}
	if len(g.windows) >= g.mostWindows {
		return nil
	}
	s := g.span(r)
	view, err := mapAgain(a.own[s.lo*g.pageBytes : s.hi*g.pageBytes])
	if err != nil {
		return nil
	}
	g.windows = append(g.windows, view)
	w := &area{array: a, bytes: r, first: a.first + consistency.Addr(s.lo*g.pageBytes), view: view, pages: make([]page, s.hi-s.lo)}
	for i := range w.pages {
		w.pages[i].now = writable // as mapAgain maps them
	}
	whole := span{w, 0, len(w.pages)}
	g.add(whole, 0, 0)
	if v.hold != none {
		g.add(whole, 1, 0)
	}
	for _, written := range v.writes {
		if o := overlap(written, r); o.Lo < o.Hi {
			g.add(g.within(w, o), 0, 1)
		}
	}
	if g.flush() != nil {
		return nil
	}
	v.windows = append(v.windows, w)
	return w
}

// abandon opens the windows of a variable whose ranges change, for a program that still has slices
// of them, and forgets them.
func (g *Guard) abandon(v *variable) error {
	for _, w := range v.windows {
		if err := protect(w.view, writable); err != nil {
			return err
		}
	}
	v.windows = nil
	return nil
}

// Forbidden describes the first byte of r that the program may not read, as Fault does. ok is false
// if it may read them all.
func (g *Guard) Forbidden(r consistency.Range) (text string, ok bool) {
	a := g.arrayOf(r)
	for at := r.Lo; at < r.Hi; {
		id, guarded := g.space.GuardOf(at)
		if !guarded || g.vars[id].hold == none {
			return g.report(a, at, reading), true
		}
		at = g.boundAt(id, at).Hi
	}
	return "", false
}

// sharing reports, by variable ID, which variables share a page with another variable, in arrays
// whose whole view the program has used.
func (g *Guard) sharing() []bool {
	shares := make([]bool, len(g.vars))
	first := make(map[uintptr]syncvar.ID) // variable by page
	for i := range g.vars {
		id := syncvar.ID(i)
		for _, r := range g.space.Ranges(id) {
			s := g.span(r)
			if !s.area.array.whole.Load() {
				continue
			}
			for _, p := range []int{s.lo, s.hi - 1} { // other variables have nothing in between
				page := s.area.start() + uintptr(p*g.pageBytes)
				if other, ok := first[page]; ok && other != id {
					shares[id], shares[other] = true, true
				}
				first[page] = id
			}
		}
	}
	return shares
}
