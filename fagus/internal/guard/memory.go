package guard

import (
	"cmp"
	"errors"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/fagus-dsm/fagus/consistency"
)

type access uint8

const (
	closed access = iota
	readable
	writable
)

// Memory is the memory of an array, mapped twice. Both slices have the array's length.
type Memory struct {
	Own  []byte // the runtime's mapping, always readable and writable
	View []byte // the program's mapping, closed until a variable is acquired
}

// page counts the open variables that have bytes on a page.
type page struct {
	readers, writers int32
	now              access // protection as of the last flush
}

func (p page) want() access {
	switch {
	case p.writers > 0:
		return writable
	case p.readers > 0:
		return readable
	}
	return closed
}

// area is a mapping that the program uses: the view of an array, or a window.
type area struct {
	array *array
	bytes consistency.Range // what the program uses through the mapping
	first consistency.Addr  // global address of the first page
	view  []byte            // whole pages
	pages []page
}

func (a *area) start() uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(a.view))) }

type array struct {
	area           // the view
	name    string // of the array
	element int    // size of an element in bytes
	own     []byte // the runtime's mapping, extended to whole pages
	whole   *atomic.Bool
}

// span is the pages lo to hi-1 of an area.
type span struct {
	area   *area
	lo, hi int
}

// Map maps the memory of an array of n bytes, at least one. Call Add next.
func (g *Guard) Map(n int) (Memory, error) {
	own, view, err := mapTwice((n + g.pageBytes - 1) / g.pageBytes * g.pageBytes)
	if err != nil {
		return Memory{}, err
	}
	g.mappings = append(g.mappings, own, view)
	return Memory{own[:n:n], view[:n:n]}, nil
}

// View is Map for an array whose memory the caller has mapped: own begins at a page of a shared
// mapping, and its last page belongs to it. The caller unmaps own, after Close.
func (g *Guard) View(own []byte) (Memory, error) {
	pages := (len(own) + g.pageBytes - 1) / g.pageBytes
	view, err := mapAgain(extended(own, pages*g.pageBytes))
	if err != nil {
		return Memory{}, err
	}
	g.views = append(g.views, view)
	return Memory{own, view[:len(own):len(own)]}, protect(view, closed)
}

// Add adds an array at address base, whose elements have elementBytes bytes, in memory returned by
// Map or View. Arrays must be added in increasing order of addresses. The program sets the result
// when it uses the whole view, not only Parts. The result is nil if nobody reads it.
func (g *Guard) Add(m Memory, name string, base consistency.Addr, elementBytes int) (whole *atomic.Bool) {
	if g == nil {
		return nil
	}
	pages := (len(m.Own) + g.pageBytes - 1) / g.pageBytes
	a := &array{name: name, element: elementBytes, own: extended(m.Own, pages*g.pageBytes), whole: new(atomic.Bool)}
	a.area = area{
		array: a, bytes: consistency.Range{Lo: base, Hi: base + consistency.Addr(len(m.Own))}, first: base,
		view: extended(m.View, pages*g.pageBytes), pages: make([]page, pages),
	}
	g.arrays = append(g.arrays, a)
	return a.whole
}

func extended(mem []byte, n int) []byte { return unsafe.Slice(unsafe.SliceData(mem), n) }

// Close unmaps what the guard has mapped.
func (g *Guard) Close() error {
	if g == nil {
		return nil
	}
	err := g.pagemap.close()
	for _, m := range slices.Concat(g.windows, g.views) {
		err = errors.Join(err, unmapAgain(m))
	}
	for _, m := range g.mappings {
		err = errors.Join(err, unmap(m))
	}
	g.mappings, g.windows, g.views = nil, nil, nil
	return err
}

// arrayOf returns the array in which r lies.
func (g *Guard) arrayOf(r consistency.Range) *array {
	i, found := slices.BinarySearchFunc(g.arrays, r.Lo, func(a *array, at consistency.Addr) int { return cmp.Compare(a.first, at) })
	if !found {
		i--
	}
	return g.arrays[i]
}

// span returns the pages of r in the view of its array.
func (g *Guard) span(r consistency.Range) span { return g.within(&g.arrayOf(r).area, r) }

// within returns the pages of r in an area. r must lie in its bytes.
func (g *Guard) within(a *area, r consistency.Range) span {
	size := consistency.Addr(g.pageBytes)
	return span{a, int((r.Lo - a.first) / size), int((r.Hi - a.first + size - 1) / size)}
}

// spans returns the pages of r in the view and in the windows of v, which guards every byte of r.
func (g *Guard) spans(v *variable, r consistency.Range) []span {
	pages := []span{g.span(r)}
	for _, w := range v.windows {
		if r := overlap(r, w.bytes); r.Lo < r.Hi {
			pages = append(pages, g.within(w, r))
		}
	}
	return pages
}

func overlap(a, b consistency.Range) consistency.Range {
	return consistency.Range{Lo: max(a.Lo, b.Lo), Hi: min(a.Hi, b.Hi)}
}

func (g *Guard) view(s span) []byte { return s.area.view[s.lo*g.pageBytes : s.hi*g.pageBytes] }

// count adds to the counts of all pages in ranges. v guards every byte of them. The change takes
// effect at the next flush.
func (g *Guard) count(v *variable, ranges []consistency.Range, readers, writers int32) {
	for _, r := range ranges {
		for _, s := range g.spans(v, r) {
			g.add(s, readers, writers)
		}
	}
}

func (g *Guard) add(s span, readers, writers int32) {
	pages := s.area.pages[s.lo:s.hi]
	for i := range pages {
		pages[i].readers += readers
		pages[i].writers += writers
	}
	g.dirty = append(g.dirty, s)
}

// flush protects the dirty pages as their counts require, by one system call per run of pages.
func (g *Guard) flush() error {
	defer func() { g.dirty = g.dirty[:0] }()
	for _, s := range joined(g.dirty) {
		pages := s.area.pages
		for i := s.lo; i < s.hi; {
			want, end := pages[i].want(), i+1
			if want == pages[i].now {
				i = end
				continue
			}
			for end < s.hi && pages[end].want() == want && pages[end].now != want {
				end++
			}
			if err := protect(g.view(span{s.area, i, end}), want); err != nil {
				return err
			}
			for ; i < end; i++ {
				pages[i].now = want
			}
		}
	}
	return nil
}

// joined sorts spans and merges those that touch or overlap, in place.
func joined(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.area.start(), b.area.start()), cmp.Compare(a.lo, b.lo))
	})
	out := spans[:0]
	for _, s := range spans {
		if n := len(out); n > 0 && out[n-1].area == s.area && out[n-1].hi >= s.lo {
			out[n-1].hi = max(out[n-1].hi, s.hi)
		} else {
			out = append(out, s)
		}
	}
	return out
}
