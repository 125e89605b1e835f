package plan

import (
	"slices"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/loops"
)

// Plan is what the parallel version of a function declares.
type Plan struct {
	*loops.Schedule
	Items []*Item
	// Arrays are the arrays by number: first the caller's, then local ones. The next numbers belong
	// to the arrays that consist of the ranks' parts of Folded.
	Arrays, Folded []*loops.Array
	of             *loops.Function
}

// Item is a declared step, or a list of items under a loop or a condition.
type Item struct {
	Kind  Kind
	Step  *loops.Step
	Loop  *loops.Loop
	Cond  *loops.Cond
	Folds []loops.Fold
	Items []*Item
	Known bool // of a Repeat: the bounds of the loop are known before it
}

// Kind is the kind of an Item.
type Kind int

// The kinds.
const (
	Do     Kind = iota // Step
	Each               // Items for every iteration of Loop, which a plan goes through
	Repeat             // Items, which Loop executes any number of times
	If                 // Items if Cond, which depends on parameters and indices of Each
	Maybe              // Items, which may be executed
	Both               // Items, which may be executed, for both parities of the function's Exchange
	Fence              // the ranks complete Folds
)

// Of returns the plan of a function with its schedule.
func Of(f *loops.Function, s *loops.Schedule) *Plan {
	p := &Plan{Schedule: s, of: f}
	for _, local := range []bool{false, true} {
		for _, a := range f.Arrays {
			if a.Local == local {
				p.Arrays = append(p.Arrays, a)
			}
		}
	}
	for _, a := range f.Arrays {
		for _, step := range s.Steps {
			if step.FoldedArray().Array == a && !slices.Contains(p.Folded, a) {
				p.Folded = append(p.Folded, a)
			}
		}
	}
	p.Items = p.list(f.Body)
	return p
}

func (p *Plan) list(nodes []*loops.Node) (items []*Item) {
	for i, n := range nodes {
		if x := p.of.Exchange; x != nil && i > 0 && nodes[i-1] == x.Loop {
			return append(items, p.both(nodes[i:])...)
		}
		items = append(items, p.node(n)...)
		if folds := p.Folds[n]; len(folds) > 0 {
			items = append(items, &Item{Kind: Fence, Folds: folds})
		}
	}
	return items
}

func (p *Plan) both(nodes []*loops.Node) []*Item {
	if items := p.list(nodes); len(items) > 0 {
		return []*Item{{Kind: Both, Items: items}}
	}
	return nil
}

func (p *Plan) node(n *loops.Node) []*Item {
	step := p.Steps[n]
	switch do := (&Item{Kind: Do, Step: step}); {
	case step != nil && n.Branch:
		return []*Item{{Kind: Maybe, Items: []*Item{do}}}
	case step != nil:
		return []*Item{do}
	}
	inside := p.list(n.Children)
	if n.Loop != nil && n.Loop.Exchanges {
		inside = p.both(n.Children)
	}
	it := &Item{Kind: Maybe, Loop: n.Loop, Cond: n.Cond, Items: inside}
	switch {
	case len(inside) == 0:
		return nil
	case n.Loop != nil && p.Unrolled[n]:
		it.Kind = Each
	case n.Loop != nil:
		it.Kind = Repeat
		it.Known = n.Loop.Affine() && p.evaluable(n, slices.Concat(n.Loop.Lo, n.Loop.Hi))
	case n.Cond != nil && n.Cond.Always():
		return inside
	case n.Cond != nil && p.evaluable(n, n.Cond.Polys()):
		it.Kind = If
	}
	return []*Item{it}
}

// evaluable reports whether polynomials can be evaluated before node n, during planning: they
// depend only on parameters and on indices of loops that the plan goes through.
func (p *Plan) evaluable(n *loops.Node, all []loops.Poly) bool {
	return !slices.ContainsFunc(all, func(q loops.Poly) bool {
		for s := range q.Indices() {
			if !p.unrolledAround(n, s) {
				return true
			}
		}
		return false
	})
}

func (p *Plan) unrolledAround(n *loops.Node, s *loops.Symbol) bool {
	for m, unrolled := range p.Unrolled {
		if unrolled && m.Loop.Index == s && n.Within(m) {
			return true
		}
	}
	return false
}

// Asserts reports whether the author asserts that a loop is parallel.
func (p *Plan) Asserts() bool {
	for _, s := range p.Steps {
		if s.Kind == loops.Parallel && s.Node.Loop.Independent {
			return true
		}
	}
	return false
}

// Elsewhere reports whether other steps use an array. If not, it is best kept at rank 0.
func (p *Plan) Elsewhere(s *loops.Step, a *loops.Array) bool {
	for n, other := range p.Steps {
		if other != s && n.Uses(a) {
			return true
		}
	}
	return false
}

// Output reports whether an array has other contents after the function.
func (p *Plan) Output(a *loops.Array) bool {
	if x := p.of.Exchange; x != nil && slices.Contains(x.Arrays[:], a) {
		return p.Written[x.Arrays[0]] || p.Written[x.Arrays[1]]
	}
	return p.Written[a]
}

// Number returns the number of an array.
func (p *Plan) Number(a *loops.Array) int { return slices.Index(p.Arrays, a) }

// NumberOfParts returns the number of the array that consists of the ranks' parts of a.
func (p *Plan) NumberOfParts(a *loops.Array) int { return len(p.Arrays) + slices.Index(p.Folded, a) }
