package loops

import (
	"cmp"
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
	equal = [][2]Poly{{p, q}}
	for _, strides := range dimensions(p, q) {
		of, ok := subscripts(loop, a, p, strides)
		other, also := subscripts(loop, b, q, strides)
		for d := range strides {
			if ok && also {
				equal = append(equal, [2]Poly{of[d], other[d]})
			}
		}
	}
	return equal, false
}

// subscripts splits the subscript p of an access by strides. ok is false if it cannot show that all
// parts but the first are inside their extents. A part below 0 borrows from the part before: i*n +
// n - 1 is row i.
func subscripts(loop *Node, a place, p Poly, strides []term) (parts []Poly, ok bool) {
	parts = split(p, strides)
	for d := len(strides) - 1; d > 0; d-- {
		extent := Poly{}.add(over(strides[d-1], strides[d]))
		if inside(loop, a, parts[d], extent) {
			continue
		}
		parts[d], parts[d-1] = parts[d].Plus(extent), parts[d-1].Minus(Number(1))
		if !inside(loop, a, parts[d], extent) {
			return nil, false
		}
	}
	return parts, true
}

func inside(loop *Node, a place, p, extent Poly) bool {
	return provable(loop, a.node, p, 0, true, a.Inside...) && provable(loop, a.node, extent.Minus(p), 1, true, a.Inside...)
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

// dimensions returns lists of strides that p and q may have: products of symbols, and of numbers,
// by which they multiply indices. Each stride divides its predecessor, and the last is 1.
//
// The first list has only symbols, for 2*i*n + 2*j. The second has numbers, too, for 4*(i*n + j) +
// k with k < 4. The third has symbols that multiply no index, for the last row in (n-1)*n + j.
func dimensions(p, q Poly) (lists [][]term) {
	var symbols, numbers, alone []term
	for _, t := range slices.Concat(p.terms, q.terms) {
		stride := term{1, slices.DeleteFunc(slices.Clone(t.factors), index)}
		if len(stride.factors) < len(t.factors) {
			symbols = append(symbols, stride)
			numbers = append(numbers, term{magnitude(t.coefficient), stride.factors})
		} else if n := len(stride.factors); n > 0 && (len(alone) == 0 || n < len(alone[0].factors)) {
			alone = []term{stride}
		}
	}
	for _, all := range [][]term{symbols, numbers, append(alone, symbols...)} {
		if list, ok := chain(all); ok && len(list) > 1 && !slices.ContainsFunc(lists, func(l []term) bool { return slices.EqualFunc(l, list, term.equal) }) {
			lists = append(lists, list)
		}
	}
	return lists
}

// chain sorts strides and appends 1. ok is false if a stride does not divide its predecessor.
func chain(strides []term) (list []term, ok bool) {
	list = append(slices.Clone(strides), term{1, nil})
	slices.SortStableFunc(list, func(a, b term) int {
		return cmp.Or(len(b.factors)-len(a.factors), slices.CompareFunc(a.factors, b.factors, bySymbol), cmp.Compare(b.coefficient, a.coefficient))
	})
	list = slices.CompactFunc(list, term.equal)
	for d := 1; d < len(list); d++ {
		if !divides(list[d].factors, list[d-1].factors) || list[d-1].coefficient%list[d].coefficient != 0 {
			return nil, false
		}
	}
	return list, true
}

func (t term) equal(o term) bool {
	return t.coefficient == o.coefficient && slices.Equal(t.factors, o.factors)
}

// over returns a / b, where b divides a.
func over(a, b term) term { return term{a.coefficient / b.coefficient, without(a.factors, b.factors)} }

// index reports whether a symbol is the index of a loop or computed from an index.
func index(s *Symbol) bool {
	for range Of(s).Indices() {
		return true
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

// split returns the multiple of each stride of which p is the sum. A number may be a sum of several
// strides.
func split(p Poly, strides []term) []Poly {
	parts := make([]Poly, len(strides))
	for _, t := range p.terms {
		for d, stride := range strides {
			if len(t.factors) == 0 && len(stride.factors) == 0 {
				rest := mod(t.coefficient, stride.coefficient)
				parts[d] = parts[d].add(over(term{t.coefficient - rest, nil}, stride))
				t.coefficient = rest
			} else if divides(stride.factors, t.factors) && t.coefficient%stride.coefficient == 0 {
				parts[d] = parts[d].add(over(t, stride))
				break
			}
		}
	}
	return parts
}
