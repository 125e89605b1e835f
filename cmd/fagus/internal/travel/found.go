package travel

import (
	"bytes"
	"math"

	"github.com/fagus-dsm/fagus/fagus/recording"
)

// found is what was found out about an array at a point.
type found struct {
	first   int    // the first element that differs; -1: none
	count   int    // elements that differ; with hashes 0
	last    int    // with hashes: the last element that may be the one that differs
	unknown []span // with hashes: units of which it is unknown
}

// values compares units of two arrays with values.
func (f *found) values(a, b *memory, s span, tolerance float64) {
	lo, hi := s.lo*a.unit, s.hi*a.unit
	if bytes.Equal(a.bytes[lo:hi], b.bytes[lo:hi]) {
		return
	}
	for e := lo / a.Element; e*a.Element < hi; e++ {
		x, y := a.bytes[e*a.Element:][:a.Element], b.bytes[e*a.Element:][:a.Element]
		if bytes.Equal(x, y) || tolerance > 0 && a.near(x, y, tolerance) {
			continue
		}
		if f.count++; f.first < 0 {
			f.first = e
		}
	}
}

// near reports whether the numbers of two elements differ by at most a part of the larger one.
func (a *array) near(x, y []byte, tolerance float64) bool {
	if a.numbers == nil || !a.numbers.Floating() {
		return false
	}
	n := a.numbers.Number
	zero := make([]byte, n.Bytes)
	for at := 0; at < len(x); at += n.Bytes {
		p, q := x[at:at+n.Bytes], y[at:at+n.Bytes]
		if size := math.Max(n.Distance(p, zero), n.Distance(q, zero)); !bytes.Equal(p, q) && !(n.Distance(p, q) <= tolerance*size) {
			return false
		}
	}
	return true
}

// hashes compares units of two arrays without values: where the last writes of both have the same
// range, and nothing has been written over them since, their hashes tell.
func (f *found) hashes(both [2]*contents, a, b *memory, s span) {
	for u := s.lo; u < s.hi; {
		x, y := &both[0].writers[a.by[u]], &both[1].writers[b.by[u]]
		next := u + 1
		for next < s.hi && a.by[next] == a.by[u] && b.by[next] == b.by[u] {
			next++
		}
		of := x.span
		if a.by[u] == 0 {
			of = y.span
		}
		switch {
		case a.by[u] == 0 && b.by[u] == 0:
		case a.by[u] != 0 && b.by[u] != 0 && x.span != y.span, !a.whole(of, a.by[u]), !b.whole(of, b.by[u]):
			f.unknown = append(f.unknown, span{u, next})
		case a.hash(of, x, a.by[u]) != a.hash(of, y, b.by[u]):
			if f.first < 0 {
				f.first, f.last = of.lo*a.unit/a.Element, (of.hi*a.unit-1)/a.Element
			}
			return
		}
		u = next
	}
}

// hash returns the hash of what a writer has written; 0 is nobody.
func (m *memory) hash(of span, w *writer, by int32) uint64 {
	if by != 0 {
		return w.hash
	}
	return recording.Hash(make([]byte, (of.hi-of.lo)*m.unit))
}

// whole reports whether all units have the same writer.
func (m *memory) whole(of span, by int32) bool {
	for _, w := range m.by[of.lo:of.hi] {
		if w != by {
			return false
		}
	}
	return true
}
