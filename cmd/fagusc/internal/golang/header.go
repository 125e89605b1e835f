package golang

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/loops"
)

// known describes the integers that the compiler can compute with.
const known = "a polynomial in indices and in variables that do not change once loops begin"

// counter returns the index of a for loop: the variable that the init statement declares or assigns
// and that the body does not change. If there is none it returns nil and the reason.
func (t *translator) counter(s *ast.ForStmt) (o types.Object, id *ast.Ident, why string) {
	const want = "its header is not of the form i := a; i < b; i += c"
	init, ok := s.Init.(*ast.AssignStmt)
	if !ok || len(init.Lhs) != 1 || len(init.Rhs) != 1 || init.Tok != token.DEFINE && init.Tok != token.ASSIGN || s.Cond == nil || s.Post == nil {
		return nil, nil, want
	}
	id, ok = init.Lhs[0].(*ast.Ident)
	if !ok || t.info.ObjectOf(id) == nil {
		return nil, nil, want
	}
	o = t.info.ObjectOf(id)
	switch {
	case !t.integer(id):
		return nil, nil, fmt.Sprintf("its index %s is not a signed integer", id.Name)
	case assigned(t.info, s.Body)[o] > 0:
		return nil, nil, fmt.Sprintf("its body changes the index %s", id.Name)
	case init.Tok == token.ASSIGN && t.scalars[o] == nil:
		return nil, nil, fmt.Sprintf("its index %s is not a variable of the function", id.Name)
	}
	return o, id, ""
}

// counted finds the bounds of a loop such as "for i := lo; i < hi; i += step". The condition may
// compare sums that contain the index, and may consist of several comparisons. If it finds no
// bounds, it returns the reason.
func (t *translator) counted(n *loops.Node, s *ast.ForStmt) (why string) {
	o, id, why := t.counter(s)
	if o == nil {
		return why
	}
	init := s.Init.(*ast.AssignStmt)
	old, had := t.values[o]
	probe := &loops.Symbol{Name: "index at " + n.Pos, Loop: n.Loop}
	t.values[o] = loops.Of(probe)
	step, ok := t.step(s.Post, o, probe)
	up := step > 0
	to, okTo := t.limits(s.Cond, o, probe, step)
	delete(t.values, o)
	if had {
		t.values[o] = old
	}
	from, okFrom := t.bounds(init.Rhs[0], up)
	switch {
	case !ok:
		return fmt.Sprintf("its step is not the addition of a number to %s", id.Name)
	case !okFrom:
		return fmt.Sprintf("the first value %s of %s is not %s", t.file.source(init.Rhs[0]), id.Name, known)
	case !okTo:
		return fmt.Sprintf("the condition %s does not compare %s with %s", t.file.source(s.Cond), id.Name, known)
	}
	if why := t.overruns(id, to, step); why != "" {
		return why
	}
	l, one := n.Loop, loops.Number(1)
	switch {
	case up && (step == 1 || len(from) == 1):
		l.Lo, l.Hi, l.Step = from, to, step
	case up || step < -1 && (len(from) > 1 || len(to) > 1):
		return "it has several bounds, and its step is not 1"
	default:
		l.Lo, l.Step, l.Down = to, -step, true
		for _, p := range from {
			l.Hi = append(l.Hi, p.Plus(one))
		}
		if step < -1 { // the last value is as far from the first as whole steps go
			whole := loops.Of(t.division(from[0].Minus(to[0]), -step).Quotient).Times(loops.Number(-step))
			l.Lo = append(l.Lo, from[0].Minus(whole))
		}
	}
	t.index(n, id.Name)
	l.Wide = o.Type() != types.Typ[types.Int]
	t.values[o] = loops.Of(l.Index)
	if init.Tok == token.ASSIGN {
		t.write(n, o, id, "")
	}
	return ""
}

// forget ends the scope of an index that is declared before its loop.
func (t *translator) forget(s *ast.ForStmt) {
	if o, id, _ := t.counter(s); o != nil && t.info.Defs[id] == nil {
		delete(t.values, o)
	}
}

// step returns the constant that the post statement of a loop adds to the index, whose value is
// probe.
func (t *translator) step(post ast.Stmt, o types.Object, probe *loops.Symbol) (step int64, ok bool) {
	is := func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		return ok && t.info.Uses[id] == o
	}
	switch p := post.(type) {
	case *ast.IncDecStmt:
		if p.Tok == token.DEC {
			return -1, is(p.X)
		}
		return 1, is(p.X)
	case *ast.AssignStmt:
		if len(p.Lhs) != 1 || len(p.Rhs) != 1 || !is(p.Lhs[0]) {
			return 0, false
		}
		by, ok := t.poly(p.Rhs[0])
		switch p.Tok {
		case token.ADD_ASSIGN:
		case token.SUB_ASSIGN:
			by = loops.Number(0).Minus(by)
		case token.ASSIGN:
			by = by.Minus(loops.Of(probe))
		default:
			return 0, false
		}
		c, number := by.Constant()
		return c, ok && number && c != 0
	}
	return 0, false
}

// limits returns the bounds that a condition sets for an index: the first values above it if the
// loop counts up, the least values if it counts down.
func (t *translator) limits(e ast.Expr, o types.Object, probe *loops.Symbol, step int64) (all []loops.Poly, ok bool) {
	b, isBinary := ast.Unparen(e).(*ast.BinaryExpr)
	if !isBinary {
		return nil, false
	}
	if b.Op == token.LAND {
		if different(b.X) || different(b.Y) { // i != n ends the loop only where i is n
			return nil, false
		}
		x, okX := t.limits(b.X, o, probe, step)
		y, okY := t.limits(b.Y, o, probe, step)
		return append(x, y...), okX && okY
	}
	up, op, x, y := step > 0, b.Op, b.X, b.Y
	if op == token.GTR || op == token.GEQ { // x > y is y < x
		op = map[token.Token]token.Token{token.GTR: token.LSS, token.GEQ: token.LEQ}[op]
		x, y = y, x
	}
	if op == token.NEQ && (step != 1 && step != -1) || op != token.LSS && op != token.LEQ && op != token.NEQ {
		return nil, false
	}
	is := func(e ast.Expr) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		return ok && t.info.Uses[id] == o
	}
	less, more := x, y // the side of the index, if it stands alone, and the bound
	if !up && op != token.NEQ {
		less, more = y, x
	}
	if is(less) && op != token.NEQ {
		all, ok = t.bounds(more, !up)
		for i := range all {
			all[i] = beyond(all[i], up, op)
		}
		return all, ok
	}
	p, okX := t.poly(x)
	q, okY := t.poly(y)
	c, rest, linear := q.Minus(p).Coefficient(probe)
	if op == token.NEQ && c == 1 && up || op == token.NEQ && c == -1 && !up {
		c, rest = -c, loops.Number(0).Minus(rest)
	}
	switch {
	case !okX || !okY || !linear:
		return nil, false
	case c == -1 && up: // i < rest
		return []loops.Poly{beyond(rest, up, op)}, true
	case c == 1 && !up: // -rest < i
		return []loops.Poly{beyond(loops.Number(0).Minus(rest), up, op)}, true
	}
	return nil, false
}

func different(e ast.Expr) bool {
	b, ok := ast.Unparen(e).(*ast.BinaryExpr)
	return ok && b.Op == token.NEQ
}

// beyond returns the bound of an index that is compared with p: the first value that the loop does
// not reach if it counts up, the last value that it may reach if it counts down.
func beyond(p loops.Poly, up bool, op token.Token) loops.Poly {
	switch {
	case up && op == token.LEQ:
		return p.Plus(loops.Number(1))
	case !up && op != token.LEQ:
		return p.Plus(loops.Number(1))
	}
	return p
}

// bounds returns the polynomials of a bound: both a and b for min(a, b) above, max(a, b) below.
func (t *translator) bounds(e ast.Expr, lower bool) (all []loops.Poly, ok bool) {
	name := "min"
	if lower {
		name = "max"
	}
	call, isCall := ast.Unparen(e).(*ast.CallExpr)
	if isCall {
		id, isID := call.Fun.(*ast.Ident)
		isCall = isID && t.info.Uses[id] == types.Universe.Lookup(name)
	}
	if !isCall {
		p, ok := t.poly(e)
		return []loops.Poly{p}, ok
	}
	for _, arg := range call.Args {
		more, ok := t.bounds(arg, lower)
		if !ok {
			return nil, false
		}
		all = append(all, more...)
	}
	return all, true
}
