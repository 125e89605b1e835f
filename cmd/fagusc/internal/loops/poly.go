package loops

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Symbol is an integer that is known only at run time: a parameter of the function, the index of a
// loop, or the quotient or remainder of a division.
type Symbol struct {
	Name     string    // unique; an expression in the language of the front end
	Ident    string    // for the index of a loop: its name at the loop, which need not be unique
	Loop     *Loop     // the loop whose index this is, or nil
	Division *Division // the division whose quotient or remainder this is, or nil
}

// Division is a division of a polynomial by a positive number as in Go and C, which truncates
// towards 0.
type Division struct {
	Of                  Poly
	By                  int64
	Quotient, Remainder *Symbol
}

// Divide returns a division with its symbols.
func Divide(of Poly, by int64) *Division {
	d := &Division{Of: of, By: by}
	d.Quotient = &Symbol{Name: fmt.Sprintf("((%v) / %d)", of, by), Division: d}
	d.Remainder = &Symbol{Name: fmt.Sprintf("((%v) %% %d)", of, by), Division: d}
	return d
}

// term is a product of symbols, sorted by name, times a nonzero number.
type term struct {
	coefficient int64
	factors     []*Symbol
}

// Poly is a polynomial in symbols. The zero value is 0.
type Poly struct{ terms []term }

// Number returns a constant.
func Number(c int64) Poly { return Poly{}.add(term{coefficient: c}) }

// Of returns the polynomial that is a single symbol.
func Of(s *Symbol) Poly         { return Poly{[]term{{1, []*Symbol{s}}}} }
func bySymbol(a, b *Symbol) int { return cmp.Compare(a.Name, b.Name) }

func (p Poly) add(t term) Poly {
	terms := slices.Clone(p.terms)
	i, found := slices.BinarySearchFunc(terms, t, func(a, b term) int { // more factors first
		return cmp.Or(cmp.Compare(len(b.factors), len(a.factors)), slices.CompareFunc(a.factors, b.factors, bySymbol))
	})
	switch {
	case !found && t.coefficient != 0:
		terms = slices.Insert(terms, i, t)
	case found:
		terms[i].coefficient += t.coefficient
		if terms[i].coefficient == 0 {
			terms = slices.Delete(terms, i, i+1)
		}
	}
	return Poly{terms}
}

// Plus returns p + q.
func (p Poly) Plus(q Poly) Poly {
	for _, t := range q.terms {
		p = p.add(t)
	}
	return p
}

// Minus returns p - q.
func (p Poly) Minus(q Poly) Poly { return p.Plus(q.Times(Number(-1))) }

// Times returns p * q.
func (p Poly) Times(q Poly) (r Poly) {
	for _, a := range p.terms {
		for _, b := range q.terms {
			factors := slices.Concat(a.factors, b.factors)
			slices.SortFunc(factors, bySymbol)
			r = r.add(term{a.coefficient * b.coefficient, factors})
		}
	}
	return r
}

// Value returns the value of p. symbol returns the values of symbols that are no quotients or
// remainders.
func (p Poly) Value(symbol func(*Symbol) int64) (v int64) {
	for _, t := range p.terms {
		product := t.coefficient
		for _, s := range t.factors {
			switch d := s.Division; {
			case d == nil:
				product *= symbol(s)
			case s == d.Quotient:
				product *= d.Of.Value(symbol) / d.By
			default:
				product *= d.Of.Value(symbol) % d.By
			}
		}
		v += product
	}
	return v
}

// Equal reports whether p and q are the same polynomial.
func (p Poly) Equal(q Poly) bool { return len(p.Minus(q).terms) == 0 }

// Constant returns the value of p if p is constant.
func (p Poly) Constant() (c int64, ok bool) {
	switch {
	case len(p.terms) == 0:
		return 0, true
	case len(p.terms) == 1 && len(p.terms[0].factors) == 0:
		return p.terms[0].coefficient, true
	}
	return 0, false
}

// Coefficient returns the coefficient of s in p and the rest of p. ok is false if s occurs in a
// product with other symbols or in a division.
func (p Poly) Coefficient(s *Symbol) (of int64, rest Poly, ok bool) {
	for _, t := range p.terms {
		switch {
		case !t.has(s):
			rest.terms = append(rest.terms, t)
		case len(t.factors) > 1:
			return 0, p, false
		default:
			of = t.coefficient
		}
	}
	return of, rest, !rest.Mentions(s)
}

// Factor returns f and rest, without s, so that p is f times s plus rest. ok is false if there are
// none.
func (p Poly) Factor(s *Symbol) (f, rest Poly, ok bool) {
	rest = p.Replace(s, Number(0))
	f = p.Replace(s, Number(1)).Minus(rest)
	return f, rest, !rest.Mentions(s) && p.Equal(f.Times(Of(s)).Plus(rest))
}

func (t term) has(s *Symbol) bool { return slices.Contains(t.factors, s) }

// Replace returns p with q substituted for s, except inside divisions.
func (p Poly) Replace(s *Symbol, q Poly) (r Poly) {
	for _, t := range p.terms {
		product := Number(t.coefficient)
		for _, f := range t.factors {
			if f == s {
				product = product.Times(q)
			} else {
				product = product.Times(Of(f))
			}
		}
		r = r.Plus(product)
	}
	return r
}

// Mentions reports whether the value of p may depend on s.
func (p Poly) Mentions(s *Symbol) bool {
	for f := range p.Symbols() {
		if f == s || f.Division != nil && f.Division.Of.Mentions(s) {
			return true
		}
	}
	return false
}

// Symbols iterates over the factors of all terms.
func (p Poly) Symbols() func(yield func(*Symbol) bool) {
	return func(yield func(*Symbol) bool) {
		for _, t := range p.terms {
			for _, f := range t.factors {
				if !yield(f) {
					return
				}
			}
		}
	}
}

// Indices iterates over the indices of loops on which the value of p may depend.
func (p Poly) Indices() func(yield func(*Symbol) bool) {
	return func(yield func(*Symbol) bool) { p.indices(yield) }
}

func (p Poly) indices(yield func(*Symbol) bool) bool {
	for s := range p.Symbols() {
		if s.Division != nil && !s.Division.Of.indices(yield) || s.Loop != nil && !yield(s) {
			return false
		}
	}
	return true
}

// String returns the polynomial as an expression that is valid in Go and C.
func (p Poly) String() string {
	if len(p.terms) == 0 {
		return "0"
	}
	var b strings.Builder
	for i, t := range p.terms {
		c := t.coefficient
		switch {
		case c < 0 && i > 0:
			b.WriteString(" - ")
			c = -c
		case c < 0 && len(t.factors) > 0 && c == -1:
			b.WriteByte('-')
			c = 1
		case i > 0:
			b.WriteString(" + ")
		}
		if len(t.factors) == 0 || c != 1 {
			fmt.Fprint(&b, c)
		}
		for j, f := range t.factors {
			if j > 0 || c != 1 {
				b.WriteByte('*')
			}
			b.WriteString(f.Name)
		}
	}
	return b.String()
}
