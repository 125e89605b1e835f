package loops

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Symbol is a whole number of which only the run knows the value: a parameter of the function, the index of a loop, or what is left
// of a division.
type Symbol struct {
	Name     string    // an expression; no other symbol has the same
	Ident    string    // of the index of a loop: as the input has it
	Loop     *Loop     // whose index it is; nil if it is none
	Division *Division // of which it is the remainder or the quotient; nil if it is neither
}

// Division is that of a polynomial by a positive number, as Go and C have it: the quotient is rounded towards 0.
type Division struct {
	Of                  Poly
	By                  int64
	Quotient, Remainder *Symbol
}

// Divide makes the symbols of a division.
func Divide(of Poly, by int64) *Division {
	d := &Division{Of: of, By: by}
	d.Quotient = &Symbol{Name: fmt.Sprintf("((%v) / %d)", of, by), Division: d}
	d.Remainder = &Symbol{Name: fmt.Sprintf("((%v) %% %d)", of, by), Division: d}
	return d
}

// term is a product of symbols, in the order of their names, times a number that is not 0.
type term struct {
	coefficient int64
	factors     []*Symbol
}

// Poly is a polynomial of symbols. The zero Poly is 0.
type Poly struct{ terms []term }

// Number is a constant.
func Number(c int64) Poly { return Poly{}.add(term{coefficient: c}) }

// Of is a symbol.
func Of(s *Symbol) Poly { return Poly{[]term{{1, []*Symbol{s}}}} }

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

// Plus is p + q.
func (p Poly) Plus(q Poly) Poly {
	for _, t := range q.terms {
		p = p.add(t)
	}
	return p
}

// Minus is p - q.
func (p Poly) Minus(q Poly) Poly { return p.Plus(q.Times(Number(-1))) }

// Times is p * q.
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

// Equal says whether they are the same polynomial.
func (p Poly) Equal(q Poly) bool { return len(p.Minus(q).terms) == 0 }

// Constant is the number that p is, if it is one.
func (p Poly) Constant() (c int64, ok bool) {
	switch {
	case len(p.terms) == 0:
		return 0, true
	case len(p.terms) == 1 && len(p.terms[0].factors) == 0:
		return p.terms[0].coefficient, true
	}
	return 0, false
}

// Coefficient is what s is multiplied with, and the rest of p; ok says that s stands in p by itself at most.
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

func (t term) has(s *Symbol) bool { return slices.Contains(t.factors, s) }

// Replace is p with q in the place of s, but for divisions.
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

// Mentions says whether the value of p can depend on s.
func (p Poly) Mentions(s *Symbol) bool {
	for f := range p.Symbols() {
		if f == s || f.Division != nil && f.Division.Of.Mentions(s) {
			return true
		}
	}
	return false
}

// Symbols calls yield with the factors of every term.
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

// String is the polynomial as an expression of Go and of C.
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
