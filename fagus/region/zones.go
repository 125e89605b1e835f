package region

import (
	"cmp"
	"slices"
)

// class is a set of elements of an array that all ranks use in the same way.
type class struct {
	array     int
	intervals []Interval
	uses      uses
}

// classes divides the elements of an array into classes. Elements that only one rank uses, apart
// from the input and the output, form two classes of that rank: the elements that it overwrites
// before any other use, and the rest. These classes may include unused elements. All other
// elements are shared: the array is cut wherever an access begins or ends, and pieces with the
// same uses form a class.
func (p *Plan) classes(array int) (list []*class) {
	r := p.early(array)
	f := r.fold()
	z := &zones{
		plan: p, array: array, fold: f,
		private: make([][]Interval, p.nodes), byRank: make([][]Interval, p.nodes+1),
		known: make(map[signature]*class), same: make(map[signature]*class),
	}
	hulls, exact := z.outer(r.entries)
	all, outer, inner := newSweep(f.rects), newSweep(hulls), newSweep(exact)
	bands := f.divide(f.rects, hulls, exact)
	for i, y := range bands[:max(0, len(bands)-1)] {
		active := all.to(y)
		if shared := z.divide(y, bands[i+1], outer.to(y), hulls, inner.to(y), exact); len(shared) > 0 {
			z.share(y, bands[i+1], shared, active)
		}
	}
	byRank := p.byRank(r.entries)
	for rank, own := range z.private {
		if own = merged(own); len(own) == 0 {
			continue
		}
		fresh, rest := p.fresh(byRank[rank], own)
		for _, part := range [][]Interval{fresh, rest} {
			if len(part) > 0 {
				list = append(list, &class{array, part, p.privateUses(byRank[rank], part)})
			}
		}
	}
	for _, c := range z.shared {
		c.intervals = merged(c.intervals)
	}
	return append(list, z.shared...)
}

// early returns a record of the same accesses if the program changes the array. If only the input
// changes it, early moves the reads of steps that always follow each other to the first of them: a
// rank acquires all at once, and the array has fewer classes.
func (p *Plan) early(array int) *record {
	r := &p.arrays[array]
	entries := r.inOrder()
	if p.stays(array) || p.holds || slices.ContainsFunc(entries, func(e entry) bool { return e.does.changes() && !p.outside(e.step) }) {
		return r
	}
	type place struct{ rank, border, inputs int }
	first := make(map[place]int32)
	inputs := 0 // number of accesses of the input so far
	moved := &record{length: r.length, entries: slices.Clone(entries), mixed: true}
	for i := range moved.entries {
		e := &moved.entries[i]
		if p.outside(e.step) {
			inputs++
			continue
		}
		at := place{int(e.rank), p.steps[e.step].border, inputs}
		if step, ok := first[at]; ok {
			e.step = step
		} else {
			first[at] = e.step
		}
	}
	moved.inOrder()
	return moved
}

// zones divides an array into classes, band by band.
type zones struct {
	plan    *Plan
	array   int
	fold    *fold
	private [][]Interval // by rank: elements that only this rank uses
	shared  []*class     // in the order of their first elements
	known   map[signature]*class
	same    map[signature]*class // by the signatures of their uses
	byRank  [][]Interval         // by rank less many: used by parts
	cuts    cuts
	visits  []visit
}

// many stands for several ranks.
const many = -1

// outer returns the accesses of the program without the input and the output: as hulls, in which
// each sequence of runs is one run, and exactly. Most of what is certainly a part of the other
// accesses of the same rank is missing. If all hulls are exact, the second result is empty.
func (z *zones) outer(entries []entry) (hulls, exact []rect) {
	f := &fold{width: z.fold.width, length: z.fold.length, rects: make([]rect, 0, len(entries))}
	part := fold{width: f.width, length: f.length}
	add := func(p piece, e *entry) {
		part.rects = part.rects[:0]
		part.add(p, rect{step: e.step, rank: e.rank})
		for _, r := range part.rects {
			if o := f.recent(&r); o == nil {
				f.rects = append(f.rects, r)
			} else if o.rank != r.rank {
				o.rank = many
			}
		}
	}
	strided := false
	for i := range entries {
		e := &entries[i]
		if !z.plan.outside(e.step) {
			strided = strided || e.count > 1
			add(e.hull(), e)
		}
	}
	hulls = largest(f.rects, z.plan.nodes)
	if !strided {
		return hulls, nil
	}
	f.rects = nil
	for i := range entries {
		if e := &entries[i]; !z.plan.outside(e.step) {
			add(e.piece, e)
		}
	}
	return hulls, largest(f.rects, z.plan.nodes)
}

// largest returns rects without those that are parts of the largest one of the same rank.
func largest(rects []rect, nodes int) []rect {
	most := make([]int, nodes)
	for i := range most {
		most[i] = -1
	}
	for i := range rects {
		if k := rects[i].rank; k != many && (most[k] < 0 || rects[i].area() > rects[most[k]].area()) {
			most[k] = i
		}
	}
	n := 0
	for i, r := range rects {
		if k := r.rank; k == many || most[k] == i || !rects[most[k]].contains(&r) {
			if k != many && most[k] == i {
				most[k] = n
			}
			rects[n] = r
			n++
		}
	}
	return rects[:n]
}

// stretch is an interval of a row, and the rank that uses it.
type stretch struct {
	Interval
	rank int
}

// divide finds out which elements of the rows y0 to y1-1 only one rank uses, and adds them to
// z.private. It returns those that several ranks use, as intervals of each row. The indexes outer
// and inner are of the active rectangles.
func (z *zones) divide(y0, y1 int, outer []int32, hulls []rect, inner []int32, exact []rect) []Interval {
	private, shared := z.alone(z.parts(outer, hulls, []Interval{{0, z.fold.width}}))
	if len(exact) > 0 && len(shared) > 0 {
		var more []stretch
		more, shared = z.alone(z.parts(inner, exact, shared))
		private = append(private, more...)
		slices.SortFunc(private, func(a, b stretch) int { return cmp.Compare(a.Lo, b.Lo) })
	}
	for y := y0; y < y1 && len(private) > 0; y++ {
		at := y * z.fold.width
		for _, i := range private {
			z.private[i.rank] = appended(z.private[i.rank], Interval{at + i.Lo, at + i.Hi})
		}
	}
	return shared
}

// parts returns what the active rectangles have in common with zone. The parts of a rank are
// disjoint.
func (z *zones) parts(active []int32, rects []rect, zone []Interval) (all []stretch) {
	for n := range z.byRank {
		z.byRank[n] = z.byRank[n][:0]
	}
	for _, i := range active {
		r := &rects[i]
		row := piece{r.x, r.run, r.count, r.stride, 1, 1}
		row.each(zone, func(i Interval, _ int) bool {
			z.byRank[r.rank-many] = append(z.byRank[r.rank-many], i)
			return true
		})
	}
	for n, own := range z.byRank {
		for _, i := range z.union(own) {
			all = append(all, stretch{i, n + many})
		}
	}
	return all
}

// union returns the union of intervals of a row, sorted.
func (z *zones) union(all []Interval) (sorted []Interval) {
	if slices.IsSortedFunc(all, byLo) {
		return merged(all)
	}
	c := &z.cuts
	c.clear(z.fold.width, 2*len(all))
	for _, i := range all {
		c.add(i.Lo)
		c.add(i.Hi)
	}
	places := c.number()
	begins := make([]int, len(places)) // the number of intervals that begin, less those that end
	for _, i := range all {
		begins[c.index(i.Lo)]++
		begins[c.index(i.Hi)]--
	}
	open := 0
	for i, x := range places {
		if open += begins[i]; open > 0 {
			sorted = appended(sorted, Interval{x, places[i+1]})
		}
	}
	return sorted
}

// alone separates the elements that only one rank uses from those that several ranks use.
func (z *zones) alone(all []stretch) (private []stretch, shared []Interval) {
	c := &z.cuts
	c.clear(z.fold.width, 2*len(all))
	for _, i := range all {
		c.add(i.Lo)
		c.add(i.Hi)
	}
	places := c.number()
	// users holds how many more ranks use the elements from a place on, and the sum of their
	// numbers.
	users := make([]struct{ ranks, sum int }, len(places))
	for _, i := range all {
		weight := 1
		if i.rank == many {
			weight = 2
		}
		lo, hi := &users[c.index(i.Lo)], &users[c.index(i.Hi)]
		lo.ranks, lo.sum = lo.ranks+weight, lo.sum+weight*i.rank
		hi.ranks, hi.sum = hi.ranks-weight, hi.sum-weight*i.rank
	}
	ranks, sum := 0, 0 // if one rank uses the elements, sum is its number
	for i, x := range places {
		ranks, sum = ranks+users[i].ranks, sum+users[i].sum
		switch n := len(private); {
		case ranks == 0:
		case ranks > 1:
			shared = appended(shared, Interval{x, places[i+1]})
		case n > 0 && private[n-1].rank == sum && private[n-1].Hi == x:
			private[n-1].Hi = places[i+1]
		default:
			private = append(private, stretch{Interval{x, places[i+1]}, sum})
		}
	}
	return private, shared
}
