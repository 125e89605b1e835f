package region

import "slices"

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
}

// point is a step that uses the class. stale and needed are solutions of data-flow
// equations: stale flows forward along the edges, needed flows backward.
type point struct {
	step   int
	uses   []use // the uses in this step
	after  []int // indexes of the points that can follow
	stale  ranks // before the step: ranks whose copy is older than a write of another rank
	needed ranks // after the step: ranks whose writes another rank will read
}

// acquisitions determines which ranks must acquire a class, and in which steps. A rank acquires
// the class if it uses the class after another rank has written it. The access is exclusive if
// another rank will read what this rank writes, unless this rank writes the class once more before
// that read. Between its acquisitions a rank writes the class without holding it: no other rank
// reads the class then, and the data move with the rank's next exclusive tenure.
//
// If Plan.holds is set, a rank acquires what it uses.
//
// When a rank acquires the class again, only its own copy has the data that it has written since.
// No older version replaces these data: a rank that uses the class after a write of another rank
// acquires the class, even to overwrite it, so versions that arrive later are newer than its own.
func (p *Plan) acquisitions(f *flow) (all []acquisition) {
	if p.call && !f.several() && !p.holds {
		return nil
	}
	for i := range f.points {
		virtual := p.steps[f.points[i].step].virtual
		for _, u := range f.points[i].uses {
			exclusive := u.changes() && (p.holds || f.points[i].needed.has(u.rank))
			if exclusive || !virtual && (p.holds || f.points[i].stale.has(u.rank)) {
				all = append(all, acquisition{u.step, u.rank, exclusive})
			}
		}
	}
	return all
}

// flow returns the solved equations of a class.
func (p *Plan) flow(c *class) *flow {
	f := &flow{nodes: p.nodes}
	for _, u := range c.uses {
		if n := len(f.points); n == 0 || f.points[n-1].step != u.step {
			f.points = append(f.points, point{step: u.step, stale: f.none(), needed: f.none()})
		}
		last := &f.points[len(f.points)-1]
		last.uses = append(last.uses, u)
	}
	for i := range f.points {
		f.points[i].after = f.next(i, p.spans)
	}
	if p.call {
		for _, i := range f.next(-1, p.spans) {
			for r := range p.nodes {
				f.points[i].stale.set(r, true)
			}
		}
	}
	for f.forward() {
	}
	for f.backward() {
	}
	return f
}

// several reports whether several ranks use the class.
func (f *flow) several() bool {
	return slices.ContainsFunc(f.points, func(p point) bool {
		return slices.ContainsFunc(p.uses, func(u use) bool { return u.rank != f.points[0].uses[0].rank })
	})
}

func (u use) needsOld() bool { return u.does[reads] || u.does[writes] }

// changes reports whether the use may change the contents.
func (u use) changes() bool { return u.does[writes] || u.does[overwrites] }

func (f *flow) none() ranks { return make(ranks, (f.nodes+63)/64) }

// next returns the points that can follow point i: the next point in order, the first point after
// each span that may be skipped, and the first point of each span that may repeat. Point -1 is the
// begin of the program.
func (f *flow) next(i int, spans []span) (all []int) {
	if len(spans) == 0 {
		if i+1 < len(f.points) {
			return []int{i + 1}
		}
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
		p := &f.points[i]
		out := slices.Clone(p.stale)
		for _, u := range p.uses {
			if u.changes() {
				for r := range f.nodes {
					out.set(r, true)
				}
			}
		}
		for _, u := range p.uses {
			out.set(u.rank, false)
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

// before returns the ranks in needed as they are before point p.
func (f *flow) before(p *point) ranks {
	in := slices.Clone(p.needed)
	overwritten := slices.ContainsFunc(p.uses, func(u use) bool { return u.does[overwrites] && !u.needsOld() })
	readers, reader := 0, -1
	for _, u := range p.uses {
		if u.needsOld() {
			readers, reader = readers+1, u.rank
		}
	}
	for r := range f.nodes {
		switch {
		case readers > 1 || readers == 1 && reader != r:
			in.set(r, true)
		case overwritten || slices.ContainsFunc(p.uses, func(u use) bool { return u.rank == r && u.changes() }):
			in.set(r, false)
		}
	}
	return in
}
