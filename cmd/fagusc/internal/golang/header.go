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
	to, okTo := t.limits(s.Cond, o, probe, step)
	delete(t.values, o)
	if had {
		t.values[o] = old
	}
	from, okFrom := t.bounds(init.Rhs[0], step > 0)
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
	if why := t.Count(n.Loop, from, to, step); why != "" {
		return why
	}
	t.index(n, id.Name)
	n.Loop.Wide = o.Type() != types.Typ[types.Int]
	t.values[o] = loops.Of(n.Loop.Index)
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

// step returns the constant that the post statement of a loop adds to its index, o. probe stands
// for the value of the index.
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
	r, swap, isRelation := relation(b.Op)
	if !isRelation {
		return nil, false
	}
	x, y := b.X, b.Y
	if swap {
		x, y = y, x
	}
	// The bound may be min(a, b) or max(a, b) if the index stands alone on the other side.
	one := func(e ast.Expr) ([]loops.Poly, bool) {
		p, ok := t.poly(e)
		return []loops.Poly{p}, ok
	}
	left, right := one, one
	is := func(e ast.Expr) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		return ok && t.info.Uses[id] == o
	}
	switch {
	case r == loops.NotEqual:
	case step > 0 && is(x):
		right = func(e ast.Expr) ([]loops.Poly, bool) { return t.bounds(e, false) }
	case step < 0 && is(y):
		left = func(e ast.Expr) ([]loops.Poly, bool) { return t.bounds(e, true) }
	}
	less, okX := left(x)
	more, okY := right(y)
	if !okX || !okY {
		return nil, false
	}
	for _, p := range less {
		for _, q := range more {
			bound, ok := loops.Bound(p, r, q, probe, step)
			if !ok {
				return nil, false
			}
			all = append(all, bound)
		}
	}
	return all, true
}

// relation returns the relation of an operator between x and y; swap: between y and x.
func relation(op token.Token) (r loops.Relation, swap, ok bool) {
	switch op {
	case token.LSS, token.GTR:
		return loops.Less, op == token.GTR, true
	case token.LEQ, token.GEQ:
		return loops.AtMost, op == token.GEQ, true
	case token.EQL:
		return loops.Equal, false, true
	case token.NEQ:
		return loops.NotEqual, false, true
	}
	return r, false, false
}

func different(e ast.Expr) bool {
	b, ok := ast.Unparen(e).(*ast.BinaryExpr)
	return ok && b.Op == token.NEQ
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
