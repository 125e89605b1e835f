package golang

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/loops"
)

func (t *translator) loop(s ast.Stmt) []*loops.Node {
	n := t.node(s)
	n.Loop = &loops.Loop{Serial: t.serials[t.file.position(s.Pos()).Line] || t.serials[t.file.position(s.Pos()).Line-1]}
	var body *ast.BlockStmt
	around := len(t.around)
	defer func() { t.around = t.around[:around] }()
	switch s := s.(type) {
	case *ast.ForStmt:
		body = s.Body
		if init := t.header(n, s); init != nil {
			whole := t.node(s)
			whole.If, whole.Cond, whole.Children = true, &loops.Cond{}, append(init, n)
			n.Children = t.statements(body.List)
			n.Loop.Leaves = leaves(body)
			return []*loops.Node{whole}
		}
	case *ast.RangeStmt:
		body = s.Body
		n.Children = t.rangeHeader(n, s)
	}
	n.Loop.Leaves = leaves(body)
	n.Children = append(n.Children, t.statements(body.List)...)
	return []*loops.Node{n}
}

func leaves(body *ast.BlockStmt) (found bool) {
	depth := 0 // number of enclosing statements that an unlabelled break would leave
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			depth++
			ast.Inspect(child(n), visit)
			depth--
			return false
		case *ast.BranchStmt:
			found = found || n.Label != nil || n.Tok == token.GOTO || n.Tok == token.BREAK && depth == 0
		case *ast.ReturnStmt:
			found = true
		}
		return true
	}
	ast.Inspect(body, visit)
	return found
}

// child returns the body of a loop, switch or select, which a break leaves, and n itself otherwise.
func child(n ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.ForStmt:
		return n.Body
	case *ast.RangeStmt:
		return n.Body
	case *ast.SwitchStmt:
		return n.Body
	case *ast.TypeSwitchStmt:
		return n.Body
	case *ast.SelectStmt:
		return n.Body
	}
	return n
}

// header finds the bounds of "for i := lo; i < hi; i += step" and similar loops. For any other
// loop it returns the nodes of the init statement.
func (t *translator) header(n *loops.Node, s *ast.ForStmt) (init []*loops.Node) {
	if t.counted(n, s) {
		return nil
	}
	if s.Init != nil {
		init = t.statement(s.Init)
	}
	if s.Cond != nil {
		t.reads(n, s.Cond)
	}
	if s.Post != nil {
		for _, p := range t.statement(s.Post) {
			n.Own = append(n.Own, p.Own...)
			if p.Opaque != "" {
				n.Opaque = p.Opaque
			}
		}
	}
	if n.Opaque == "" && len(init) == 0 {
		return nil
	}
	return init
}

func (t *translator) counted(n *loops.Node, s *ast.ForStmt) bool {
	init, ok := s.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE || len(init.Lhs) != 1 || s.Cond == nil || s.Post == nil {
		return false
	}
	id, ok := init.Lhs[0].(*ast.Ident)
	o := t.info.Defs[id]
	if !ok || o == nil || !t.integer(id) || t.assigned[o] != 2 {
		return false
	}
	step, ok := t.step(s.Post, o)
	cond, isBinary := s.Cond.(*ast.BinaryExpr)
	if !ok || !isBinary || step < -1 {
		return false
	}
	if x, isID := cond.X.(*ast.Ident); !isID || t.info.Uses[x] != o {
		return false
	}
	up := step > 0
	one := loops.Number(0)
	switch cond.Op {
	case token.LSS, token.GTR:
		if up != (cond.Op == token.LSS) {
			return false
		}
	case token.LEQ, token.GEQ:
		if up != (cond.Op == token.LEQ) {
			return false
		}
		one = loops.Number(1)
	default:
		return false
	}
	from, okFrom := t.bounds(init.Rhs[0], up)
	to, okTo := t.bounds(cond.Y, !up)
	if !okFrom || !okTo || step > 1 && len(from) > 1 {
		return false
	}
	l := n.Loop
	t.index(n, id.Name)
	l.Wide = o.Type() != types.Typ[types.Int]
	t.values[o] = loops.Of(l.Index)
	if up {
		l.Lo, l.Step = from, step
		for _, p := range to {
			l.Hi = append(l.Hi, p.Plus(one))
		}
		return true
	}
	l.Step, l.Down = 1, true
	for _, p := range from {
		l.Hi = append(l.Hi, p.Plus(loops.Number(1)))
	}
	for _, p := range to {
		l.Lo = append(l.Lo, p.Plus(loops.Number(1)).Minus(one))
	}
	return true
}

func (t *translator) index(n *loops.Node, name string) {
	t.hides(n, name)
	n.Loop.Index = t.symbol(name, n.Loop)
	t.around = append(t.around, name)
}

func (t *translator) step(post ast.Stmt, o types.Object) (step int64, ok bool) {
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
		if len(p.Lhs) != 1 || !is(p.Lhs[0]) {
			return 0, false
		}
		by, ok := t.poly(p.Rhs[0])
		c, number := by.Constant()
		if p.Tok == token.SUB_ASSIGN {
			c = -c
		} else if p.Tok != token.ADD_ASSIGN {
			return 0, false
		}
		return c, ok && number && c != 0
	}
	return 0, false
}

// bounds returns the polynomials of a bound: both a and b for min(a, b) above, max(a, b) below.
func (t *translator) bounds(e ast.Expr, lower bool) (all []loops.Poly, ok bool) {
	if p, ok := t.poly(e); ok {
		return []loops.Poly{p}, true
	}
	call, isCall := ast.Unparen(e).(*ast.CallExpr)
	if !isCall {
		return nil, false
	}
	name := "min"
	if lower {
		name = "max"
	}
	if id, isID := call.Fun.(*ast.Ident); !isID || t.info.Uses[id] != types.Universe.Lookup(name) {
		return nil, false
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

// rangeHeader finds the bounds of "for i, x := range a" and returns the nodes that assign x.
func (t *translator) rangeHeader(n *loops.Node, s *ast.RangeStmt) (first []*loops.Node) {
	var hi loops.Poly
	over := t.slice(n, s.X)
	ok := over != nil
	if ok {
		hi = over.length
	} else if t.integer(s.X) {
		hi, ok = t.poly(s.X)
	} else {
		n.Opaque = "range over something other than a number or an array"
	}
	for _, e := range []ast.Expr{s.Key, s.Value} {
		if _, isID := e.(*ast.Ident); e != nil && !isID {
			n.Opaque = "range into something other than a variable"
		}
	}
	if n.Opaque != "" {
		for _, e := range []ast.Expr{s.Key, s.Value} {
			if id, isID := e.(*ast.Ident); isID {
				t.define(n, id)
			}
		}
		return nil
	}
	if !ok {
		t.reads(n, s.X)
	}
	name := "_"
	var o types.Object
	if id, isID := s.Key.(*ast.Ident); isID {
		name, o = id.Name, t.info.Defs[id]
	}
	if ok && (s.Key == nil || s.Tok == token.DEFINE) && (o == nil || t.assigned[o] == 1) {
		l := n.Loop
		if name == "_" {
			name = "index"
		}
		t.index(n, name)
		l.Wide = o != nil && o.Type() != types.Typ[types.Int]
		l.Lo, l.Hi, l.Step = []loops.Poly{loops.Number(0)}, []loops.Poly{hi}, 1
		if o != nil {
			t.values[o] = loops.Of(l.Index)
		}
	} else if o != nil {
		t.define(n, s.Key.(*ast.Ident))
	} else if s.Key != nil && name != "_" {
		n.Opaque = "range with a variable that is declared outside the loop"
	}
	value, isID := s.Value.(*ast.Ident)
	if !isID || value.Name == "_" || over == nil {
		return nil
	}
	v := t.node(s.Value)
	a := &loops.Access{Array: over.Array, Text: t.file.source(s.X), Pos: t.file.pos(s.X.Pos())}
	if n.Loop.Affine() {
		at := loops.Of(n.Loop.Index).Plus(over.from)
		a.At = &at
	}
	v.Own = append(v.Own, loops.Action{Access: a})
	t.define(v, value)
	return []*loops.Node{v}
}
