package loops

import "slices"

// outermost leaves out elements that another footprint of the same iterations has, such as a[i*n+k]
// beside a[i*n+j] for all j. A plan would split rows at these elements.
func (s *Step) outermost(all []Footprint, nodes []*Node) (rest []Footprint) {
	within := func(i, k int) bool { return s.within(&all[i], nodes[i], &all[k]) }
	for i := range all {
		outer := false
		for k := range all { // of equal footprints the first stays
			outer = outer || k != i && within(i, k) && (k < i || !within(k, i))
		}
		if !outer {
			rest = append(rest, all[i])
		}
	}
	return rest
}

// frames returns the frames of a footprint, and its run as one of them.
func frames(f *Footprint) []Frame {
	if f.Run == nil {
		return f.Frames
	}
	return append(slices.Clone(f.Frames), Frame{Loop: f.Run, Each: true})
}

// within reports whether f, the footprint of an access at node n, certainly is a part of g, and
// both are read or both are written: it looks for an iteration of one loop of g that uses the
// element of f.
func (s *Step) within(f *Footprint, n *Node, g *Footprint) bool {
	if f.Array != g.Array || f.Use != g.Use || f.Use == Overwrites || f.At == nil || g.At == nil {
		return false
	}
	var extra *Loop
	for _, frame := range frames(g) {
		if slices.ContainsFunc(frames(f), func(o Frame) bool { return o.same(frame) }) {
			continue
		}
		if extra != nil || !frame.Each || frame.Loop == s.Node.Loop { // a rank has few iterations
			return false
		}
		extra = frame.Loop
	}
	if extra == nil {
		return g.At.Equal(*f.At)
	}
	c, rest, ok := g.At.Coefficient(extra.Index)
	x := f.At.Minus(rest).Times(Number(c))
	if !ok || c*c != 1 || extra.Step != 1 || x.Mentions(extra.Index) || slices.ContainsFunc(frames(g), func(o Frame) bool { return o.mentions(extra.Index) }) {
		return false
	}
	inside := func(p Poly) bool { return provable(s.Node, n, p, 0, true) }
	return !slices.ContainsFunc(extra.Lo, func(lo Poly) bool { return !inside(x.Minus(lo)) }) &&
		!slices.ContainsFunc(extra.Hi, func(hi Poly) bool { return !inside(hi.Minus(x).Minus(Number(1))) })
}

// widen makes the footprint of one rank a box, so that a plan takes no time for each row of a
// triangle. The rank may read and write more than it does.
func (f *Footprint) widen() {
	f.Frames = slices.DeleteFunc(slices.Clone(f.Frames), func(g Frame) bool { return g.Loop != nil && !g.Each })
	for i, g := range f.Frames {
		for k := i - 1; k >= 0 && g.Loop != nil; k-- { // loops around, the innermost first
			o := f.Frames[k].Loop
			if o == nil || len(o.Lo) != 1 || len(o.Hi) != 1 {
				continue
			}
			lo, okLo := extremes(g.Loop.Lo, o, -1)
			hi, okHi := extremes(g.Loop.Hi, o, 1)
			if okLo && okHi {
				box := *g.Loop
				if box.Step > 1 && box.boundBy(o.Index) { // iterations begin at different elements
					box.Step, box.Down = 1, false
				}
				box.Lo, box.Hi = lo, hi
				g.Loop = &box
			}
		}
		f.Frames[i].Loop = g.Loop
	}
	f.Frames = slices.DeleteFunc(f.Frames, func(g Frame) bool { return g.Loop != nil && !f.needs(g.Loop.Index) })
}

// extremes returns the bounds with the index of a loop replaced by the value at which they are
// least, if sign is -1, or greatest.
func extremes(bounds []Poly, o *Loop, sign int64) (all []Poly, ok bool) {
	for _, p := range bounds {
		c, _, linear := p.Coefficient(o.Index)
		if !linear {
			return nil, false
		}
		at := o.Lo[0]
		if c*sign > 0 {
			at = o.Hi[0].Minus(Number(1))
		}
		all = append(all, p.Replace(o.Index, at))
	}
	return all, true
}
