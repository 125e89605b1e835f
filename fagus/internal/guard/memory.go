package guard

import (
	"cmp"
	"errors"
	"slices"
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

type array struct {
	name      string
	base      consistency.Addr // global address of the first byte
	length    int              // in bytes
	element   int              // size of an element in bytes
	own, view []byte           // the two mappings, extended to whole pages
	pages     []page
}

func (a *array) start() uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(a.view))) }

type span struct{ array, lo, hi int }

// Map maps the memory of an array of n bytes, at least one. Call Add next.
func (g *Guard) Map(n int) (Memory, error) {
	own, view, err := mapTwice((n + g.pageBytes - 1) / g.pageBytes * g.pageBytes)
	if err != nil {
		return Memory{}, err
	}
	g.mappings = append(g.mappings, own, view)
	return Memory{own[:n:n], view[:n:n]}, nil
}

// Add adds an array at address base, whose elements have elementBytes bytes, in memory
// returned by Map. Arrays must be added in increasing order of addresses.
func (g *Guard) Add(m Memory, name string, base consistency.Addr, elementBytes int) {
	if g == nil {
		return
	}
	whole := (len(m.Own) + g.pageBytes - 1) / g.pageBytes
	own := unsafe.Slice(unsafe.SliceData(m.Own), whole*g.pageBytes)
	view := unsafe.Slice(unsafe.SliceData(m.View), whole*g.pageBytes)
	g.arrays = append(g.arrays, &array{
		name: name, base: base, length: len(m.Own), element: elementBytes,
		own: own, view: view, pages: make([]page, whole),
	})
}

// Close unmaps all arrays.
func (g *Guard) Close() error {
	if g == nil {
		return nil
	}
	err := g.pagemap.close()
	for _, m := range g.mappings {
		err = errors.Join(err, unmap(m))
	}
	g.mappings, g.arrays = nil, nil
	return err
}

func (g *Guard) span(r consistency.Range) span {
	i, found := slices.BinarySearchFunc(g.arrays, r.Lo, func(a *array, at consistency.Addr) int { return cmp.Compare(a.base, at) })
	if !found {
		i--
	}
	base, size := g.arrays[i].base, consistency.Addr(g.pageBytes)
	return span{i, int((r.Lo - base) / size), int((r.Hi - base + size - 1) / size)}
}

func (g *Guard) view(s span) []byte {
	return g.arrays[s.array].view[s.lo*g.pageBytes : s.hi*g.pageBytes]
}

// count adds to the counts of all pages in ranges. flush makes the change effective.
func (g *Guard) count(ranges []consistency.Range, readers, writers int32) {
	for _, r := range ranges {
		s := g.span(r)
		pages := g.arrays[s.array].pages[s.lo:s.hi]
		for i := range pages {
			pages[i].readers += readers
			pages[i].writers += writers
		}
		g.dirty = append(g.dirty, s)
	}
}

// flush protects the dirty pages as their counts require, by one system call per run of pages.
func (g *Guard) flush() error {
	defer func() { g.dirty = g.dirty[:0] }()
	for _, s := range joined(g.dirty) {
		pages := g.arrays[s.array].pages
		for i := s.lo; i < s.hi; {
			want, end := pages[i].want(), i+1
			if want == pages[i].now {
				i = end
				continue
			}
			for end < s.hi && pages[end].want() == want && pages[end].now != want {
				end++
			}
			if err := protect(g.view(span{s.array, i, end}), want); err != nil {
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
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.array, b.array), cmp.Compare(a.lo, b.lo)) })
	out := spans[:0]
	for _, s := range spans {
		if n := len(out); n > 0 && out[n-1].array == s.array && out[n-1].hi >= s.lo {
			out[n-1].hi = max(out[n-1].hi, s.hi)
		} else {
			out = append(out, s)
		}
	}
	return out
}
