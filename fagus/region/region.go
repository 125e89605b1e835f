package region

import (
	"cmp"
	"fmt"
	"slices"
)

// Interval are the elements Lo up to but not including Hi.
type Interval struct{ Lo, Hi int }

// Region is a set of elements.
type Region struct{ pieces []piece }

// piece are count runs of run elements each, the first at lo, which are stride apart.
type piece struct{ lo, run, count, stride int }

func (p piece) end() int { return p.lo + (p.count-1)*p.stride + p.run }

func (p piece) has(i int) bool {
	i -= p.lo
	return i >= 0 && i/p.stride < p.count && i%p.stride < p.run
}

// Add adds the elements lo up to but not including hi; none if there are none.
func (r *Region) Add(lo, hi int) { r.Strided(lo, hi-lo, 1, 1) }

// Strided adds count runs of run elements each, which are stride apart. If stride is negative, each begins before the one before.
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
		if last := &r.pieces[n-1]; last.count == 1 && last.lo <= lo && lo <= last.end() { // the most frequent case: it goes on
			last.run = max(last.run, lo+run-last.lo)
			last.stride = last.run
			return
		}
	}
	r.pieces = append(r.pieces, piece{lo, run, count, stride})
}

// has says whether an element is in it.
func (r *Region) has(i int) bool {
	return slices.ContainsFunc(r.pieces, func(p piece) bool { return p.has(i) })
}

// touches says whether an element is in zone, which is in order.
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

// covers says whether all of zone is in it, as far as that is seen without looking at too many runs.
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

// countable says that its runs are not too many to look at each.
func (r *Region) countable() bool {
	runs := 0
	for _, p := range r.pieces {
		runs += p.count
	}
	const most = 1 << 16
	return runs <= len(r.pieces) || runs <= most
}

// Intervals are the region's, in order and apart.
func (r *Region) Intervals() []Interval {
	return r.in([]Interval{{minInt, maxInt}})
}

const (
	maxInt = int(^uint(0) >> 1)
	minInt = -maxInt - 1
)

// in are the intervals of the part of the region that is in zone.
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

// appendCut appends the parts of i that are in zone, which is in order.
func appendCut(all []Interval, i Interval, zone []Interval) []Interval {
	k, behind := 0, len(zone)
	for k < behind { // the first that ends behind i.Lo
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

// hulls are intervals that the region is in, one a piece.
func (r *Region) hulls() (all []Interval) {
	for _, p := range r.pieces {
		all = append(all, Interval{p.lo, p.end()})
	}
	return merged(all)
}

// merged puts intervals in order, and those together that touch each other.
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

// union is both, each of which is in order.
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

// minus is what a has and b has not.
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

// meet says whether intervals in order have an element together.
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

// cover says whether all of b are in a.
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

// String lists the intervals.
func (r *Region) String() string { return fmt.Sprint(r.Intervals()) }
