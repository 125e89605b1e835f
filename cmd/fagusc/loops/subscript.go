package loops

import "slices"

// equations are pairs of polynomials that are equal, the first in an execution of a and the second in one of b, if both are the same
// element; none if nothing can be said. apart says that they are never the same.
//
// A subscript like i*n + j stands for row i and column j if j can be shown to be less than n, and not below 0. Then two are the same
// only if rows and columns are.
func equations(loop *Node, a, b place) (equal [][2]Poly, apart bool) {
	if a.At == nil || b.At == nil {
		return nil, false
	}
	p, q, apart := reduced(*a.At, *b.At)
	if apart {
		return nil, true
	}
	strides, ok := dimensions(p, q)
	if !ok {
		return nil, false
	}
	rows, columns := split(p, strides), split(q, strides)
	for d := 1; d < len(strides); d++ {
		extent := Poly{[]term{{1, without(strides[d-1], strides[d])}}}
		if !inside(loop, a.node, rows[d], extent) || !inside(loop, b.node, columns[d], extent) {
			return nil, false
		}
	}
	for d := range strides {
		equal = append(equal, [2]Poly{rows[d], columns[d]})
	}
	return equal, false
}

// inside says that p is at least 0 and less than extent whenever a node is executed.
func inside(loop, n *Node, p, extent Poly) bool {
	return provable(loop, n, p, 0, true) && provable(loop, n, extent.Minus(p), 1, true)
}

// reduced divides both by what divides all their coefficients but the constants: if these leave different remainders, they are
// never equal (the GCD test, and what makes i*2*n + 2*j + 1 a row and a column).
func reduced(p, q Poly) (Poly, Poly, bool) {
	g := int64(0)
	for _, t := range slices.Concat(p.terms, q.terms) {
		if len(t.factors) > 0 {
			g = gcd(g, t.coefficient)
		}
	}
	if g <= 1 {
		return p, q, false
	}
	c, d := constant(p), constant(q)
	if mod(c, g) != mod(d, g) {
		return p, q, true
	}
	return divided(p, g), divided(q, g), false
}

func gcd(a, b int64) int64 {
	if a < 0 {
		a = -a
	}
	if b < 0 {
		b = -b
	}
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func mod(a, g int64) int64 { return ((a % g) + g) % g }

func constant(p Poly) int64 {
	if n := len(p.terms); n > 0 && len(p.terms[n-1].factors) == 0 {
		return p.terms[n-1].coefficient
	}
	return 0
}

// divided is p without the remainder of its constant, by g.
func divided(p Poly, g int64) (r Poly) {
	for _, t := range p.terms {
		c := t.coefficient
		if len(t.factors) == 0 {
			c -= mod(c, g)
		}
		r = r.add(term{c / g, t.factors})
	}
	return r
}

// dimensions are what indices are multiplied with, apart from numbers: products of symbols that are no indices, each a divisor of the
// one before, the last 1. ok is false if they are not.
func dimensions(p, q Poly) (strides [][]*Symbol, ok bool) {
	strides = [][]*Symbol{nil}
	for _, t := range slices.Concat(p.terms, q.terms) {
		stride := slices.DeleteFunc(slices.Clone(t.factors), index)
		if len(stride) < len(t.factors) && !slices.ContainsFunc(strides, func(s []*Symbol) bool { return slices.Equal(s, stride) }) {
			strides = append(strides, stride)
		}
	}
	slices.SortStableFunc(strides, func(a, b []*Symbol) int { return len(b) - len(a) })
	for d := 1; d < len(strides); d++ {
		if !divides(strides[d], strides[d-1]) {
			return nil, false
		}
	}
	return strides, true
}

// index says whether a symbol is that of a loop, or made of one.
func index(s *Symbol) bool {
	if s.Division == nil {
		return s.Loop != nil
	}
	for f := range s.Division.Of.Symbols() {
		if index(f) {
			return true
		}
	}
	return false
}

// divides says whether all factors of d are among those of s.
func divides(d, s []*Symbol) bool { return len(without(s, d)) == len(s)-len(d) }

// without is s without the factors d.
func without(s, d []*Symbol) []*Symbol {
	rest := slices.Clone(s)
	for _, f := range d {
		if i := slices.Index(rest, f); i >= 0 {
			rest = slices.Delete(rest, i, i+1)
		}
	}
	return rest
}

// split is what stands before every stride in p.
func split(p Poly, strides [][]*Symbol) []Poly {
	parts := make([]Poly, len(strides))
	for _, t := range p.terms {
		for d, stride := range strides {
			if divides(stride, t.factors) {
				parts[d] = parts[d].add(term{t.coefficient, without(t.factors, stride)})
				break
			}
		}
	}
	return parts
}
