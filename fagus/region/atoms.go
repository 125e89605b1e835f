package region

import (
	"math/bits"
	"slices"
)

// signature identifies a multiset of uses: two sums of pseudo-random 64-bit numbers of each use.
type signature [2]uint64

func signatureOf(step, rank int32, does touch) (s signature) {
	for t := reads; t <= overwrites; t <<= 1 {
		if does&t != 0 {
			x := uint64(step)<<34 | uint64(rank)<<3 | uint64(t)
			s.add(signature{scramble(2*x + 1), scramble(^x)})
		}
	}
	return s
}

func (s *signature) add(o signature) { s[0], s[1] = s[0]+o[0], s[1]+o[1] }
func (s *signature) sub(o signature) { s[0], s[1] = s[0]-o[0], s[1]-o[1] }

// scramble returns a pseudo-random function of x (SplitMix64).
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// cuts is a set of places in a row, numbered in order.
type cuts struct {
	list   []int    // the places; sorted once numbered
	bits   []uint64 // unless few: a bit for each place
	before []int32  // unless few: the number of bits in the words before each word
	few    bool
}

// clear makes the set empty, for about n places from 0 to width.
func (c *cuts) clear(width, n int) {
	const sortable = 8 // places that are sorted in the time in which the bits of a word are counted
	words := width/64 + 1
	c.list, c.few = c.list[:0], n*sortable < words
	if !c.few {
		c.bits, c.before = slices.Grow(c.bits[:0], words)[:words], slices.Grow(c.before[:0], words)[:words]
		clear(c.bits)
	}
}

func (c *cuts) add(x int) {
	if c.few {
		c.list = append(c.list, x)
	} else {
		c.bits[x/64] |= 1 << (x % 64)
	}
}

// number numbers the places from 0. It returns them in order.
func (c *cuts) number() []int {
	if c.few {
		slices.Sort(c.list)
		c.list = slices.Compact(c.list)
		return c.list
	}
	for i, word := range c.bits {
		c.before[i] = int32(len(c.list))
		for ; word != 0; word &= word - 1 {
			c.list = append(c.list, 64*i+bits.TrailingZeros64(word))
		}
	}
	return c.list
}

// index returns the number of a place in the set.
func (c *cuts) index(x int) int {
	if c.few {
		i, _ := slices.BinarySearch(c.list, x)
		return i
	}
	return int(c.before[x/64]) + bits.OnesCount64(c.bits[x/64]&(1<<(x%64)-1))
}

// visit is a run of a rectangle, from its first to its last element that several ranks use.
type visit struct {
	lo, hi int // first places, later indexes of cuts
	rect   int32
}

// share divides the elements shared of the rows y0 to y1-1 into classes. The indexes active are of
// the rectangles in these rows.
//
// The row is cut where runs begin or end. The pieces between, the atoms, are told apart by the
// signatures of their uses, which are sums over all runs that begin before an atom and have not
// ended. Only atoms with a new signature need a list of uses.
func (z *zones) share(y0, y1 int, shared []Interval, active []int32) {
	z.visits = z.visits[:0]
	for _, at := range active {
		z.visit(at, shared)
	}
	c := &z.cuts
	c.clear(z.fold.width, 2*len(shared)+2*len(z.visits))
	for _, i := range shared {
		c.add(i.Lo)
		c.add(i.Hi)
	}
	for _, v := range z.visits {
		c.add(v.lo)
		c.add(v.hi)
	}
	places := c.number()
	sums := make([]signature, len(places))
	var sign signature
	for i := range z.visits {
		v := &z.visits[i]
		if r := &z.fold.rects[v.rect]; i == 0 || z.visits[i-1].rect != v.rect {
			sign = signatureOf(r.step, r.rank, r.does)
		}
		v.lo, v.hi = c.index(v.lo), c.index(v.hi)
		sums[v.lo].add(sign)
		sums[v.hi].sub(sign)
	}
	for i := range sums[1:] {
		sums[i+1].add(sums[i])
	}
	z.meet(shared, places, sums)
	z.place(y0, y1, shared, places, sums)
}

// visit adds the runs of a rectangle that have elements in shared to z.visits.
func (z *zones) visit(at int32, shared []Interval) {
	r := &z.fold.rects[at]
	first := behind(shared, r.x)
	if r.count == 1 {
		z.add(at, shared[first:], r.x, r.x+r.run)
		return
	}
	shared = shared[first:]
	add := func(k int) { // run k, after those with smaller numbers
		lo := r.x + k*r.stride
		shared = shared[near(shared, 0, lo):]
		z.add(at, shared, lo, lo+r.run)
	}
	if r.count <= len(shared)+1 {
		for k := range r.count {
			add(k)
		}
		return
	}
	next := 0 // the first run that has not been visited
	for _, i := range shared {
		from, to := within(r.x, r.run, r.count, r.stride, i.Lo, i.Hi)
		for next = max(next, from); next <= to; next++ {
			add(next)
		}
	}
}

// add adds the places lo to hi-1 to z.visits, from the first to the last element in shared. The
// first interval of shared ends after lo.
func (z *zones) add(at int32, shared []Interval, lo, hi int) {
	if len(shared) == 0 || shared[0].Lo >= hi {
		return
	}
	last := 0
	if len(shared) > 1 && shared[1].Lo < hi {
		last = near(shared, 1, hi-1)
		if last == len(shared) || shared[last].Lo >= hi {
			last--
		}
	}
	z.visits = append(z.visits, visit{max(lo, shared[0].Lo), min(hi, shared[last].Hi), at})
}

// meet makes a class for each new signature.
func (z *zones) meet(shared []Interval, places []int, sums []signature) {
	found := make([]*uses, 0)
	var signs []signature
	first := make([]int32, len(places)+1) // by place: index in found of the next new class
	next := 0
	for i, x := range places {
		first[i] = int32(len(found))
		for next < len(shared) && shared[next].Hi <= x {
			next++
		}
		if next < len(shared) && shared[next].Lo <= x && z.known[sums[i]] == nil {
			z.known[sums[i]] = &class{}
			found, signs = append(found, &uses{}), append(signs, sums[i])
		}
	}
	if len(found) == 0 {
		return
	}
	for _, v := range z.visits {
		r := &z.fold.rects[v.rect]
		for _, u := range found[first[v.lo]:first[v.hi]] {
			u.add(int(r.step), int(r.rank), r.does, z.plan)
		}
	}
	for i, u := range found {
		var sign signature
		for _, one := range *u {
			sign.add(signatureOf(int32(one.step), int32(one.rank), one.does))
		}
		c := z.same[sign]
		if c == nil {
			c = &class{array: z.array, uses: slices.Clip(*u)}
			z.same[sign], z.shared = c, append(z.shared, c)
		}
		z.known[signs[i]] = c
	}
}

// place adds the atoms of the rows y0 to y1-1 to their classes.
func (z *zones) place(y0, y1 int, shared []Interval, places []int, sums []signature) {
	type atom struct {
		Interval
		in *class
	}
	var atoms []atom
	i := 0
	for _, s := range shared {
		for ; places[i] < s.Lo; i++ {
		}
		for ; places[i] < s.Hi; i++ {
			c := z.known[sums[i]]
			if n := len(atoms); n > 0 && atoms[n-1].in == c && atoms[n-1].Hi == places[i] {
				atoms[n-1].Hi = places[i+1]
			} else {
				atoms = append(atoms, atom{Interval{places[i], places[i+1]}, c})
			}
		}
	}
	for y := y0; y < y1; y++ {
		at := y * z.fold.width
		for _, a := range atoms {
			a.in.intervals = appended(a.in.intervals, Interval{at + a.Lo, at + a.Hi})
		}
	}
}
