package region

import "slices"

// acquisition is a class that a rank acquires in a step.
type acquisition struct {
	step, rank int
	exclusive  bool
}

// ranks is a set of them.
type ranks []uint64

func (r ranks) has(i int) bool { return r[i/64]>>(i%64)&1 == 1 }

func (r ranks) set(i int, in bool) {
	if in {
		r[i/64] |= 1 << (i % 64)
	} else {
		r[i/64] &^= 1 << (i % 64)
	}
}

// add adds those of another set, and says whether there were new ones.
func (r ranks) add(o ranks) (more bool) {
	for i := range r {
		more = more || o[i]&^r[i] != 0
		r[i] |= o[i]
	}
	return more
}

// flow is where the data of a class go: steps in which ranks use it, and which can follow which.
type flow struct {
	nodes  int
	points []point
}

type point struct {
	step  int
	uses  []use // of the step
	after []int // the points that can be next
	stale ranks // before it: for whom another has written since it used the class last
	asked ranks // behind it: from whom another will read before the rank writes again, or anyone overwrites
}

// acquisitions finds out when a class must be acquired: by a rank that uses it after another has written; and exclusively by who
// writes what another will read, unless it will write again before. In between a rank writes what it has not acquired: nobody
// else looks, and what it leaves moves with its next exclusive tenure.
//
// So nobody may have what a rank has written when it acquires the class again, and that must not be replaced then by what is older. It is not, since
// whoever uses a class after others have written acquires it, even to overwrite it: what comes later is newer than its own.
func (p *Plan) acquisitions(c *class) (all []acquisition) {
	f := &flow{nodes: p.nodes}
	for _, u := range c.uses {
		if n := len(f.points); n == 0 || f.points[n-1].step != u.step {
			f.points = append(f.points, point{step: u.step, stale: f.none(), asked: f.none()})
		}
		last := &f.points[len(f.points)-1]
		last.uses = append(last.uses, u)
	}
	for i := range f.points {
		f.points[i].after = f.next(i, p.spans)
	}
	for f.forward() {
	}
	for f.backward() {
	}
	for i := range f.points {
		for _, u := range f.points[i].uses {
			tells := f.points[i].asked.has(u.rank) && u.changes()
			if tells || f.points[i].stale.has(u.rank) {
				all = append(all, acquisition{u.step, u.rank, tells})
			}
		}
	}
	return all
}

// olds says that a use needs what was there, changes that it may leave something else.
func (u use) olds() bool    { return u.does[reads] || u.does[writes] }
func (u use) changes() bool { return u.does[writes] || u.does[overwrites] }

func (f *flow) none() ranks { return make(ranks, (f.nodes+63)/64) }

// next are the points that can follow one: the next in order, what stands behind spans that are not executed, and the first of spans that
// are executed again.
func (f *flow) next(i int, spans []span) (all []int) {
	if len(spans) == 0 {
		if i+1 < len(f.points) {
			return []int{i + 1}
		}
		return nil
	}
	seen := make(map[int]bool)
	from := func(step int) int { // the first point at step or behind
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
			if s.repeats && s.has(f.points[i].step) && (j == len(f.points) || f.points[j].step > s.last) {
				visit(from(s.first))
			}
		}
		if j == len(f.points) {
			return
		}
		all = append(all, j)
		for _, s := range spans {
			if s.has(f.points[j].step) && !(s.has(f.points[i].step) && j > i) {
				visit(from(s.last + 1))
			}
		}
	}
	visit(i + 1)
	return all
}

// forward finds out for whom the class is stale; it is called until it finds no more.
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
			more = f.points[j].stale.add(out) && j <= i || more // those in front are looked at again
		}
	}
	return more
}

// backward finds out whose data are asked for.
func (f *flow) backward() (more bool) {
	for i := len(f.points) - 1; i >= 0; i-- {
		p := &f.points[i]
		for _, j := range p.after {
			more = p.asked.add(f.before(&f.points[j])) && j <= i || more
		}
	}
	return more
}

// before is who is asked for in front of a point.
func (f *flow) before(p *point) ranks {
	in := slices.Clone(p.asked)
	gone := slices.ContainsFunc(p.uses, func(u use) bool { return u.does[overwrites] && !u.olds() })
	readers, reader := 0, -1
	for _, u := range p.uses {
		if u.olds() {
			readers, reader = readers+1, u.rank
		}
	}
	for r := range f.nodes {
		switch {
		case readers > 1 || readers == 1 && reader != r:
			in.set(r, true)
		case gone || slices.ContainsFunc(p.uses, func(u use) bool { return u.rank == r && u.changes() }):
			in.set(r, false)
		}
	}
	return in
}
