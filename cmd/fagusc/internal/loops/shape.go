package loops

import "slices"

// Shape is a footprint as a plan declares it: under Frames, elements At + Factor*index for each
// iteration of Run, and all of these for each iteration of Rows, at a distance of Pitch*index.
type Shape struct {
	Footprint
	// Without is an iteration of the divided loop that does not touch the elements; nil if there is
	// none.
	Without *Poly
	Long    bool // a plan takes time for every iteration of a loop
	Rows    *Loop
	Pitch   Poly
	Factor  int64
}

// Shape returns the shape of a footprint of the step.
func (s *Step) Shape(f Footprint) Shape {
	var h Shape
	if s.Kind == Parallel {
		h.Without = f.without(s.Node.Loop)
	}
	h.Rows = f.rows()
	h.Footprint = f
	h.Long = slices.ContainsFunc(f.Frames, func(g Frame) bool { return g.Each })
	if f.At == nil {
		return h
	}
	at := *f.At
	if h.Rows != nil {
		h.Pitch, at, _ = at.Factor(h.Rows.Index)
	}
	if f.Run != nil {
		h.Factor, at, _ = at.Coefficient(f.Run.Index)
	}
	h.At = &at
	return h
}

// Divides reports whether ranks divide the iterations of a loop.
func (s *Step) Divides(l *Loop) bool { return s.Kind == Parallel && l == s.Node.Loop }

// Partition says how ranks divide the iterations of a loop.
type Partition int

// The partitions.
const (
	Blocks Partition = iota
	Turns            // ranks take iterations in turn
	Moving           // likewise, where each iteration has the same work, but the bounds move
)

// Partition returns how ranks divide the loop of a parallel step. For blocks, lo and hi bound the
// range that is divided into them.
func (s *Step) Partition() (p Partition, lo, hi []Poly) {
	whole := s.Node.Loop.Undivided()
	switch {
	case s.Cyclic && s.Node.Even():
		return Moving, nil, nil
	case s.Cyclic:
		return Turns, nil, nil
	case s.Template != nil:
		return Blocks, []Poly{s.Template.Lo}, []Poly{s.Template.Hi}
	}
	return Blocks, whole.Lo, whole.Hi
}
