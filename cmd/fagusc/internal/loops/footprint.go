package loops

import "slices"

// Footprint holds the elements that an access touches: At for all indices in Frames and Run.
type Footprint struct {
	Array  *Array
	At     *Poly // nil: the whole array
	Frames []Frame
	// Run is the loop whose iterations touch elements at a distance of Stride, or nil.
	Run    *Loop
	Stride int64
	Use    Touch
}

// Touch says what an access does to elements.
type Touch int

// The touches.
const (
	Reads      Touch = iota
	Writes           // may write some of the elements
	Overwrites       // writes all of the elements, and reads none of them before
)

// Frame is a loop over an index, or a condition.
type Frame struct {
	Loop *Loop // nil for a condition
	// Each says that the elements depend on the index of Loop. Otherwise it matters only whether
	// the loop has an iteration.
	Each bool
	Cond *Cond
}

// footprints returns the footprints of all accesses of a step, without duplicates.
func footprints(s *Step) (all []Footprint) {
	var nodes []*Node // of all
	covered := overwritten(s.Node)
	for n := range s.Node.All() {
		for _, a := range n.Own {
			if a.Access == nil {
				continue
			}
			if s.folds(a.Access) || slices.Contains(s.Private, a.Access.Array) {
				continue
			}
			p := place{a.Access, n}
			touch := Reads
			switch {
			case covered[a.Access] == behind:
				continue
			case covered[a.Access] == first:
				touch = Overwrites
			case a.Access.Write:
				touch = Writes
			}
			foot := s.footprint(p, touch, touch == Reads && !written(s.Node, a.Access.Array))
			if !slices.ContainsFunc(all, func(f Footprint) bool { return f.same(&foot) }) {
				all, nodes = append(all, foot), append(nodes, n)
			}
		}
	}
	return s.outermost(all, nodes)
}

func written(step *Node, array *Array) bool {
	return slices.ContainsFunc(step.accesses(), func(p place) bool { return p.Write && p.Array == array })
}

// folds reports whether ranks reduce the array or the element of an access.
func (s *Step) folds(a *Access) bool {
	return slices.ContainsFunc(s.Folds, func(f Fold) bool { return f.Array == a.Array || f.Reduces(a) })
}

func (f *Footprint) same(g *Footprint) bool {
	return f.Array == g.Array && f.Use == g.Use && (f.At == nil) == (g.At == nil) && (f.At == nil || f.At.Equal(*g.At)) &&
		f.Run.same(g.Run) && slices.EqualFunc(f.Frames, g.Frames, Frame.same)
}

func (f Frame) same(g Frame) bool {
	if f.Cond != nil && g.Cond != nil && f.Cond.Not0 == nil && g.Cond.Not0 == nil {
		return slices.EqualFunc(f.Cond.AtLeast0, g.Cond.AtLeast0, Poly.Equal)
	}
	return f.Loop.same(g.Loop) && f.Each == g.Each && f.Cond == g.Cond
}

// same reports whether loops have the same index and bounds; both may be nil.
func (l *Loop) same(m *Loop) bool {
	return l == m || l != nil && m != nil && l.Index == m.Index && slices.EqualFunc(l.Lo, m.Lo, Poly.Equal) && slices.EqualFunc(l.Hi, m.Hi, Poly.Equal)
}

// order classifies an access that does not depend on the element's value before the step.
type order int

const (
	first  order = 1 + iota // a certain write that does not depend on the old value
	behind                  // an access after such a write, in the same iteration
)

func overwritten(step *Node) map[*Access]order {
	found := make(map[*Access]order)
	var done []place
	for n := range step.All() {
		for _, a := range n.Own {
			if a.Access == nil || a.Access.At == nil {
				continue
			}
			p := place{a.Access, n}
			switch covers := slices.ContainsFunc(done, func(w place) bool { return w.coversAs(p) }); {
			case covers:
				found[a.Access] = behind
			case a.Access.Write && a.Access.Fold == "" && !a.Access.Partly && n.certain(step):
				found[a.Access] = first
				done = append(done, p)
			}
		}
	}
	return found
}

// coversAs reports whether w always writes the element that p accesses, before p: in the same or an
// earlier statement, or in finished loops whose index values include the index values of loops
// around p.
func (w place) coversAs(p place) bool {
	if w.Array != p.Array {
		return false
	}
	var done []*Loop
	outer := w.node.parent
	for ; w.node != p.node && outer != nil && !p.node.Within(outer); outer = outer.parent {
		if outer.Call {
			continue
		}
		if outer.Loop == nil {
			return false
		}
		done = append(done, outer.Loop)
	}
	var around []*Loop
	for n := p.node.parent; n != outer && n != nil; n = n.parent {
		if n.Loop != nil && n.Loop.Affine() {
			around = append(around, n.Loop)
		}
	}
	slices.Reverse(done)
	slices.Reverse(around)
	return matches(done, around, *w.At, *p.At)
}

// matches reports whether w equals p after loops in done are replaced by equal loops in around.
func matches(done, around []*Loop, w, p Poly) bool {
	if len(done) == 0 {
		return w.Equal(p)
	}
	d := done[0]
	for _, a := range around {
		if d.Step != a.Step || !slices.EqualFunc(d.Lo, a.Lo, Poly.Equal) || !slices.EqualFunc(d.Hi, a.Hi, Poly.Equal) {
			continue
		}
		to := Of(a.Index)
		rest := make([]*Loop, 0, len(done)-1)
		for _, l := range done[1:] {
			m := *l
			m.Lo, m.Hi = replaced(l.Lo, d.Index, to), replaced(l.Hi, d.Index, to)
			rest = append(rest, &m)
		}
		if matches(rest, around, w.Replace(d.Index, to), p) {
			return true
		}
	}
	return false
}

func replaced(all []Poly, s *Symbol, by Poly) (list []Poly) {
	for _, p := range all {
		list = append(list, p.Replace(s, by))
	}
	return list
}

// certain reports whether only loops and polynomial conditions in step decide that n is executed.
func (n *Node) certain(step *Node) bool {
	for ; ; n = n.parent {
		if n.If && n.Cond == nil || n.Loop != nil && (!n.Loop.Affine() || n.Loop.Leaves) {
			return false
		}
		if n == step {
			return true
		}
	}
}

// footprint determines on which loops of the step an access depends. Of the loops that only
// advance the element, the one with the smallest stride becomes the run.
//
// If the parameter more allows an overestimate, conditions that exclude one value, such as i != j,
// are ignored, because enumerating every pair would take as long as the loops.
func (s *Step) footprint(p place, touch Touch, more bool) Footprint {
	f := Footprint{Array: p.Array, Use: touch, At: p.At}
	for n := p.node; n != s.Node.parent; n = n.parent {
		if n == p.node {
			continue // the node's own actions are not under its loop or condition
		}
		if n.Loop != nil && !n.Loop.Affine() {
			if n.Loop.Index != nil && f.At != nil && f.At.Mentions(n.Loop.Index) {
				f.At = nil
			}
			continue
		}
		if n.Loop != nil {
			f.Frames = append(f.Frames, Frame{Loop: n.Loop, Each: f.needs(n.Loop.Index)})
		} else if n.Cond != nil && !(more && n.Cond.Not0 != nil && len(n.Cond.AtLeast0) == 0) {
			f.Frames = append(f.Frames, Frame{Cond: n.Cond})
		}
	}
	slices.Reverse(f.Frames)
	if f.At != nil && (s.Node.parent != nil || !p.node.certain(s.Node)) {
		f.clip(s, p)
	}
	if s.Kind == Serial && touch != Overwrites {
		f.widen()
	}
	f.run()
	return f
}

// clip leaves out elements where an access that is not always executed would end the program: by a
// bound of an inner loop or by a condition.
func (f *Footprint) clip(s *Step, p place) {
facts:
	for _, fact := range p.Inside {
		if provable(s.Node, p.node, fact, 0, true) {
			continue
		}
		for i := len(f.Frames) - 1; i >= 0; i-- {
			l := f.Frames[i].Loop
			if l == nil || l == s.Node.Loop || l.Step != 1 {
				continue
			}
			c, rest, ok := fact.Coefficient(l.Index)
			if !ok || c != 1 && c != -1 || slices.ContainsFunc(f.Frames[i:], func(g Frame) bool { return g.Loop != nil && rest.Mentions(g.Loop.Index) }) {
				continue
			}
			m := *l
			if c < 0 {
				m.Hi = append(slices.Clone(l.Hi), rest.Plus(Number(1)))
			} else {
				m.Lo = append(slices.Clone(l.Lo), Number(0).Minus(rest))
			}
			f.Frames[i].Loop = &m
			continue facts
		}
		f.Frames = append(f.Frames, Frame{Cond: &Cond{AtLeast0: []Poly{fact}}})
	}
}

// Work is what a step computes in one innermost loop, or without a loop.
type Work struct {
	// Frames are the loops from the step's loop to the innermost one. Field Each is set for a
	// loop whose index occurs in the bounds of an inner loop, and for all loops around such a
	// loop. Loops with an unknown number of iterations are left out.
	Frames   []Frame
	Accesses int // to elements, in an iteration
}

// Work returns the work of a step, and whether the bounds of all loops are known.
func (s *Step) Work() (all []Work, known bool) {
	known = true
	for n := range s.Node.All() {
		if n.Loop == nil && (n != s.Node || slices.ContainsFunc(n.Children, (*Node).loops)) {
			continue
		}
		known = known && (n.Loop == nil || n.Loop.Affine() && !n.Loop.Leaves)
		if slices.ContainsFunc(n.Children, (*Node).loops) {
			continue
		}
		var w Work
		for inner := range n.All() {
			for _, a := range inner.Own {
				if a.Access != nil {
					w.Accesses++
				}
			}
		}
		for _, l := range slices.Backward(s.counted(n)) {
			each := slices.ContainsFunc(w.Frames, func(f Frame) bool { return f.Each || f.mentions(l.Index) })
			w.Frames = append(w.Frames, Frame{Loop: l, Each: each})
		}
		slices.Reverse(w.Frames)
		all = append(all, w)
	}
	return all, known
}

// Scattered returns the sets of elements that a step writes one by one, at a distance from each
// other, as loops with one element in each iteration. It returns all that a step writes along a
// diagonal, because other ranks need that in the next step.
func (s *Step) Scattered() (all []Work) {
	if s.Kind != Parallel {
		return nil
	}
	for _, f := range s.Footprints {
		if f.Use == Reads || f.At == nil || !s.Node.Loop.Diagonal && f.Run != nil && magnitude(f.Stride) == 1 && (f.Run != s.Node.Loop || !s.Cyclic) {
			continue
		}
		var w Work
		for _, g := range f.Frames {
			if g.Loop != nil && g.Each {
				w.Frames = append(w.Frames, Frame{Loop: g.Loop})
			}
		}
		if f.Run != nil {
			w.Frames = append(w.Frames, Frame{Loop: f.Run})
		}
		for i := range w.Frames {
			index := w.Frames[i].Loop.Index
			w.Frames[i].Each = slices.ContainsFunc(w.Frames[i:], func(g Frame) bool { return g.mentions(index) })
		}
		for i := len(w.Frames) - 2; i >= 0; i-- { // as Work has it: also all loops around
			w.Frames[i].Each = w.Frames[i].Each || w.Frames[i+1].Each
		}
		all = append(all, w)
	}
	return all
}

// counted returns the loops from the step's loop to the loop of n, without loops whose number of
// iterations is not known.
func (s *Step) counted(n *Node) (all []*Loop) {
	for ; n != s.Node.parent; n = n.parent {
		if n.Loop != nil {
			all = append(all, n.Loop)
		}
	}
	slices.Reverse(all)
	var unknown []*Symbol // indices of the others
	return slices.DeleteFunc(all, func(l *Loop) bool {
		if l.Affine() && !l.Leaves && !slices.ContainsFunc(unknown, l.boundBy) {
			return false
		}
		unknown = append(unknown, l.Index)
		return true
	})
}

func (f *Footprint) needs(s *Symbol) bool {
	return f.At != nil && f.At.Mentions(s) || slices.ContainsFunc(f.Frames, func(g Frame) bool { return g.mentions(s) })
}

func (f *Footprint) runMentions(s *Symbol) bool {
	return f.Run != nil && (Frame{Loop: f.Run}).mentions(s)
}

func (g Frame) mentions(s *Symbol) bool {
	if g.Loop != nil {
		return g.Loop.boundBy(s)
	}
	return slices.ContainsFunc(g.Cond.Polys(), func(p Poly) bool { return p.Mentions(s) })
}

// run moves the loop with the smallest stride from the frames to Run.
func (f *Footprint) run() {
	if f.At == nil {
		return
	}
	best := -1
	for i, g := range f.Frames {
		if g.Loop == nil || !g.Each || slices.ContainsFunc(f.Frames, func(o Frame) bool { return o.mentions(g.Loop.Index) }) {
			continue
		}
		c, _, ok := f.At.Coefficient(g.Loop.Index)
		if c *= g.Loop.Step; ok && c != 0 && (best < 0 || magnitude(c) < magnitude(f.Stride)) {
			best, f.Stride = i, c
		}
	}
	if best >= 0 {
		f.Run = f.Frames[best].Loop
		f.Frames = slices.Delete(f.Frames, best, best+1)
	}
}

// rows removes an innermost loop from the frames, and returns it, if each of its iterations touches
// the same elements at a distance that does not depend on the iteration. If there is none, it
// returns nil.
func (f *Footprint) rows() *Loop {
	if f.At == nil {
		return nil
	}
	for i := len(f.Frames) - 1; i >= 0; i-- {
		l := f.Frames[i].Loop
		if l == nil || !f.Frames[i].Each || slices.ContainsFunc(f.Frames, func(o Frame) bool { return o.mentions(l.Index) }) {
			continue
		}
		if pitch, _, ok := f.At.Factor(l.Index); ok && !f.runMentions(l.Index) && (f.Run == nil || !pitch.Mentions(f.Run.Index)) {
			f.Frames = slices.Delete(slices.Clone(f.Frames), i, i+1)
			return l
		}
	}
	return nil
}

// without removes the condition that the index of l, a loop of the frames, is not x, and returns x.
// If the frames have no such condition, it returns nil.
func (f *Footprint) without(l *Loop) *Poly {
	if l == nil || !slices.ContainsFunc(f.Frames, func(g Frame) bool { return g.Loop == l }) {
		return nil
	}
	for i, g := range f.Frames {
		if g.Loop != nil || g.Cond.Not0 == nil || len(g.Cond.AtLeast0) > 0 {
			continue
		}
		c, rest, ok := g.Cond.Not0.Coefficient(l.Index)
		if !ok || c*c != 1 || slices.ContainsFunc(f.Frames, func(o Frame) bool { return o.Loop != nil && rest.Mentions(o.Loop.Index) }) {
			continue
		}
		x := rest.Times(Number(-c))
		f.Frames = slices.Delete(slices.Clone(f.Frames), i, i+1)
		for k := range f.Frames {
			if f.Frames[k].Loop == l {
				f.Frames[k].Each = f.needs(l.Index) || f.runMentions(l.Index)
			}
		}
		return &x
	}
	return nil
}

func magnitude(a int64) int64 {
	if a < 0 {
		return -a
	}
	return a
}
