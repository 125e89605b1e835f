package golang

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/loops"
)

// exchange is the statement a, b = b, a of two slices, which ends the body of a loop of the
// function's outermost block. Which array a variable denotes then depends on the parity of the
// exchanges so far: a plan declares the steps of the loop, and those behind it, for both parities.
type exchange struct {
	slices [2]types.Object
	arrays [2]*loops.Array
	loop   ast.Stmt
	stmt   ast.Stmt
	node   *loops.Node   // of loop
	parity *loops.Symbol // the variable in the output
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
	for i, o := range x.slices {
		switch s, m := t.slices[o], t.matrices[o]; {
		case s != nil && !s.part:
			x.arrays[i] = s.array.Array
		case m != nil:
			x.arrays[i] = m.Array
		default:
			t.refuse(x.stmt.Pos(), "the slices that are exchanged must be parameters or made by the first statements")
			return
		}
	}
	for _, a := range t.aliases {
		if a.variable.Pos() < x.loop.Pos() && (t.slices[t.info.Defs[a.variable]].array.Array == x.arrays[0] || t.slices[t.info.Defs[a.variable]].array.Array == x.arrays[1]) {
			t.refuse(x.stmt.Pos(), "%s denotes a part of a slice that is exchanged: make it in the loop", a.variable.Name)
		}
	}
	for _, top := range t.Body {
		if top.Origin == x.loop {
			x.node = top
			top.Loop.Exchanges = true
		}
	}
	if x.node == nil {
		t.refuse(x.stmt.Pos(), "slices are exchanged in a loop that is not understood")
		return
	}
	x.parity = &loops.Symbol{Name: t.unique("parity"), Loop: new(loops.Loop)}
	t.idents[x.parity] = x.parity.Name
}

// depends reports whether a node of the outermost block is executed after exchanges.
func (x *exchange) depends(top *loops.Node, nodes []*loops.Node) bool {
	behind := false
	for _, n := range nodes {
		if behind = behind || n == x.node; n == top {
			return behind
		}
	}
	return false
}

// numbered returns the number of an array as an expression for the plan.
func (e *emitter) numbered(a *loops.Array) string {
	n := e.number(a)
	if x := e.exchange; x != nil && e.both {
		for i := range x.arrays {
			if x.arrays[i] == a {
				return fmt.Sprintf("[2]int{%d, %d}[%s]", n, e.number(x.arrays[1-i]), x.parity.Name)
			}
		}
	}
	return fmt.Sprint(n)
}

// plannedBoth writes the plan of nodes for both parities.
func (e *emitter) plannedBoth(nodes []*loops.Node) {
	if !slices.ContainsFunc(nodes, e.hasSteps) {
		return
	}
	e.both = true
	defer func() { e.both = false }()
	e.printf("for %s := range 2 {\n%s.Maybe()\n", e.exchange.parity.Name, e.prog)
	e.planned(nodes)
	e.printf("%s.End()\n}\n", e.prog)
}
