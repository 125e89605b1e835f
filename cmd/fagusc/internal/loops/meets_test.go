package loops

import "testing"

// nested is a nest of two loops around one write, and functions around it.
type nested struct {
	n, m         *Symbol
	outer, inner *Loop
	top, nest    *Node // the loops
	write        *Node
	f            *Function
}

func newNested() *nested {
	s := &nested{n: &Symbol{Name: "n"}, m: &Symbol{Name: "m"}}
	loop := func(name string, hi *Symbol) *Loop {
		l := &Loop{Lo: []Poly{Number(0)}, Hi: []Poly{Of(hi)}, Step: 1}
		l.Index = &Symbol{Name: name, Loop: l}
		return l
	}
	s.outer, s.inner = loop("i", s.m), loop("j", s.n)
	a := &Array{Name: "a"}
	at := Of(s.outer.Index).Times(Of(s.n)).Plus(Of(s.inner.Index))
	s.write = &Node{Own: []Action{{Access: &Access{Array: a, Write: true, At: &at}}}}
	s.nest = &Node{Loop: s.inner, Children: []*Node{s.write}}
	s.top = &Node{Loop: s.outer, Children: []*Node{s.nest}}
	s.f = &Function{Body: []*Node{s.top}}
	return s
}

func (s *nested) meets() bool {
	s.f.link()
	p := place{s.write.Own[0].Access, s.write}
	return mayMeet(s.top, p, p)
}

// TestRowsMeet: elements of different rows of a matrix never meet as long as no column leaves its
// row, at either end; and rows in steps begin at whichever of several bounds is the highest.
func TestRowsMeet(t *testing.T) {
	for what, c := range map[string]struct {
		change func(s *nested)
		meets  bool
	}{
		"whole rows":                 {func(*nested) {}, false},
		"a column too many":          {func(s *nested) { s.inner.Hi = []Poly{Of(s.n).Plus(Number(1))} }, true},
		"a column too early":         {func(s *nested) { s.inner.Lo = []Poly{Number(-1)} }, true},
		"columns moved by one":       {func(s *nested) { s.inner.Lo, s.inner.Hi = []Poly{Number(1)}, []Poly{Of(s.n).Plus(Number(1))} }, true},
		"columns moved back by one":  {func(s *nested) { s.inner.Lo, s.inner.Hi = []Poly{Number(-1)}, []Poly{Of(s.n).Minus(Number(1))} }, true},
		"fewer columns":              {func(s *nested) { s.inner.Lo, s.inner.Hi = []Poly{Number(1)}, []Poly{Of(s.n).Minus(Number(1))} }, false},
		"other rows":                 {func(s *nested) { s.outer.Lo = []Poly{Number(5)} }, false},
		"columns of an unknown size": {func(s *nested) { s.inner.Hi = []Poly{Of(s.m)} }, true},
	} {
		s := newNested()
		if c.change(s); s.meets() != c.meets {
			t.Errorf("%s: rows may meet: %t, want %t", what, !c.meets, c.meets)
		}
	}
	for what, c := range map[string]struct {
		lo    func(lo *Symbol) []Poly
		meets bool
	}{
		"one bound":  {func(lo *Symbol) []Poly { return []Poly{Of(lo)} }, false},
		"two bounds": {func(lo *Symbol) []Poly { return []Poly{Of(lo), Number(1)} }, true},
	} {
		lo := &Symbol{Name: "lo"}
		s := newNested()
		s.outer.Step, s.outer.Lo = 2, c.lo(lo)
		s.write.Own[0].Access.At = new(Of(s.outer.Index))
		s.f.link()
		read := place{&Access{Array: s.write.Own[0].Access.Array, At: new(Of(lo).Plus(Number(1)))}, s.write}
		if got := mayMeet(s.top, place{s.write.Own[0].Access, s.write}, read); got != c.meets {
			t.Errorf("steps of 2 from %s, and the element behind the first: may meet: %t, want %t", what, got, c.meets)
		}
	}
}

// TestPrivate: iterations may have an array of their own if each reads only what it has written,
// and nobody else reads what a loop has left: not behind it, and not before it in the next
// iteration of a loop around both, unless it is written again in between.
func TestPrivate(t *testing.T) {
	at := func(l *Loop) *Poly { return new(Of(l.Index)) }
	for what, c := range map[string]struct {
		change  func(s *nested, array *Array, node func(write bool, at *Poly) *Node)
		private bool
	}{
		"read after it is written": {func(*nested, *Array, func(bool, *Poly) *Node) {}, true},
		"read before it is written": {func(s *nested, a *Array, node func(bool, *Poly) *Node) {
			s.top.Children = append([]*Node{node(false, new(Number(3)))}, s.top.Children...)
		}, false},
		"read behind the loop": {func(s *nested, a *Array, node func(bool, *Poly) *Node) {
			s.f.Body = append(s.f.Body, node(false, new(Number(1))))
		}, false},
		"written and read behind the loop": {func(s *nested, a *Array, node func(bool, *Poly) *Node) {
			s.f.Body = append(s.f.Body, node(true, new(Number(1))), node(false, new(Number(1))))
		}, true},
		"another element is written, and it is read": {func(s *nested, a *Array, node func(bool, *Poly) *Node) {
			s.f.Body = append(s.f.Body, node(true, new(Number(2))), node(false, new(Number(1))))
		}, false},
		"read before the loop": {func(s *nested, a *Array, node func(bool, *Poly) *Node) {
			s.f.Body = append([]*Node{node(false, new(Number(1)))}, s.f.Body...)
		}, true},
		"read before the loop, in a loop around both": {func(s *nested, a *Array, node func(bool, *Poly) *Node) {
			around := &Loop{Lo: []Poly{Number(0)}, Hi: []Poly{Of(s.m)}, Step: 1}
			around.Index = &Symbol{Name: "k", Loop: around}
			s.f.Body = []*Node{{Loop: around, Children: []*Node{node(false, new(Number(1))), s.top}}}
		}, false},
		"written before a loop around both": {func(s *nested, a *Array, node func(bool, *Poly) *Node) {
			around := &Loop{Lo: []Poly{Number(0)}, Hi: []Poly{Of(s.m)}, Step: 1}
			around.Index = &Symbol{Name: "k", Loop: around}
			s.f.Body = []*Node{node(true, new(Number(1))), {Loop: around, Children: []*Node{node(false, new(Number(1))), s.top}}}
		}, false},
		"not local": {func(s *nested, a *Array, _ func(bool, *Poly) *Node) { a.Local = false }, false},
		"in parts":  {func(s *nested, a *Array, _ func(bool, *Poly) *Node) { s.write.Own[0].Access.Partly = true }, false},
	} {
		s := newNested()
		array := &Array{Name: "t", Local: true}
		node := func(write bool, at *Poly) *Node {
			return &Node{Own: []Action{{Access: &Access{Array: array, Write: write, At: at}}}}
		}
		s.write.Own[0].Access.Array, s.write.Own[0].Access.At = array, at(s.inner)
		again := &Loop{Lo: s.inner.Lo, Hi: s.inner.Hi, Step: 1}
		again.Index = &Symbol{Name: "l", Loop: again}
		s.top.Children = append(s.top.Children, &Node{Loop: again, Children: []*Node{node(false, at(again))}})
		c.change(s, array, node)
		s.f.link()
		if got := s.f.private(s.top, array); got != c.private {
			t.Errorf("%s: private: %t, want %t", what, got, c.private)
		}
	}
}
