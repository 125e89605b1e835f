package loops

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/depend"
)

type place struct {
	*Access
	node *Node
}

// either is the value of the parameter sides for which conditions "not 0" are ignored.
const either = ^uint(0)

// mostAlternatives bounds the number of conditions such as i != k whose two signs are tried.
const mostAlternatives = 4

// question asks whether two accesses in iterations of a loop can refer to the same element. Symbols
// that do not change in the loop have the same value in both accesses.
//
// A question uses only facts that a plan enforces: the bounds and conditions inside the loop, the
// bounds of the enclosing loops in around, which are unrolled, and Access.Inside, for which
// footprints leave out the other elements.
type question struct {
	depend.System
	loop   *Node
	shared map[string]depend.Var
	around []*Loop
}

func newQuestion(loop *Node) *question {
	return &question{loop: loop, shared: make(map[string]depend.Var), around: unrolled(loop)}
}

func unrolled(n *Node) (list []*Loop) {
	mentioned := n.mentions()
	for outer := n.parent; outer != nil; outer = outer.parent {
		l := outer.Loop
		if l != nil && l.Affine() && slices.ContainsFunc(mentioned, func(p Poly) bool { return p.Mentions(l.Index) }) {
			list = append(list, l)
			mentioned = slices.Concat(mentioned, l.Lo, l.Hi)
		}
	}
	return list
}

// instance is one execution of a node, with its own index values.
type instance struct {
	*question
	node      *Node
	own       map[*Symbol]depend.Var
	divisions bool // quotients and remainders may become variables
}

// at returns an execution of a node within the bounds of its loops and under its conditions. Bit k
// of sides selects the sign for the k-th condition "not 0".
func (q *question) at(n *Node, sides uint) *instance {
	i := &instance{q, n, make(map[*Symbol]depend.Var), true}
	i.bound(sides)
	return i
}

func (i *instance) bound(sides uint) {
	side := 0
	for _, l := range i.around {
		i.inLoop(l)
	}
	for n := i.node; n != i.loop; n = n.parent {
		if n.parent.Loop != nil {
			i.inLoop(n.parent.Loop)
		}
		c := n.parent.Cond
		if c == nil {
			continue
		}
		for _, p := range c.AtLeast0 {
			i.atLeast(p, 0)
		}
		if c.Not0 != nil {
			if side < mostAlternatives && sides != either {
				i.atLeast(signed(*c.Not0, sides>>side&1 == 1), 1)
			}
			side++
		}
	}
}

func signed(p Poly, negative bool) Poly {
	if negative {
		return Number(0).Minus(p)
	}
	return p
}

// alternatives returns the number of values of sides that must be tried for a node in a loop.
func alternatives(loop, n *Node) uint {
	side := 0
	for ; n != loop; n = n.parent {
		if c := n.parent.Cond; c != nil && c.Not0 != nil {
			side++
		}
	}
	return 1 << min(side, mostAlternatives)
}

func (i *instance) inLoop(l *Loop) {
	if !l.Affine() {
		return
	}
	index := Of(l.Index)
	for _, lo := range l.Lo {
		i.atLeast(index.Minus(lo), 0)
	}
	for _, hi := range l.Hi {
		i.atLeast(hi.Minus(index), 1)
	}
	first := l.Lo[0]
	if l.Down {
		first = l.Hi[0].Minus(Number(1))
	}
	if l.Step > 1 && (l.Down || len(l.Lo) == 1) {
		if from, c, ok := i.linear(index.Minus(first)); ok {
			i.Equal(append(from, depend.Term{Coefficient: -l.Step, Var: i.Var()}), -c)
		}
	}
}

// atLeast adds p >= c if p is linear.
func (i *instance) atLeast(p Poly, c int64) {
	if l, constant, ok := i.linear(p); ok {
		i.AtLeast(l, c-constant)
	}
}

// linear returns p as a linear expression and a constant, if possible. A product of symbols that
// do not change in the loop becomes a variable.
func (i *instance) linear(p Poly) (l depend.Linear, constant int64, ok bool) {
	for _, t := range p.terms {
		switch len(t.factors) {
		case 0:
			constant += t.coefficient
		case 1:
			v, ok := i.variable(t.factors[0])
			if !ok {
				return nil, 0, false
			}
			l = append(l, depend.Term{Coefficient: t.coefficient, Var: v})
		default:
			if slices.ContainsFunc(t.factors, i.changes) {
				return nil, 0, false
			}
			l = append(l, depend.Term{Coefficient: t.coefficient, Var: i.common(product(t.factors))})
		}
	}
	return l, constant, true
}

func product(factors []*Symbol) string {
	names := make([]string, len(factors))
	for i, f := range factors {
		names[i] = f.Name
		if f.Loop != nil {
			names[i] = fmt.Sprintf("%s of %p", f.Name, f.Loop)
		}
	}
	return strings.Join(names, " * ")
}

func (i *instance) changes(s *Symbol) bool { return i.loop.changes(Of(s)) }

// changes reports whether p may have different values in different iterations of a loop.
func (n *Node) changes(p Poly) bool {
	for s := range p.Symbols() {
		if s.Division != nil {
			if n.changes(s.Division.Of) {
				return true
			}
			continue
		}
		around := n.parent
		for around != nil && (around.Loop == nil || around.Loop.Undivided() != s.Loop) {
			around = around.parent
		}
		if s.Loop != nil && around == nil {
			return true
		}
	}
	return false
}

func (i *instance) common(name string) depend.Var {
	v, known := i.shared[name]
	if !known {
		v = i.Var()
		i.shared[name] = v
	}
	return v
}

func (i *instance) variable(s *Symbol) (v depend.Var, ok bool) {
	if s.Division != nil {
		return i.divided(s)
	}
	if !i.changes(s) {
		return i.common(product([]*Symbol{s})), true
	}
	v, known := i.own[s]
	if !known {
		v = i.Var()
		i.own[s] = v
	}
	return v, true
}

// divided adds quotient and remainder of a division as variables: Of = By*quotient + remainder.
func (i *instance) divided(s *Symbol) (v depend.Var, ok bool) {
	if v, known := i.own[s]; known {
		return v, true
	}
	d := s.Division
	of, c, ok := i.linear(d.Of)
	if !ok || !i.divisions {
		return 0, false
	}
	var q, r depend.Var
	if i.changes(s) {
		q, r = i.Var(), i.Var()
	} else {
		q, r = i.common(product([]*Symbol{d.Quotient})), i.common(product([]*Symbol{d.Remainder}))
	}
	i.own[d.Quotient], i.own[d.Remainder] = q, r
	i.Equal(append(slices.Clone(of), depend.Term{Coefficient: -d.By, Var: q}, depend.Term{Coefficient: -1, Var: r}), -c)
	least := 1 - d.By
	if provable(i.loop, i.node, d.Of, 0, false) {
		least = 0
	}
	i.AtLeast(depend.Linear{{Coefficient: 1, Var: r}}, least)
	i.AtLeast(depend.Linear{{Coefficient: -1, Var: r}}, 1-d.By)
	return i.own[s], true
}

// provable reports whether p >= c certainly holds whenever node n is executed and the facts are at
// least 0.
func provable(loop, n *Node, p Poly, c int64, divisions bool, facts ...Poly) bool {
	q := newQuestion(loop)
	i := &instance{q, n, make(map[*Symbol]depend.Var), divisions}
	i.bound(either)
	for _, f := range facts {
		i.atLeast(f, 0)
	}
	less, constant, ok := i.linear(Number(c - 1).Minus(p))
	if !ok {
		return false
	}
	i.AtLeast(less, -constant)
	return !i.Solvable()
}

// mayMeet reports whether two accesses may meet at an element in different iterations of a loop.
func mayMeet(loop *Node, a, b place) bool {
	return meets(loop, a, b, func(early, late *instance) {})
}

// mayTouch reports whether two accesses may meet at an element, also in the same iteration.
func mayTouch(loop *Node, a, b place) bool {
	return ordered(loop, a, b, []int{0}, func(early, late *instance) {})
}

// meets is mayMeet for iterations that meet a condition; early is executed before late.
func meets(loop *Node, a, b place, condition func(early, late *instance)) bool {
	return ordered(loop, a, b, []int{1, -1}, condition)
}

// ordered is meets where the iteration of b has a larger index, a smaller one or any: 1, -1 or 0 in
// orders.
func ordered(loop *Node, a, b place, orders []int, condition func(early, late *instance)) bool {
	if a.Array != b.Array {
		return false
	}
	equal, apart := equations(loop, a, b)
	if apart {
		return false
	}
	for _, order := range orders {
		for sa := range alternatives(loop, a.node) {
			for sb := range alternatives(loop, b.node) {
				q := newQuestion(loop)
				x, y := q.at(a.node, sa), q.at(b.node, sb)
				for _, f := range a.Inside {
					x.atLeast(f, 0)
				}
				for _, f := range b.Inside {
					y.atLeast(f, 0)
				}
				v, _ := x.variable(loop.Loop.Index)
				w, _ := y.variable(loop.Loop.Index)
				if order < 0 {
					v, w = w, v
				}
				if order != 0 {
					q.AtLeast(depend.Linear{{Coefficient: 1, Var: w}, {Coefficient: -1, Var: v}}, 1)
				}
				if (order > 0) != loop.Loop.Down {
					condition(x, y)
				} else {
					condition(y, x)
				}
				for _, e := range equal {
					l, c, ok := x.linear(e[0])
					m, d, also := y.linear(e[1])
					if !ok || !also {
						continue
					}
					for k := range m {
						m[k].Coefficient = -m[k].Coefficient
					}
					q.Equal(append(slices.Clone(l), m...), d-c)
				}
				if q.Solvable() {
					return true
				}
			}
		}
	}
	return false
}
