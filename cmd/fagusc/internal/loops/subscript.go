package loops

import (
	"slices"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/depend"
)

// equations returns pairs of polynomials that must be equal if accesses a and b refer to the same
// element: the first in an execution of a, the second in an execution of b. It returns no pairs if
// nothing is known. apart reports that the accesses never refer to the same element.
//
// A subscript such as i*n + j denotes row i and column j if 0 <= j < n can be shown. Two such
// subscripts are equal only if their rows are equal and their columns are equal.
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

func inside(loop, n *Node, p, extent Poly) bool {
	return provable(loop, n, p, 0, true) && provable(loop, n, extent.Minus(p), 1, true)
}

// reduced divides both polynomials by the greatest common divisor of their non-constant
// coefficients. If the constants have different remainders the polynomials are never equal (the
// GCD test). The division also lets i*2*n + 2*j + 1 be split into row and column.
func reduced(p, q Poly) (Poly, Poly, bool) {
	g := int64(0)
	for _, t := range slices.Concat(p.terms, q.terms) {
		if len(t.factors) > 0 {
			g = depend.GCD(g, t.coefficient)
		}
	}
	if g <= 1 {
		return p, q, false
	}
	if c, d := constant(p), constant(q); mod(c, g) != mod(d, g) {
		return p, q, true
	}
	return divided(p, g), divided(q, g), false
}

func mod(a, g int64) int64 { return ((a % g) + g) % g }

func constant(p Poly) int64 {
	if n := len(p.terms); n > 0 && len(p.terms[n-1].factors) == 0 {
		return p.terms[n-1].coefficient
	}
	return 0
}

// divided returns p, without the remainder of its constant, divided by g.
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

// dimensions returns the strides of p and q: the products of symbols by which they multiply
// indices. Each stride divides its predecessor, and the last is 1; ok is false if no such order
// exists.
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

// index reports whether a symbol is the index of a loop or computed from an index.
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

// divides reports whether all factors of d are factors of s.
func divides(d, s []*Symbol) bool { return len(without(s, d)) == len(s)-len(d) }

func without(s, d []*Symbol) []*Symbol {
	rest := slices.Clone(s)
	for _, f := range d {
		if i := slices.Index(rest, f); i >= 0 {
			rest = slices.Delete(rest, i, i+1)
		}
	}
	return rest
}

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
