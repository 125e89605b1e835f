package region

import (
	"cmp"
	"slices"
)

// Interval is the sequence of elements Lo to Hi-1.
type Interval struct{ Lo, Hi int }

// Region is a set of elements of an array. The zero Region is empty.
type Region struct{ pieces []piece }

// piece is a sequence of runs. count is the number of runs, and run the number of elements of
// each. The first run starts at lo, and the starts of consecutive runs are stride apart.
type piece struct{ lo, run, count, stride int }

func (p piece) end() int { return p.lo + (p.count-1)*p.stride + p.run }

func (p piece) has(i int) bool {
	i -= p.lo
	return i >= 0 && i/p.stride < p.count && i%p.stride < p.run
}

// Add adds the elements lo to hi-1. If hi <= lo, it adds nothing.
func (r *Region) Add(lo, hi int) { r.Strided(lo, hi-lo, 1, 1) }

// Strided adds runs of elements. count is the number of runs, and run the number of elements of
// each. The first run starts at lo; each further run starts stride elements after the one before.
// stride may be negative.
func (r *Region) Strided(lo, run, count, stride int) {
	if count <= 0 || run <= 0 {
		return
	}
	if stride < 0 {
		lo, stride = lo+(count-1)*stride, -stride
	}
	if count == 1 || stride <= run {
		run, count = (count-1)*stride+run, 1
		stride = run
	}
	if n := len(r.pieces); n > 0 && count == 1 {
		// The most frequent case: the new run extends the last one.
		if last := &r.pieces[n-1]; last.count == 1 && last.lo <= lo && lo <= last.end() {
			last.run = max(last.run, lo+run-last.lo)
			last.stride = last.run
			return
		}
	}
	r.pieces = append(r.pieces, piece{lo, run, count, stride})
}

func (r *Region) has(i int) bool {
	return slices.ContainsFunc(r.pieces, func(p piece) bool { return p.has(i) })
}

// touches reports whether the region contains an element of zone, which is sorted.
func (r *Region) touches(zone []Interval) bool {
	return slices.ContainsFunc(r.pieces, func(p piece) bool {
		for k := range p.count {
			lo := p.lo + k*p.stride
			i, _ := slices.BinarySearchFunc(zone, lo+1, func(z Interval, at int) int { return cmp.Compare(z.Hi, at) })
			if i < len(zone) && zone[i].Lo < lo+p.run {
				return true
			}
		}
		return false
	})
}

// covers reports whether the region contains all of zone. If the region has too many runs to
// examine each, covers returns false.
func (r *Region) covers(zone []Interval) bool {
	elements := 0
	for _, p := range r.pieces {
		elements += p.count * p.run
	}
	for _, z := range zone {
		elements -= z.Hi - z.Lo
	}
	return elements >= 0 && r.countable() && cover(r.in(zone), zone)
}

// countable reports whether the region has few enough runs to examine each.
func (r *Region) countable() bool {
	runs := 0
	for _, p := range r.pieces {
		runs += p.count
	}
	const most = 1 << 16
	return runs <= len(r.pieces) || runs <= most
}

func (r *Region) in(zone []Interval) (all []Interval) {
	for _, p := range r.pieces {
		if p.count == 1 {
			all = appendCut(all, Interval{p.lo, p.lo + p.run}, zone)
			continue
		}
		for _, z := range zone {
			first, last := 0, p.count-1
			if z.Lo > p.lo {
				first = max(0, (z.Lo-p.lo-p.run)/p.stride)
			}
			if z.Hi < p.end() {
				last = min(last, (z.Hi-p.lo)/p.stride)
			}
			for k := first; k <= last; k++ {
				lo := p.lo + k*p.stride
				if lo, hi := max(lo, z.Lo), min(lo+p.run, z.Hi); lo < hi {
					all = append(all, Interval{lo, hi})
				}
			}
		}
	}
	return merged(all)
}

func appendCut(all []Interval, i Interval, zone []Interval) []Interval {
	k, behind := 0, len(zone)
	for k < behind { // finds the first interval of zone that ends after i.Lo
		if middle := (k + behind) / 2; zone[middle].Hi <= i.Lo {
			k = middle + 1
		} else {
			behind = middle
		}
	}
	for ; k < len(zone) && zone[k].Lo < i.Hi; k++ {
		all = append(all, Interval{max(i.Lo, zone[k].Lo), min(i.Hi, zone[k].Hi)})
	}
	return all
}

func (r *Region) hulls() (all []Interval) {
	for _, p := range r.pieces {
		all = append(all, Interval{p.lo, p.end()})
	}
	return merged(all)
}

// merged sorts intervals and joins those that overlap or adjoin, in place.
func merged(all []Interval) []Interval {
	if !slices.IsSortedFunc(all, byLo) {
		slices.SortFunc(all, byLo)
	}
	out := all[:0]
	for _, i := range all {
		if n := len(out); n > 0 && i.Lo <= out[n-1].Hi {
			out[n-1].Hi = max(out[n-1].Hi, i.Hi)
			continue
		}
		out = append(out, i)
	}
	return out
}

// union returns the union of a and b, each of which is sorted.
func union(a, b []Interval) []Interval {
	if cover(a, b) {
		return a
	}
	all := make([]Interval, 0, len(a)+len(b))
	for len(a) > 0 || len(b) > 0 {
		if len(b) == 0 || len(a) > 0 && a[0].Lo <= b[0].Lo {
			a, b = b, a
		}
		if n := len(all); n > 0 && b[0].Lo <= all[n-1].Hi {
			all[n-1].Hi = max(all[n-1].Hi, b[0].Hi)
		} else {
			all = append(all, b[0])
		}
		b = b[1:]
	}
	return all
}

// minus returns the elements of a that are not in b. Both are sorted.
func minus(a, b []Interval) (rest []Interval) {
	for _, i := range a {
		for len(b) > 0 && b[0].Hi <= i.Lo {
			b = b[1:]
		}
		for _, cut := range b {
			if cut.Lo >= i.Hi {
				break
			}
			if i.Lo < cut.Lo {
				rest = append(rest, Interval{i.Lo, cut.Lo})
			}
			i.Lo = max(i.Lo, cut.Hi)
		}
		if i.Lo < i.Hi {
			rest = append(rest, i)
		}
	}
	return rest
}

func byLo(a, b Interval) int { return cmp.Compare(a.Lo, b.Lo) }

// meet reports whether a and b have an element in common. Both are sorted.
func meet(a, b []Interval) bool {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].Hi <= b[0].Lo:
			a = a[1:]
		case b[0].Hi <= a[0].Lo:
			b = b[1:]
		default:
			return true
		}
	}
	return false
}

// cover reports whether a contains all of b. Both are sorted.
func cover(a, b []Interval) bool {
	for _, i := range b {
		for len(a) > 0 && a[0].Hi <= i.Lo {
			a = a[1:]
		}
		if len(a) == 0 || a[0].Lo > i.Lo || a[0].Hi < i.Hi {
			return false
		}
	}
	return true
}
