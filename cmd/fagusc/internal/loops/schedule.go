package loops

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Kind says which ranks execute a step.
type Kind int

// The kinds.
const (
	Parallel   Kind = iota // every rank executes some iterations of the step's loop
	Serial                 // one rank: the owner of the first element that the step writes
	Replicated             // every rank, for itself
)

// Step is a part of a function between two communication phases.
type Step struct {
	Kind       Kind
	Node       *Node
	Folds      []Fold
	Private    []*Array // every rank uses an array of its own
	Cyclic     bool
	Footprints []Footprint
	// Key are the indices of the unrolled loops around the step, outermost first. The step accesses
	// different elements for different values of these indices.
	Key   []*Symbol
	Owner *Access // the first write of a serial step; nil if the element is unknown
	// Template is the range that is divided into blocks; loops with nearly the same bounds share
	// it.
	Template *Template
}

// Dynamic reports whether the work of the step's iterations may differ much and is not known
// before: a loop inside ends at a condition. Ranks can then take iterations as they go, because
// there are no reductions, whose order matters.
func (s *Step) Dynamic() bool {
	if s.Kind != Parallel || len(s.Folds) > 0 {
		return false
	}
	for n := range s.Node.All() {
		if l := n.Loop; n != s.Node && l != nil && (l.Leaves || !l.Affine() && len(n.Own) == 0) {
			return true
		}
	}
	return false
}

// FoldedArray returns the reduction of an array, or the zero Fold.
func (s *Step) FoldedArray() Fold {
	for _, f := range s.Folds {
		if f.Array != nil {
			return f
		}
	}
	return Fold{}
}

// Template is a range of iterations that several loops divide into the same blocks.
type Template struct{ Lo, Hi Poly }

// Schedule is the plan for running a function in parallel.
type Schedule struct {
	Steps    map[*Node]*Step // the steps, by node
	Unrolled map[*Node]bool  // the loops around steps whose iterations are planned one by one
	Written  map[*Array]bool // the arrays that any step writes
	// Folds holds the reductions of scalars that ranks complete after a node: after a step, or
	// after a sequential loop in which only steps that reduce the scalar use it.
	Folds    map[*Node][]Fold
	Verdicts []*Verdict // the verdicts on all examined loops, in order

	deepest int        // ranks reduce elements in at most so many loops around the reduction
	deep    bool       // a reduction is in more
	alone   []*Refusal // why the loops that one rank executes, without a mark, are not parallel
}

// Refusal is the reason why a function cannot be made parallel.
type Refusal struct {
	Pos     string
	Message string
	loop    *Node // the loop that cannot be parallel, or nil
}

// Error returns the position and the message.
func (r *Refusal) Error() string { return r.Pos + ": " + r.Message }

// Schedule decides how every statement is executed. Its error is a *Refusal.
func (f *Function) Schedule() (*Schedule, error) {
	f.link()
	s, err := f.plan()
	if r := (*Refusal)(nil); errors.As(err, &r) {
		r.Message += f.advice(r)
		return s, err
	}
	for n := range f.All() {
		if step := s.Steps[n]; step != nil && step.Kind != Parallel && n.Continues {
			return nil, &Refusal{Pos: n.Pos, Message: "the statement may continue the enclosing loop while the rank holds arrays: before it, read the elements that the condition needs into variables"}
		}
	}
	return s, nil
}

// advice names the refused loops if the function can be made parallel without them.
func (f *Function) advice(r *Refusal) string {
	var marked []*Node
	defer func() {
		for _, n := range marked {
			n.Loop.Serial = false
		}
	}()
	text := ""
	for r.loop != nil && !r.loop.Loop.Serial {
		marked = append(marked, r.loop)
		r.loop.Loop.Serial = true
		who := "every rank"
		if _, writes, _ := r.loop.touches(); writes {
			who = "one rank"
		}
		text += fmt.Sprintf("\n\t%s: to let %s execute all of this loop, mark it %s", r.loop.Pos, who, f.Marks.Serial)
		if _, err := f.plan(); !errors.As(err, &r) {
			return text
		}
	}
	return ""
}

func newSchedule(deepest int) *Schedule {
	return &Schedule{Steps: make(map[*Node]*Step), Unrolled: make(map[*Node]bool), Written: make(map[*Array]bool), Folds: make(map[*Node][]Fold), deepest: deepest}
}

// plan lets ranks reduce an element in a loop of a loop: once for each iteration of the outer loop.
// It lets them do so in more loops only if the function has no other parallel loop: a nest on one
// rank is cheaper than n*n meetings of the ranks.
func (f *Function) plan() (s *Schedule, err error) {
	for deepest := 1; ; deepest++ {
		s = newSchedule(deepest)
		if err = f.planTo(s); err == nil || !s.deep {
			return s, err
		}
	}
}

func (f *Function) planTo(s *Schedule) error {
	if err := s.list(f, f.Body); err != nil {
		return err
	}
	if !s.divides() && len(s.alone) > 0 {
		return s.alone[0]
	} else if !s.divides() {
		r := &Refusal{Pos: f.Pos, Message: f.Name + " has no loop that can be parallel"}
		for _, v := range s.Verdicts {
			r.Message += fmt.Sprintf("\n\t%s: the loop%s cannot be: %s", v.Node.Pos, named(v.Node.Loop), strings.Join(v.Reasons, "; "))
		}
		return r
	}
	for _, top := range f.Body {
		s.unroll(top)
	}
	s.keys(f.Body, nil)
	s.templates(f)
	s.exchange(f)
	s.fold(f)
	return nil
}

func (s *Schedule) list(f *Function, nodes []*Node) error {
	for _, n := range nodes {
		if err := s.node(f, n); err != nil {
			return err
		}
	}
	return nil
}

// touches reports whether a node and its children read arrays, write arrays, and write scalars.
func (n *Node) touches() (reads, writes, scalars bool) {
	for m := range n.All() {
		for _, a := range m.Own {
			switch {
			case a.Access != nil && a.Access.Write:
				writes = true
			case a.Access != nil:
				reads = true
			case a.Use.Write:
				scalars = true
			}
		}
	}
	return reads, writes, scalars
}

func (n *Node) loops() bool {
	for m := range n.All() {
		if m.Loop != nil {
			return true
		}
	}
	return false
}

func (s *Schedule) node(f *Function, n *Node) error {
	reads, writes, scalars := n.touches()
	switch {
	case n.Group:
		return s.list(f, n.Children)
	case !reads && !writes && (n.Loop == nil || !s.folds(n)):
		return n.known() // every rank executes it
	case n.Loop != nil && !n.Loop.Serial:
		return s.loop(f, n)
	case !n.Call && n.If && n.loops() && n.Opaque != "":
		return &Refusal{Pos: n.Pos, Message: n.Opaque}
	case !n.Call && n.If && n.loops():
		if slices.ContainsFunc(n.Own, func(a Action) bool { return a.Access != nil }) {
			return &Refusal{Pos: n.Pos, Message: "the condition around loops reads an array: read the element into a variable before"}
		}
		return s.list(f, n.Children)
	case writes && scalars && s.leaks(f, n):
		return &Refusal{Pos: n.Pos, Message: "it writes both arrays, which one rank does, and variables, which every rank needs"}
	}
	if err := n.known(); err != nil {
		return err
	}
	step := &Step{Kind: Replicated, Node: n}
	if writes {
		step.Kind = Serial
		step.Owner = firstWrite(n)
	}
	s.add(step)
	return nil
}

func (n *Node) known() error {
	for m := range n.All() {
		if m.Opaque != "" {
			return &Refusal{Pos: m.Pos, Message: m.Opaque}
		}
	}
	return nil
}

// folds reports whether a loop without arrays is worth dividing, because it reduces into a scalar.
func (s *Schedule) folds(n *Node) bool {
	for m := range n.All() {
		for _, a := range m.Own {
			if a.Use != nil && a.Use.Fold != "" {
				return true
			}
		}
	}
	return false
}

// leaks reports whether a value that n writes into a variable may be used outside n, or by a later
// execution of n.
func (s *Schedule) leaks(f *Function, n *Node) bool {
	around := n.parent
	for around != nil && around.Loop == nil {
		around = around.parent
	}
	for v, all := range f.uses() {
		in := func(u use) bool { return u.node.Within(n) }
		if !slices.ContainsFunc(all, func(u use) bool { return u.Write && in(u) }) {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(all), in)
		out := slices.ContainsFunc(others, func(r use) bool { return !r.Write && sees(n, r, others) })
		// A value from before n is no value of n if every execution of n comes after a write.
		old := slices.ContainsFunc(all, func(r use) bool {
			return in(r) && !r.Write && !slices.ContainsFunc(all, func(w use) bool {
				return w.reaches(r) && (in(w) || around == nil || w.node.Within(around))
			})
		})
		if v.Outer || out || old {
			return true
		}
	}
	return false
}

func (s *Schedule) loop(f *Function, n *Node) error {
	v := f.judge(n, s.deepest)
	s.deep = s.deep || v.deep
	if len(v.Reasons) == 0 && s.inside(f, n) {
		v.refuse("it has few iterations, and ranks can divide those of loops inside")
		s.Verdicts = append(s.Verdicts, v)
		return nil
	}
	parts := []*Verdict{v}
	if len(v.Reasons) > 0 {
		parts = f.split(v, s.deepest)
	}
	for _, p := range parts {
		s.Verdicts = append(s.Verdicts, p)
		s.add(&Step{Kind: Parallel, Node: p.Node, Folds: p.Folds, Private: p.Private, Cyclic: p.Cyclic})
	}
	if len(parts) > 0 {
		return nil
	}
	if w := f.wave(n, s.deepest); w != nil {
		s.Verdicts = append(s.Verdicts, v)
		return s.loop(f, w)
	}
	return s.sequential(f, v)
}

// inside divides the loops inside a parallel loop instead of the loop, and reports whether it does.
// The loop must have so few iterations that some ranks would have none, or more than others, and
// ranks must be able to divide all that is inside.
func (s *Schedule) inside(f *Function, n *Node) bool {
	if !n.Loop.few() || n.Loop.Independent || n.Loop.Diagonal || n.Loop.Part != nil || len(n.Own) > 0 {
		return false
	}
	inner := newSchedule(s.deepest)
	if inner.list(f, n.Children) != nil || len(inner.Steps) == 0 {
		return false
	}
	for _, step := range inner.Steps {
		if step.Kind != Parallel || len(step.Folds) > 0 || step.Node.Loop.few() {
			return false
		}
	}
	maps.Copy(s.Steps, inner.Steps)
	maps.Copy(s.Written, inner.Written)
	s.Verdicts = append(s.Verdicts, inner.Verdicts...)
	return true
}

// few reports whether a loop has a small number of iterations, which does not depend on anything.
func (l *Loop) few() bool {
	const few = 8
	if len(l.Lo) != 1 || len(l.Hi) != 1 {
		return false
	}
	length, ok := l.Hi[0].Minus(l.Lo[0]).Constant()
	return ok && length <= few*l.Step
}

func named(l *Loop) string {
	if l.Index == nil {
		return ""
	}
	return " over " + l.Over()
}

func (s *Schedule) add(step *Step) {
	step.Footprints = footprints(step)
	s.Steps[step.Node] = step
	for m := range step.Node.All() {
		for _, a := range m.Own {
			if a.Access != nil && a.Access.Write {
				s.Written[a.Access.Array] = true
			}
		}
	}
}

// unroll finds the loops whose index determines which elements a step inside the loop accesses.
func (s *Schedule) unroll(n *Node) (mentioned []Poly) {
	if step := s.Steps[n]; step != nil {
		return n.mentions()
	}
	for _, c := range n.Children {
		mentioned = append(mentioned, s.unroll(c)...)
	}
	if n.Loop != nil && n.Loop.Index != nil && slices.ContainsFunc(mentioned, func(p Poly) bool { return p.Mentions(n.Loop.Index) }) {
		s.Unrolled[n] = true
		mentioned = slices.Concat(mentioned, n.Loop.Lo, n.Loop.Hi)
	}
	return mentioned
}

func (n *Node) mentions() (all []Poly) {
	for m := range n.All() {
		if m.Loop != nil {
			all = slices.Concat(all, m.Loop.Lo, m.Loop.Hi)
		}
		if m.Cond != nil {
			all = append(all, m.Cond.Polys()...)
		}
		for _, a := range m.Own {
			if a.Access != nil && a.Access.At != nil {
				all = append(all, *a.Access.At)
			}
		}
	}
	return all
}

// fold makes ranks combine a scalar after the outermost loop in which only reductions use it, or
// after the step if the first of equal values counts.
func (s *Schedule) fold(f *Function) {
	all := f.uses()
	for n := range f.All() {
		step := s.Steps[n]
		if step == nil {
			continue
		}
		for _, fold := range step.Folds {
			if fold.Scalar == nil {
				continue
			}
			at := n
			for p := n.parent; p != nil; p = p.parent {
				only := !slices.ContainsFunc(all[fold.Scalar], func(u use) bool { return u.node.Within(p) && !s.folding(u, fold) })
				if p.Loop != nil && (!only || fold.Operator == "<" || fold.Operator == ">") {
					break
				}
				if p.Loop != nil {
					at = p
				}
			}
			if !slices.Contains(s.Folds[at], fold) {
				s.Folds[at] = append(s.Folds[at], fold)
			}
		}
	}
}

func (s *Schedule) folding(u use, fold Fold) bool {
	for n := u.node; n != nil; n = n.parent {
		if step := s.Steps[n]; step != nil {
			return slices.Contains(step.Folds, fold)
		}
	}
	return false
}

func (s *Schedule) keys(nodes []*Node, around []*Symbol) {
	for _, n := range nodes {
		if step := s.Steps[n]; step != nil {
			step.Key = around
			continue
		}
		inner := around
		if s.Unrolled[n] {
			inner = append(slices.Clone(around), n.Loop.Index)
		}
		s.keys(n.Children, inner)
	}
}

// exchange adds the parity to the keys of steps that are executed after exchanges.
func (s *Schedule) exchange(f *Function) {
	behind := false
	for _, top := range f.Body {
		behind = behind || f.Exchange != nil && top == f.Exchange.Loop
		for n := range top.All() {
			if step := s.Steps[n]; step != nil && behind {
				step.Key = append(slices.Clip(step.Key), f.Exchange.Parity)
			}
		}
	}
}

// templates gives loops whose bounds differ by constants a common template that covers them all.
func (s *Schedule) templates(f *Function) {
	var all []*Template
	for n := range f.All() {
		step := s.Steps[n]
		if step == nil || step.Kind != Parallel || step.Cyclic {
			continue
		}
		whole := n.Loop.Undivided() // parts use the blocks of the whole
		if len(whole.Lo) != 1 || len(whole.Hi) != 1 {
			continue
		}
		lo, hi := whole.Lo[0], whole.Hi[0]
		if slices.ContainsFunc(step.Key, func(k *Symbol) bool { return lo.Mentions(k) || hi.Mentions(k) }) {
			continue
		}
		i := slices.IndexFunc(all, func(t *Template) bool {
			_, low := lo.Minus(t.Lo).Constant()
			_, high := hi.Minus(t.Hi).Constant()
			return low && high
		})
		if i < 0 {
			step.Template = &Template{lo, hi}
			all = append(all, step.Template)
			continue
		}
		t := all[i]
		step.Template = t
		if c, _ := lo.Minus(t.Lo).Constant(); c < 0 {
			t.Lo = lo
		}
		if c, _ := hi.Minus(t.Hi).Constant(); c > 0 {
			t.Hi = hi
		}
	}
}
