package region

import "slices"

// use is what a rank does to the elements of a class in a step.
type use struct {
	step, rank int
	does       touch
}

func (u use) needsOld() bool { return u.does&(reads|writes) != 0 }

// changes reports whether the use may change the contents.
func (u use) changes() bool { return u.does.changes() }

// uses holds the uses of a class in the order of steps, then ranks. If one rank alone does the same
// in three or more steps that always follow each other, only the first and the last of them are
// there: the others make no difference to acquisitions.
type uses []use

// add adds a use that does not come before the last one.
func (all *uses) add(step, rank int, does touch, p *Plan) {
	list := *all
	n := len(list)
	if n > 0 && list[n-1].step == step && list[n-1].rank == rank {
		list[n-1].does |= does
		return
	}
	if n >= 3 && !p.holds && list[n-1].step != step && list.alone(n-3) && list.alone(n-2) && p.likewise(list[n-3], list[n-2]) && p.likewise(list[n-2], list[n-1]) {
		list[n-2] = list[n-1]
		list = list[:n-1]
	}
	*all = append(list, use{step, rank, does})
}

// alone reports whether use i, which is not the last, is the only one in its step.
func (all uses) alone(i int) bool {
	return all[i].step != all[i+1].step && (i == 0 || all[i].step != all[i-1].step)
}

// likewise reports whether a and b differ only in the step, and no span begins or ends between
// them.
func (p *Plan) likewise(a, b use) bool {
	return a.rank == b.rank && a.does == b.does && p.steps[a.step].border == p.steps[b.step].border
}

type acquisition struct {
	step, rank int
	exclusive  bool
}

type ranks []uint64

func (r ranks) has(i int) bool { return r[i/64]>>(i%64)&1 == 1 }

func (r ranks) set(i int, in bool) {
	if in {
		r[i/64] |= 1 << (i % 64)
	} else {
		r[i/64] &^= 1 << (i % 64)
	}
}

// fill adds all ranks from 0 to n-1.
func (r ranks) fill(n int) {
	for i := range r {
		r[i] = ^uint64(0)
	}
	r[len(r)-1] >>= (64 - n%64) % 64
}

func (r ranks) add(o ranks) (more bool) {
	for i := range r {
		more = more || o[i]&^r[i] != 0
		r[i] |= o[i]
	}
	return more
}

// flow is a graph of the steps that use one class. An edge leads to each step that can follow.
type flow struct {
	nodes  int
	points []point // in the order of steps
	spare  ranks
}

// point is a step that uses the class. stale and needed are solutions of data-flow
// equations: stale flows forward along the edges, needed flows backward.
type point struct {
	step   int
	uses   []use // the uses in this step
	after  []int // indexes of the points that can follow
	stale  ranks // before the step: ranks whose copy is older than a write of another rank
	needed ranks // after the step: ranks whose writes another rank will read
	from   int   // where the class is relayed, the rank that has it; otherwise -1
}

// acquisitions determines which ranks must acquire a class, and in which steps. A rank acquires
// the class if it uses the class after another rank has written it. The access is exclusive if
// another rank will read what this rank writes, unless this rank writes the class once more before
// that read. Between its acquisitions a rank writes the class without holding it: no other rank
// reads the class then, and the data move with the rank's next exclusive tenure.
//
// When a rank acquires the class again, only its own copy has the data that it has written since.
// No older version replaces these data: a rank that uses the class after a write of another rank
// acquires the class, even to overwrite it, so versions that arrive later are newer than its own.
//
// If Plan.holds is set, a rank acquires what it uses.
func (p *Plan) acquisitions(f *flow) (all []acquisition) {
	if !f.several() && !p.holds {
		return nil
	}
	for i := range f.points {
		virtual := p.steps[f.points[i].step].virtual
		for _, u := range f.points[i].uses {
			if !f.fetches(&f.points[i], u.rank) {
				continue
			}
			exclusive := u.changes() && (p.holds || f.points[i].needed.has(u.rank))
			if exclusive || !virtual && (p.holds || f.points[i].stale.has(u.rank)) {
				all = append(all, acquisition{u.step, u.rank, exclusive})
			}
		}
	}
	return all
}

// several reports whether several ranks use the class.
func (f *flow) several() bool {
	return slices.ContainsFunc(f.points, func(p point) bool {
		return slices.ContainsFunc(p.uses, func(u use) bool { return u.rank != f.points[0].uses[0].rank })
	})
}

// flow returns the solved equations of a class.
func (p *Plan) flow(c *class) *flow {
	f := newFlow(p.nodes, c.uses)
	order := make([]int, len(f.points))
	for i := range f.points {
		order[i] = i
		if i > 0 && p.steps[f.points[i-1].step].border == p.steps[f.points[i].step].border {
			f.points[i-1].after = order[i : i+1]
		}
	}
	for i := range f.points {
		if f.points[i].after == nil {
			f.points[i].after = f.next(i, p.spans)
		}
	}
	p.stale(f)
	if p.relays != nil && f.marks(p.relays) {
		for i := range f.points {
			clear(f.points[i].stale)
		}
		p.stale(f)
	}
	for f.backward() {
	}
	return f
}

// stale solves the equations for stale.
func (p *Plan) stale(f *flow) {
	if p.call {
		for _, i := range f.next(-1, p.spans) {
			f.points[i].stale.fill(p.nodes)
		}
	}
	for f.forward() {
	}
}

func (f *flow) none() ranks { return make(ranks, (f.nodes+63)/64) }

func newFlow(nodes int, all uses) *flow {
	steps := 0
	for i := range all {
		if i == 0 || all[i].step != all[i-1].step {
			steps++
		}
	}
	words := (nodes + 63) / 64
	memory := make(ranks, (2*steps+1)*words)
	f := &flow{nodes: nodes, points: make([]point, 0, steps), spare: memory[:words]}
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].step == all[0].step {
			n++
		}
		memory = memory[words:]
		stale := memory[:words]
		memory = memory[words:]
		f.points = append(f.points, point{from: -1, step: all[0].step, uses: all[:n], stale: stale, needed: memory[:words]})
		all = all[n:]
	}
	return f
}

// next returns the points that can follow point i: the next point in order, the first point after
// each span that may be skipped, and the first point of each span that may repeat. Point -1 is the
// begin of the program.
func (f *flow) next(i int, spans []span) (all []int) {
	if len(spans) == 0 && i+1 == len(f.points) {
		return nil
	}
	inside := func(s span) bool { return i >= 0 && s.has(f.points[i].step) }
	seen := make(map[int]bool)
	from := func(step int) int { // the first point at or after step
		k, _ := slices.BinarySearchFunc(f.points, step, func(p point, s int) int { return p.step - s })
		return k
	}
	var visit func(j int)
	visit = func(j int) {
		if seen[j] {
			return
		}
		seen[j] = true
		for _, s := range spans {
			if s.repeats && inside(s) && (j == len(f.points) || f.points[j].step > s.last) {
				visit(from(s.first))
			}
		}
		if j == len(f.points) {
			return
		}
		all = append(all, j)
		for _, s := range spans {
			if s.has(f.points[j].step) && !(inside(s) && j > i) {
				visit(from(s.last + 1))
			}
		}
	}
	visit(i + 1)
	return all
}

// forward makes one pass of the equations for stale. It reports whether another pass is needed.
func (f *flow) forward() (more bool) {
	for i := range f.points {
		p, out := &f.points[i], f.spare
		copy(out, p.stale)
		if slices.ContainsFunc(p.uses, use.changes) {
			out.fill(f.nodes)
		}
		for _, u := range p.uses {
			if f.fetches(p, u.rank) {
				out.set(u.rank, false)
			}
		}
		for _, j := range p.after {
			more = f.points[j].stale.add(out) && j <= i || more // earlier points changed
		}
	}
	return more
}

// backward makes one pass of the equations for needed. It reports whether another pass is needed.
func (f *flow) backward() (more bool) {
	for i := len(f.points) - 1; i >= 0; i-- {
		p := &f.points[i]
		for _, j := range p.after {
			more = p.needed.add(f.before(&f.points[j])) && j <= i || more
		}
	}
	return more
}

// before returns the ranks in needed as they are before point p. The result is valid until the
// next call.
func (f *flow) before(p *point) ranks {
	in := f.spare
	copy(in, p.needed)
	readers, reader, overwritten := 0, -1, false
	for _, u := range p.uses {
		if u.needsOld() {
			readers, reader = readers+1, u.rank
		} else if u.does&overwrites != 0 {
			overwritten = true
		}
		if u.changes() {
			in.set(u.rank, false)
		}
	}
	switch old := readers == 1 && in.has(reader); {
	case readers > 1:
		in.fill(f.nodes)
	case readers == 1:
		in.fill(f.nodes)
		in.set(reader, old && !overwritten)
	case overwritten:
		clear(in)
	}
	return in
}
