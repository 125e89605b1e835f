package loops

// Relation compares two polynomials.
type Relation int

// The relations.
const (
	Less Relation = iota
	AtMost
	Equal
	NotEqual
)

// Compare returns the condition that x has a relation to y, or that it has not.
func Compare(x Poly, r Relation, y Poly, not bool) *Cond {
	d := y.Minus(x)
	switch {
	case r == Less && not: // y <= x
		return Compare(y, AtMost, x, false)
	case r == AtMost && not:
		return Compare(y, Less, x, false)
	case r == Less:
		return &Cond{AtLeast0: []Poly{d.Minus(Number(1))}}
	case r == AtMost:
		return &Cond{AtLeast0: []Poly{d}}
	case (r == Equal) != not:
		return &Cond{AtLeast0: []Poly{x.Minus(y), d}}
	}
	d = x.Minus(y)
	return &Cond{Not0: &d}
}

// And returns the condition that both hold, or nil if it is no Cond; c and d may be nil.
func (c *Cond) And(d *Cond) *Cond {
	if c == nil || d == nil || c.Not0 != nil && d.Not0 != nil {
		return nil
	}
	both := &Cond{AtLeast0: append(c.AtLeast0, d.AtLeast0...), Not0: c.Not0}
	if d.Not0 != nil {
		both.Not0 = d.Not0
	}
	return both
}

// Bound returns the bound that the condition of a loop, that x has a relation to y, sets for the
// index: the first value above it if the loop counts up, the least value if it counts down.
func Bound(x Poly, r Relation, y Poly, index *Symbol, step int64) (bound Poly, ok bool) {
	c, rest, linear := y.Minus(x).Coefficient(index)
	if r == NotEqual && c == step { // the loop comes from the other side
		c, rest = -c, Number(0).Minus(rest)
	}
	switch {
	case !linear || r == Equal || r == NotEqual && step*step != 1:
		return bound, false
	case c == -1 && step > 0 && r == AtMost: // index <= rest
		return rest.Plus(Number(1)), true
	case c == -1 && step > 0:
		return rest, true
	case c == 1 && step < 0 && r == AtMost: // -rest <= index
		return Number(0).Minus(rest), true
	case c == 1 && step < 0:
		return Number(1).Minus(rest), true
	}
	return bound, false
}

// Count sets the bounds of a loop over an index that begins with the tightest of from, changes by
// step, and stays within bounds; see Bound. It returns the reason if it cannot.
func (f *Function) Count(l *Loop, from, bounds []Poly, step int64) (why string) {
	switch {
	case step == 1 || step > 1 && len(from) == 1:
		l.Lo, l.Hi, l.Step = from, bounds, step
		return ""
	case step > 1 || step < -1 && (len(from) > 1 || len(bounds) > 1):
		return "it has several bounds, and its step is not 1"
	}
	l.Lo, l.Step, l.Down = bounds, -step, true
	for _, p := range from {
		l.Hi = append(l.Hi, p.Plus(Number(1)))
	}
	if step < -1 { // the last value is as far from the first as whole steps go
		whole := Of(f.Divide(from[0].Minus(bounds[0]), -step).Quotient).Times(Number(-step))
		l.Lo = append(l.Lo, from[0].Minus(whole))
	}
	return ""
}
