package golang

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/loops"
)

func (t *translator) loop(s ast.Stmt) []*loops.Node {
	n := t.node(s)
	mark := t.marks(s)
	n.Loop = &loops.Loop{Serial: mark == serial, Independent: mark == independent}
	var body *ast.BlockStmt
	around := len(t.around)
	outer := t.innermost
	t.innermost = s
	defer func() { t.around, t.innermost = t.around[:around], outer }()
	switch s := s.(type) {
	case *ast.ForStmt:
		body = s.Body
		defer t.forget(s)
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

// copies makes a statement copy(x, y) a loop over the elements, and reports whether it is one.
func (t *translator) copies(n *loops.Node, s *ast.ExprStmt) bool {
	call, ok := ast.Unparen(s.X).(*ast.CallExpr)
	if !ok {
		return false
	}
	if id, isID := call.Fun.(*ast.Ident); !isID || t.info.Uses[id] != types.Universe.Lookup("copy") {
		return false
	}
	to, from := t.slice(n, call.Args[0]), t.slice(n, call.Args[1])
	if to == nil || from == nil {
		return false
	}
	n.Loop = &loops.Loop{Lo: []loops.Poly{loops.Number(0)}, Hi: []loops.Poly{to.length}, Step: 1, AtOnce: true}
	if !to.length.Equal(from.length) {
		n.Loop.Hi = append(n.Loop.Hi, from.length)
	}
	n.Loop.Serial, n.Loop.Independent = t.marks(s) == serial, t.marks(s) == independent
	t.index(n, "index")
	t.around = t.around[:len(t.around)-1]
	one := t.node(s)
	for i, x := range []*slice{from, to} {
		at := x.from.Plus(loops.Of(n.Loop.Index))
		t.access(one, x, &at, nil, call.Args[1-i], i == 1, "", false)
	}
	n.Children = []*loops.Node{one}
	return true
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

// header finds the bounds of a loop that counts. For any other loop it returns the nodes of the
// init statement.
func (t *translator) header(n *loops.Node, s *ast.ForStmt) (init []*loops.Node) {
	if n.Loop.Unknown = t.counted(n, s); n.Loop.Unknown == "" {
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

func (t *translator) index(n *loops.Node, name string) {
	t.hides(n, name)
	n.Loop.Index = t.symbol(name, n.Loop)
	t.around = append(t.around, name)
}

// rangeHeader finds the bounds of "for i, x := range a" and returns the nodes that assign x.
func (t *translator) rangeHeader(n *loops.Node, s *ast.RangeStmt) (first []*loops.Node) {
	var hi loops.Poly
	over, rows := t.slice(n, s.X), t.viewOf(s.X).rows
	ok := over != nil || rows != nil
	if over != nil {
		hi = over.length
	} else if rows != nil {
		hi = rows.rows
	} else if t.integer(s.X) {
		hi, ok = t.poly(s.X)
	} else {
		n.Opaque = fmt.Sprintf("%s is neither a number nor a slice that the function gets, or makes before its loops", t.file.source(s.X))
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
		n.Loop.Unknown = fmt.Sprintf("%s is not %s", t.file.source(s.X), known)
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
	if !isID || value.Name == "_" || !ok || over == nil && rows == nil {
		return nil
	}
	if rows != nil {
		t.hides(n, value.Name)
		o := t.info.Defs[value]
		if o == nil || t.assigned[o] != 1 || !n.Loop.Affine() {
			n.Opaque = fmt.Sprintf("the row %s is assigned, or its number is not known", value.Name)
			return nil
		}
		rows.aliased = true
		t.views[o] = view{slice: rows.part(loops.Of(n.Loop.Index))}
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
