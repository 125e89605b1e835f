package guard

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/fagus/internal/source"
)

// twin is a copy of bytes that must not change although they lie on a writable page.
type twin struct {
	consistency.Range
	was []byte
}

// keepTwins copies the bytes that share a page with writable bytes.
func (g *Guard) keepTwins() {
	g.twins = g.twins[:0]
	var writes []consistency.Range
	for _, id := range g.tenure.Exclusive {
		writes = append(writes, g.vars[id].writes...)
	}
	slices.SortFunc(writes, func(a, b consistency.Range) int { return cmp.Compare(a.Lo, b.Lo) })
	for i := 0; i < len(writes); {
		s := g.span(writes[i])
		a := s.area.array
		at := a.first + consistency.Addr(s.lo*g.pageBytes)
		// Copy the gaps before and between the writes on a run of pages.
		for ; i < len(writes); i++ {
			next := g.span(writes[i])
			if next.area != s.area || next.lo > s.hi {
				break
			}
			g.keepTwin(a, at, writes[i].Lo)
			at, s.hi = writes[i].Hi, next.hi
		}
		g.keepTwin(a, at, min(a.bytes.Hi, a.first+consistency.Addr(s.hi*g.pageBytes)))
	}
}

func (g *Guard) keepTwin(a *array, lo, hi consistency.Addr) {
	if lo < hi {
		g.twins = append(g.twins, twin{consistency.Range{Lo: lo, Hi: hi}, bytes.Clone(a.own[lo-a.first : hi-a.first])})
	}
}

// compareTwins returns an error that names the first element that was changed but must not be.
func (g *Guard) compareTwins() error {
	for _, t := range g.twins {
		a := g.arrayOf(t.Range)
		now := a.own[t.Lo-a.first : t.Hi-a.first]
		if bytes.Equal(now, t.was) {
			continue
		}
		i := 0
		for now[i] == t.was[i] {
			i++
		}
		at := int(t.Lo-a.first) + i
		return fmt.Errorf("%s: the tenure that ends here wrote what it may not write: %s", source.Here(), g.mistake(a, at, writing))
	}
	return nil
}
