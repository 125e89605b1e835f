package guard

import (
	"cmp"
	"errors"
	"slices"
	"unsafe"

	"github.com/fagus-dsm/fagus/consistency"
)

// access is what the program may do with a page.
type access uint8

const (
	closed access = iota
	readable
	writable
)

// Memory is the memory of an array, mapped twice. Both have the bytes asked for and no more.
type Memory struct {
	Own  []byte // the runtime's: always readable and writable
	View []byte // the program's: closed until a variable is acquired
}

// page counts the open variables on a page.
type page struct {
	readers, writers int32
	now              access
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

// array is a program's array and its pages.
type array struct {
	name      string
	base      consistency.Addr // of the first byte
	length    int              // in bytes
	element   int              // in bytes
	own, view []byte           // whole pages
	pages     []page
}

// start is where the program has the array.
func (a *array) start() uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(a.view))) }

// span is pages lo to hi-1 of an array.
type span struct{ array, lo, hi int }

// Map makes the memory of an array of n bytes, at least one. Add comes next.
func (g *Guard) Map(n int) (Memory, error) {
	own, view, err := mapTwice((n + g.pageBytes - 1) / g.pageBytes * g.pageBytes)
	if err != nil {
		return Memory{}, err
	}
	g.mappings = append(g.mappings, own, view)
	return Memory{own[:n:n], view[:n:n]}, nil
}

// Add says that memory is an array at base, of elements of so many bytes.
func (g *Guard) Add(m Memory, name string, base consistency.Addr, elementBytes int) {
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
	err := g.pagemap.close()
	for _, m := range g.mappings {
		err = errors.Join(err, unmap(m))
	}
	g.mappings, g.arrays = nil, nil
	return err
}

// span is the pages of r, which lies in one array.
func (g *Guard) span(r consistency.Range) span {
	i, found := slices.BinarySearchFunc(g.arrays, r.Lo, func(a *array, at consistency.Addr) int { return cmp.Compare(a.base, at) })
	if !found {
		i--
	}
	base, size := g.arrays[i].base, consistency.Addr(g.pageBytes)
	return span{i, int((r.Lo - base) / size), int((r.Hi - base + size - 1) / size)}
}

// view is the program's mapping of s.
func (g *Guard) view(s span) []byte {
	return g.arrays[s.array].view[s.lo*g.pageBytes : s.hi*g.pageBytes]
}

// count adds open variables to the pages of ranges; flush lets the program see it.
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

// flush opens and closes what has been counted since the last time, neighbours at once.
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

// joined sorts spans and joins those that touch or overlap, in place.
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
