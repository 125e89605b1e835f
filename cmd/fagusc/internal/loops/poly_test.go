package loops

import (
	"math/rand/v2"
	"testing"
)

// value evaluates p for given values of symbols.
func (p Poly) value(of map[*Symbol]int64) int64 {
	return p.Value(func(s *Symbol) int64 { return of[s] })
}

// TestPolyRandom compares sums, products and substitutions with the values of their operands.
func TestPolyRandom(t *testing.T) {
	symbols := []*Symbol{{Name: "i", Loop: &Loop{}}, {Name: "j", Loop: &Loop{}}, {Name: "n"}, {Name: "m"}}
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 4))
		draw := func() Poly {
			p := Number(r.Int64N(9) - 4)
			for range r.IntN(4) {
				term := Number(r.Int64N(9) - 4)
				for range r.IntN(3) {
					term = term.Times(Of(symbols[r.IntN(len(symbols))]))
				}
				p = p.Plus(term)
			}
			return p
		}
		p, q := draw(), draw()
		at := make(map[*Symbol]int64)
		for _, s := range symbols {
			at[s] = r.Int64N(21) - 10
		}
		if p.Plus(q).value(at) != p.value(at)+q.value(at) || p.Minus(q).value(at) != p.value(at)-q.value(at) || p.Times(q).value(at) != p.value(at)*q.value(at) {
			t.Fatalf("seed %d: %v and %v", seed, p, q)
		}
		s := symbols[r.IntN(len(symbols))]
		then := map[*Symbol]int64{}
		for k, v := range at {
			then[k] = v
		}
		then[s] = q.value(at)
		if p.Replace(s, q).value(at) != p.value(then) {
			t.Fatalf("seed %d: %v with %v for %s is %v", seed, p, q, s.Name, p.Replace(s, q))
		}
		if !p.Equal(p.Plus(q).Minus(q)) || p.Equal(p.Plus(Number(1))) {
			t.Fatalf("seed %d: %v is not equal to itself", seed, p)
		}
		c, rest, ok := p.Coefficient(s)
		if ok != (p.Equal(rest.Plus(Of(s).Times(Number(c)))) && !rest.Mentions(s)) {
			t.Fatalf("seed %d: %v is %d*%s + %v: %v", seed, p, c, s.Name, rest, ok)
		}
		f, rest, ok := p.Factor(s)
		if square := f.Mentions(s) || rest.Mentions(s); ok && (square || !p.Equal(rest.Plus(Of(s).Times(f)))) || c != 0 && rest.Equal(Number(0)) && !ok {
			t.Fatalf("seed %d: %v is (%v)*%s + %v: %v", seed, p, f, s.Name, rest, ok)
		}
	}
}

// TestSplit checks that subscripts are split into row and column, also if the number of columns is
// a product.
func TestSplit(t *testing.T) {
	n, m := &Symbol{Name: "n"}, &Symbol{Name: "m"}
	loop := func(name string, hi Poly) *Node {
		l := &Loop{Lo: []Poly{Number(0)}, Hi: []Poly{hi}, Step: 1}
		l.Index = &Symbol{Name: name, Loop: l}
		return &Node{Loop: l}
	}
	array := &Array{Name: "a"}
	for _, c := range []struct {
		what  string
		at    func(i, j, k Poly) Poly
		hi    Poly // upper bound of k
		apart bool
	}{
		{"row and column", func(i, j, k Poly) Poly { return i.Times(Of(n)).Plus(k) }, Of(n), true},
		{"one column too many", func(i, j, k Poly) Poly { return i.Times(Of(n)).Plus(k) }, Of(n).Plus(Number(1)), false},
		{"columns of another number", func(i, j, k Poly) Poly { return i.Times(Of(n)).Plus(k) }, Of(m), false},
		{"three dimensions", func(i, j, k Poly) Poly { return i.Times(Of(m)).Plus(j).Times(Of(n)).Plus(k) }, Of(n), true},
		{"the column twice", func(i, j, k Poly) Poly { return i.Times(Of(n)).Plus(k).Plus(k) }, Of(n), false},
		{"pairs", func(i, j, k Poly) Poly { return i.Times(Of(n)).Plus(k).Times(Number(2)).Plus(Number(1)) }, Of(n), true},
		{"not the row", func(i, j, k Poly) Poly { return k }, Of(n), false},
	} {
		i, j, k := loop("i", Of(n)), loop("j", Of(m)), loop("k", c.hi)
		at := c.at(Of(i.Loop.Index), Of(j.Loop.Index), Of(k.Loop.Index))
		leaf := &Node{Own: []Action{{Access: &Access{Array: array, At: &at, Write: true}}}}
		i.Children, j.Children, k.Children = []*Node{j}, []*Node{k}, []*Node{leaf}
		f := &Function{Body: []*Node{i}}
		f.link()
		p := place{leaf.Own[0].Access, leaf}
		if got := !mayMeet(i, p, p); got != c.apart {
			t.Errorf("%s: iterations access different elements: %v, want %v", c.what, got, c.apart)
		}
	}
}
