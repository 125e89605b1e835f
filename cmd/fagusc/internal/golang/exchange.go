package golang

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/loops"
)

// exchange is the statement a, b = b, a of two slices, which ends the body of a loop of the
// function's outermost block.
type exchange struct {
	slices [2]types.Object
	loop   ast.Stmt
	stmt   ast.Stmt
}

// findExchange finds the exchange of the function, if there is one.
func (t *translator) findExchange() {
	for _, s := range t.decl.Body.List {
		var body *ast.BlockStmt
		switch s := s.(type) {
		case *ast.ForStmt:
			body = s.Body
		case *ast.RangeStmt:
			body = s.Body
		default:
			continue
		}
		if len(body.List) == 0 {
			continue
		}
		last := body.List[len(body.List)-1]
		a, isAssign := last.(*ast.AssignStmt)
		if !isAssign || a.Tok != token.ASSIGN || len(a.Lhs) != 2 || len(a.Rhs) != 2 {
			continue
		}
		object := func(e ast.Expr) types.Object {
			id, _ := e.(*ast.Ident)
			if id == nil || t.info.Uses[id] == nil || t.info.Uses[id].Parent() != t.info.Scopes[t.decl.Type] {
				return nil
			}
			return t.info.Uses[id]
		}
		one, two := object(a.Lhs[0]), object(a.Lhs[1])
		if one == nil || two == nil || one == two || object(a.Rhs[0]) != two || object(a.Rhs[1]) != one || t.exchange != nil {
			continue
		}
		if _, isSlice := one.Type().Underlying().(*types.Slice); !isSlice || !types.Identical(one.Type(), two.Type()) {
			continue
		}
		t.exchange = &exchange{slices: [2]types.Object{one, two}, loop: s, stmt: last}
		t.assigned[one]--
		t.assigned[two]--
	}
}

// exchanged completes the exchange when the function is translated.
func (t *translator) exchanged() {
	x := t.exchange
	if x == nil {
		return
	}
	found := new(loops.Exchange)
	for i, o := range x.slices {
		switch v := t.views[o]; {
		case v.slice != nil && !v.slice.part:
			found.Arrays[i] = v.slice.Array
		case v.rows != nil:
			found.Arrays[i] = v.rows.Array
		default:
			t.refuse(x.stmt.Pos(), "the slices that are exchanged must be parameters or made by the first statements")
			return
		}
	}
	for _, a := range t.aliases {
		if a.variable.Pos() < x.loop.Pos() && slices.Contains(found.Arrays[:], t.views[t.info.Defs[a.variable]].slice.Array) {
			t.refuse(x.stmt.Pos(), "%s denotes a part of a slice that is exchanged: make it in the loop", a.variable.Name)
		}
	}
	for _, top := range t.Body {
		if top.Origin == x.loop {
			found.Loop = top
			top.Loop.Exchanges = true
		}
	}
	if found.Loop == nil {
		t.refuse(x.stmt.Pos(), "slices are exchanged in a loop that is not understood")
		return
	}
	name := t.unique("parity")
	found.Parity = &loops.Symbol{Name: name, Ident: name, Loop: new(loops.Loop)}
	t.Exchange = found
}
