package region

import (
	"cmp"
	"slices"
)

// touch is a set of kinds of access.
type touch uint8

const (
	reads      touch = 1 << iota // reads the elements
	writes                       // writes the elements, or some of them
	overwrites                   // writes all elements, without reading them before
)

// changes reports whether an access may change the contents.
func (t touch) changes() bool { return t&(writes|overwrites) != 0 }

// Region is the set of elements of an array that one rank accesses in one step of a plan, in one
// of the ways reads, writes and overwrites. It is made by [Plan.Reads] and its like.
type Region struct {
	to         *record
	step, rank int
	does       touch
}

// piece is a set of elements: rows sequences of count runs of run elements. The first run starts
// at lo; runs of a sequence start stride elements after each other, and sequences pitch elements.
// If both count and rows exceed 1, pitch is at least stride.
type piece struct{ lo, run, count, stride, rows, pitch int }

// record holds all accesses to one array.
type record struct {
	length  int
	entries []entry // in the order of steps, then ranks, unless mixed
	mixed   bool
	written []extent // an index of the entries that write, for Owner
	indexed int      // number of entries that the index covers
}

// entry is a part of a region.
type entry struct {
	piece
	step, rank int32
	does       touch
}

// Add adds the elements lo to hi-1. If hi <= lo, it adds nothing.
func (r Region) Add(lo, hi int) { r.Grid(lo, hi-lo, 1, 1, 1, 1) }

// Strided adds runs of elements. count is the number of runs, and run the number of elements of
// each. The first run starts at lo; each further run starts stride elements after the one before.
// stride may be negative.
func (r Region) Strided(lo, run, count, stride int) { r.Grid(lo, run, count, stride, 1, 1) }

// Grid adds the elements of Strided(lo, run, count, stride) and of rows-1 further calls, each with
// a lo that is pitch elements larger than the one before. pitch may be negative. A plan takes the
// same time for any number of rows.
func (r Region) Grid(lo, run, count, stride, rows, pitch int) {
	if count <= 0 || run <= 0 || rows <= 0 || r.to == nil {
		return
	}
	if stride < 0 {
		lo, stride = lo+(count-1)*stride, -stride
	}
	if pitch < 0 {
		lo, pitch = lo+(rows-1)*pitch, -pitch
	}
	if rows == 1 || pitch == 0 {
		rows, pitch = 1, 1
	}
	if count > 1 && rows > 1 && stride > pitch {
		count, stride, rows, pitch = rows, pitch, count, stride
	}
	if count == 1 || stride <= run {
		run, count, stride = (count-1)*stride+run, 1, 1
		if pitch <= run {
			run, rows, pitch = (rows-1)*pitch+run, 1, 1
		}
	}
	r.to.add(entry{piece{lo, run, count, stride, rows, pitch}, int32(r.step), int32(r.rank), r.does})
}

// add appends e, or joins it with one of the last entries.
func (r *record) add(e entry) {
	const last = 8
	n := len(r.entries)
	for i := n - 1; i >= max(0, n-last) && r.entries[i].before(&e) == 0; i-- {
		o := &r.entries[i]
		switch {
		case o.piece == e.piece:
			o.does |= e.does
		case i < n-1 || o.does != e.does || !o.join(e.piece):
			continue
		}
		r.indexed = min(r.indexed, i)
		return
	}
	r.mixed = r.mixed || n > 0 && e.before(&r.entries[n-1]) < 0
	r.entries = append(r.entries, e)
}

func (e *entry) before(o *entry) int {
	return cmp.Or(cmp.Compare(e.step, o.step), cmp.Compare(e.rank, o.rank))
}

// join adds the elements of q, if the result is one piece.
func (p *piece) join(q piece) bool {
	switch {
	case p.rows == 1 && p.count == 1 && q.rows == 1 && q.count == 1 && p.lo <= q.lo && q.lo <= p.lo+p.run:
		p.run = max(p.run, q.lo+q.run-p.lo)
	case p.run != q.run || p.count != q.count || p.stride != q.stride || q.rows != 1 || q.lo <= p.lo:
		return false
	case p.rows == 1 && q.lo-p.lo >= p.stride:
		p.rows, p.pitch = 2, q.lo-p.lo
	case p.rows > 1 && q.lo == p.lo+p.rows*p.pitch:
		p.rows++
	default:
		return false
	}
	return true
}

// inOrder sorts the entries.
func (r *record) inOrder() []entry {
	if r.mixed {
		slices.SortStableFunc(r.entries, func(a, b entry) int { return a.before(&b) })
		r.mixed, r.written, r.indexed = false, nil, 0
	}
	return r.entries
}

// extent is a sequence of entries of one step. Those that write do so from lo to hi-1.
type extent struct{ first, end, lo, hi int }

// owner returns the first rank that writes an element in the last step that writes it. found is
// false if there is none.
func (r *record) owner(element int) (rank int, found bool) {
	all := r.inOrder()
	for n := len(r.written); n > 0 && r.written[n-1].end > r.indexed; n-- {
		r.written, r.indexed = r.written[:n-1], r.written[n-1].first
	}
	for ; r.indexed < len(all); r.indexed++ {
		e, n := &all[r.indexed], len(r.written)
		if !e.does.changes() {
			continue
		}
		if n == 0 || all[r.written[n-1].first].step != e.step {
			r.written = append(r.written, extent{r.indexed, r.indexed, e.lo, e.end()})
			n++
		}
		x := &r.written[n-1]
		x.end, x.lo, x.hi = r.indexed+1, min(x.lo, e.lo), max(x.hi, e.end())
	}
	for _, x := range slices.Backward(r.written) {
		if element < x.lo || element >= x.hi {
			continue
		}
		for i := x.first; i < x.end; i++ {
			if e := &all[i]; e.does.changes() && e.has(element) {
				return int(e.rank), true
			}
		}
	}
	return 0, false
}

func (p *piece) end() int { return p.lo + (p.rows-1)*p.pitch + p.length() }

// length returns the number of elements from the first to the last of a sequence of runs.
func (p *piece) length() int { return (p.count-1)*p.stride + p.run }

func (p *piece) has(i int) bool {
	i -= p.lo
	// Sequences may overlap: the element is in one of those that begin before it, and not too
	// long before it.
	for k := min(p.rows-1, i/p.pitch); i >= 0 && k >= 0 && i-k*p.pitch < p.length(); k-- {
		if (i-k*p.pitch)%p.stride < p.run {
			return true
		}
	}
	return false
}

// rowsIn returns the numbers of the first and the last sequence that can have an element from lo
// to hi-1; first > last if there is none.
func (p *piece) rowsIn(lo, hi int) (first, last int) {
	return within(p.lo, p.length(), p.rows, p.pitch, lo, hi)
}

// within returns the numbers of the first and the last of count runs that meet the elements lo to
// hi-1; first > last if there is none. Runs start at from, and stride elements after each other.
func within(from, run, count, stride, lo, hi int) (first, last int) {
	last = count - 1
	if lo >= from+run {
		first = (lo-from-run)/stride + 1
	}
	if hi <= from {
		return 0, -1
	}
	return first, min(last, (hi-1-from)/stride)
}

// each calls f with what the runs have in common with the intervals of zone, which are sorted, and
// the index of the interval. It ends when f returns false.
func (p *piece) each(zone []Interval, f func(i Interval, at int) bool) bool {
	if len(zone) == 0 {
		return true
	}
	first, last := p.rowsIn(zone[0].Lo, zone[len(zone)-1].Hi)
	at, step := 0, 0 // the next row is probably step intervals after this one
	for k := first; k <= last; k++ {
		lo := p.lo + k*p.pitch
		start := near(zone, at+step, lo)
		at, step = start, start-at
		for n := start; n < len(zone) && zone[n].Lo < lo+p.length(); n++ {
			i := zone[n]
			from, to := within(lo, p.run, p.count, p.stride, i.Lo, i.Hi)
			for m := from; m <= to; m++ {
				at := lo + m*p.stride
				if !f(Interval{max(at, i.Lo), min(at+p.run, i.Hi)}, n) {
					return false
				}
			}
		}
	}
	return true
}

// hull returns p with each sequence of runs as one run.
func (p piece) hull() piece {
	p.run, p.count, p.stride = p.length(), 1, 1
	if p.rows > 1 && p.pitch <= p.run {
		p.run, p.rows, p.pitch = (p.rows-1)*p.pitch+p.run, 1, 1
	}
	return p
}

// Interval is the sequence of elements Lo to Hi-1.
type Interval struct{ Lo, Hi int }

// behind returns the index of the first interval of zone that ends after lo.
func behind(zone []Interval, lo int) int {
	k, behind := 0, len(zone)
	for k < behind {
		if middle := (k + behind) / 2; zone[middle].Hi <= lo {
			k = middle + 1
		} else {
			behind = middle
		}
	}
	return k
}

// near is as behind, and fast if the result is near guess.
func near(zone []Interval, guess, lo int) int {
	guess = min(max(guess, 0), len(zone))
	first, end, step := guess, guess, 1
	for first > 0 && zone[first-1].Hi > lo {
		first, end, step = max(0, first-step), first-1, 2*step
	}
	for end < len(zone) && zone[end].Hi <= lo {
		first, end, step = end+1, min(len(zone), end+step), 2*step
	}
	return first + behind(zone[first:end], lo)
}

// merged sorts intervals and joins those that overlap or adjoin, in place.
func merged(all []Interval) []Interval {
	if !slices.IsSortedFunc(all, byLo) {
		slices.SortFunc(all, byLo)
	}
	out := all[:0]
	for _, i := range all {
		out = appended(out, i)
	}
	return out
}

func byLo(a, b Interval) int { return cmp.Compare(a.Lo, b.Lo) }

// appended appends i, or joins it with the last interval of all, which does not begin after i.
func appended(all []Interval, i Interval) []Interval {
	if n := len(all); n > 0 && i.Lo <= all[n-1].Hi {
		all[n-1].Hi = max(all[n-1].Hi, i.Hi)
		return all
	}
	return append(all, i)
}

// union returns the union of a and b, each of which is sorted.
func union(a, b []Interval) []Interval {
	return merged(append(append(make([]Interval, 0, len(a)+len(b)), a...), b...))
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

func size(all []Interval) (n int) {
	for _, i := range all {
		n += i.Hi - i.Lo
	}
	return n
}
