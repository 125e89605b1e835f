package golang

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/loops"
)

// statements translates a list of statements. After "if c { continue }" the rest of the list is
// under the condition !c; after any other statement that may continue, under an unknown condition.
func (t *translator) statements(list []ast.Stmt) (nodes []*loops.Node) {
	for i, s := range list {
		if cond, ok := t.skips(s); ok {
			n := t.node(s)
			n.If, n.Cond, n.Group = true, t.condition(cond, true), true
			head := t.node(s)
			t.reads(head, cond)
			n.Children = t.statements(list[i+1:])
			return append(nodes, head, n)
		}
		nodes = append(nodes, t.statement(s)...)
		if mayContinue(s) && i+1 < len(list) {
			n := t.node(list[i+1])
			n.If, n.Group, n.Children = true, true, t.statements(list[i+1:])
			return append(nodes, n)
		}
	}
	return nodes
}

func mayContinue(s ast.Node) (found bool) {
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return false
		case *ast.BranchStmt:
			found = found || n.Tok == token.CONTINUE
		}
		return true
	})
	return found
}

// skips returns c if s is "if c { continue }".
func (t *translator) skips(s ast.Stmt) (cond ast.Expr, ok bool) {
	i, ok := s.(*ast.IfStmt)
	if !ok || !continues(i) {
		return nil, false
	}
	return i.Cond, true
}

func continues(s *ast.IfStmt) bool {
	if s.Init != nil || s.Else != nil || len(s.Body.List) != 1 {
		return false
	}
	b, ok := s.Body.List[0].(*ast.BranchStmt)
	return ok && b.Tok == token.CONTINUE && b.Label == nil
}

func (t *translator) node(s ast.Node) *loops.Node {
	skip, isIf := s.(*ast.IfStmt)
	return &loops.Node{Pos: t.file.pos(s.Pos()), Origin: s, Continues: mayContinue(s) && !(isIf && continues(skip))}
}

func (t *translator) opaque(s ast.Node, format string, args ...any) []*loops.Node {
	n := t.node(s)
	n.Opaque = fmt.Sprintf(format, args...)
	return []*loops.Node{n}
}

func (t *translator) statement(s ast.Stmt) []*loops.Node {
	n := t.node(s)
	outer := t.calls
	t.calls = nil
	defer func() { t.calls = outer }()
	if t.exchange != nil && t.exchange.stmt == s {
		return []*loops.Node{n}
	}
	switch s := s.(type) {
	case *ast.AssignStmt:
		n = t.withCalls(s, n, func() { t.assign(n, s) })
	case *ast.IncDecStmt:
		t.store(n, s.X, "+")
	case *ast.DeclStmt:
		n = t.withCalls(s, n, func() { t.declare(n, s) })
	case *ast.ForStmt, *ast.RangeStmt:
		return t.loop(s)
	case *ast.IfStmt:
		return t.conditional(s)
	case *ast.SwitchStmt:
		return t.switches(s)
	case *ast.BlockStmt:
		// A block becomes a condition that always holds, so that its declarations stay inside.
		n.If, n.Cond = true, &loops.Cond{}
		n.Children = t.statements(s.List)
	case *ast.ExprStmt:
		if t.copies(n, s) {
			return []*loops.Node{n}
		}
		n = t.withCalls(s, n, func() { t.reads(n, s.X) })
	case *ast.EmptyStmt:
		return nil
	case *ast.BranchStmt:
		if s.Label == nil && (s.Tok == token.CONTINUE || s.Tok == token.BREAK) {
			return nil // handled by statements and leaves
		}
		return t.opaque(s, "%s is not supported here", s.Tok)
	case *ast.ReturnStmt:
		return t.opaque(s, "return is supported only at the end of the function, and before its loops in if c { return } where c reads no array")
	default:
		return t.opaque(s, "this kind of statement is not supported")
	}
	return []*loops.Node{n}
}

func (t *translator) returns(r *ast.ReturnStmt) []*loops.Node {
	n := t.node(r)
	for _, e := range r.Results {
		t.reads(n, e)
	}
	if len(r.Results) == 0 && t.decl.Type.Results != nil {
		for _, field := range t.decl.Type.Results.List {
			for _, id := range field.Names {
				t.use(n, t.info.Defs[id], id)
			}
		}
	}
	for _, a := range n.Own {
		if a.Access != nil {
			n.Opaque = "return reads an array: read the element into a variable before"
		}
	}
	return []*loops.Node{n}
}

func (t *translator) declare(n *loops.Node, s *ast.DeclStmt) {
	g, ok := s.Decl.(*ast.GenDecl)
	if !ok {
		return
	}
	for _, spec := range g.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok || g.Tok != token.VAR {
			for _, id := range declared(spec) { // names of constants and types
				t.hides(n, id.Name)
			}
			continue
		}
		for _, e := range v.Values {
			t.reads(n, e)
		}
		for _, id := range v.Names {
			t.define(n, id)
		}
	}
}

func declared(s ast.Spec) []*ast.Ident {
	switch s := s.(type) {
	case *ast.ValueSpec:
		return s.Names
	case *ast.TypeSpec:
		return []*ast.Ident{s.Name}
	}
	return nil
}

func (t *translator) define(n *loops.Node, id *ast.Ident) {
	o := t.info.Defs[id]
	if o == nil { // already declared, or _
		if id.Name != "_" {
			t.store(n, id, "")
		}
		return
	}
	t.unbind(o)
	t.hides(n, id.Name)
	if !flat(o.Type()) {
		if s, isSlice := o.Type().Underlying().(*types.Slice); !isSlice || !flat(s.Elem()) {
			n.Opaque = fmt.Sprintf("variable %s: only numbers, structs and arrays of them, and slices of these are supported", id.Name)
			return
		}
	}
	t.scalar(o, false)
	t.write(n, o, id, "")
}

func (t *translator) assign(n *loops.Node, s *ast.AssignStmt) {
	if s.Tok == token.DEFINE && t.constants(n, s) {
		return
	}
	if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
		t.reads(n, s.Rhs[0])
		t.store(n, s.Lhs[0], operator(s.Tok))
		return
	}
	if op, with := t.folding(s); op != "" {
		for _, e := range with {
			t.reads(n, e)
		}
		t.store(n, s.Lhs[0], op)
		return
	}
	if op := t.flag(s); op != "" {
		t.store(n, s.Lhs[0], op)
		last := n.Own[len(n.Own)-1] // the write; the old value is not read
		last.Use.Sets = true
		n.Own = []loops.Action{last}
		return
	}
	if len(s.Lhs) > 1 && t.crossed(s) {
		n.Opaque = "an assignment of several values may change a subscript on its left"
	}
	for _, e := range s.Rhs {
		t.reads(n, e)
	}
	for _, e := range s.Lhs {
		if id, ok := e.(*ast.Ident); ok && s.Tok == token.DEFINE {
			t.define(n, id)
			continue
		}
		t.store(n, e, "")
	}
}

// crossed reports whether a subscript on the left of an assignment reads an element, or a variable
// that the assignment changes. Go evaluates the subscript before the assignment.
func (t *translator) crossed(s *ast.AssignStmt) (found bool) {
	written := make(map[types.Object]bool)
	for _, e := range s.Lhs {
		if id, ok := e.(*ast.Ident); ok {
			written[t.info.Uses[id]] = true
		}
	}
	for _, e := range s.Lhs {
		ast.Inspect(e, func(n ast.Node) bool {
			index, ok := n.(*ast.IndexExpr)
			if !ok {
				return true
			}
			ast.Inspect(index.Index, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.IndexExpr:
					found = true
				case *ast.Ident:
					found = found || t.info.Uses[n] != nil && written[t.info.Uses[n]]
				}
				return true
			})
			return true
		})
	}
	return found
}

// operator returns the operator that combines ranks' parts of op=, or "?" if there is none.
func operator(op token.Token) string {
	switch op {
	case token.ADD_ASSIGN, token.SUB_ASSIGN:
		return "+"
	case token.MUL_ASSIGN:
		return "*"
	case token.AND_ASSIGN:
		return "&"
	case token.OR_ASSIGN:
		return "|"
	case token.XOR_ASSIGN:
		return "^"
	}
	return "?"
}

// constants records the variables of a statement such as row, above := a[i], a[i-1] if none of
// them ever changes, and reports whether that is so.
func (t *translator) constants(n *loops.Node, s *ast.AssignStmt) bool {
	if len(s.Lhs) != len(s.Rhs) {
		return false
	}
	for i, e := range s.Rhs {
		o := t.info.Defs[s.Lhs[i].(*ast.Ident)]
		if _, ok := t.poly(e); o == nil || t.assigned[o] != 1 || !ok && t.slice(t.node(s), e) == nil {
			return false
		}
	}
	for i, e := range s.Rhs { // the values do not contain the new variables
		t.constant(n, s.Lhs[i].(*ast.Ident), e)
	}
	return true
}

// constant records a variable that never changes: a polynomial or a part of an array.
func (t *translator) constant(n *loops.Node, id *ast.Ident, e ast.Expr) bool {
	o := t.info.Defs[id]
	if o == nil || t.assigned[o] != 1 {
		return false
	}
	t.unbind(o)
	t.hides(n, id.Name)
	if p, ok := t.poly(e); ok {
		t.values[o] = p
		return true
	}
	if s := t.slice(n, e); s != nil {
		t.views[o] = view{slice: s}
		s.aliased = true
		if o.Parent() == t.info.Scopes[t.decl.Type] {
			t.aliases = append(t.aliases, alias{id, e})
		}
		return true
	}
	return false
}

// hides marks a node as opaque if it declares a variable with the name of an enclosing index.
func (t *translator) hides(n *loops.Node, name string) {
	if slices.Contains(t.around, name) {
		n.Opaque = fmt.Sprintf("%s is the index of an enclosing loop: rename it", name)
	}
}

func (t *translator) slice(n *loops.Node, e ast.Expr) *slice {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident, *ast.SelectorExpr:
		return t.viewOf(e).slice
	case *ast.IndexExpr:
		return t.row(n, e)
	case *ast.SliceExpr:
		whole := t.slice(n, e.X)
		if whole == nil {
			return nil
		}
		s := *whole
		s.part = true
		lo, hi := loops.Number(0), s.length
		okLo, okHi := true, true
		if e.Low != nil {
			lo, okLo = t.poly(e.Low)
		}
		if e.High != nil {
			hi, okHi = t.poly(e.High)
		}
		if !okLo || !okHi {
			n.Opaque = fmt.Sprintf("%s: the bounds are not polynomials of parameters and indices", t.file.source(e))
		}
		s.from, s.length = s.from.Plus(lo), hi.Minus(lo)
		return &s
	}
	return nil
}

func (t *translator) conditional(s *ast.IfStmt) (nodes []*loops.Node) {
	if s.Init != nil {
		nodes = t.statement(s.Init)
	}
	if n := t.extreme(s); n != nil && s.Init == nil {
		return []*loops.Node{n}
	} else if n != nil {
		whole := t.node(s)
		whole.If, whole.Cond, whole.Children = true, &loops.Cond{}, append(nodes, n)
		return []*loops.Node{whole}
	}
	yes := t.node(s)
	var whole *loops.Node
	head := yes // the node that holds the reads of the condition
	if s.Init != nil || s.Else != nil {
		// The node whole is one statement, executed by one rank or by all ranks.
		whole, head = t.node(s), t.node(s.Cond)
		whole.If, whole.Cond = true, &loops.Cond{}
		nodes = append(nodes, head)
		yes = t.node(s.Body)
		yes.Branch = true
	}
	t.reads(head, s.Cond)
	yes.If, yes.Cond = true, t.condition(s.Cond, false)
	yes.Children = t.statements(s.Body.List)
	nodes = append(nodes, yes)
	if s.Else != nil {
		no := t.node(s.Else)
		no.If, no.Branch, no.Cond = true, true, t.condition(s.Cond, true)
		no.Children = t.statements([]ast.Stmt{s.Else})
		nodes = append(nodes, no)
	}
	if whole != nil {
		whole.Children = nodes
		return []*loops.Node{whole}
	}
	return nodes
}

func (t *translator) switches(s *ast.SwitchStmt) []*loops.Node {
	n := t.node(s)
	n.If = true
	if s.Init != nil {
		n.Children = t.statement(s.Init)
	}
	if s.Tag != nil {
		head := t.node(s.Tag)
		t.reads(head, s.Tag)
		n.Children = append(n.Children, head)
	}
	for _, c := range s.Body.List {
		c := c.(*ast.CaseClause)
		one := t.node(c)
		one.If = true
		for _, e := range c.List {
			t.reads(one, e)
		}
		one.Children = t.statements(c.Body)
		n.Children = append(n.Children, one)
	}
	return []*loops.Node{n}
}

// condition returns e or its negation as a conjunction of comparisons of polynomials, or nil.
func (t *translator) condition(e ast.Expr, opposite bool) *loops.Cond {
	b, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if !ok {
		return nil
	}
	if b.Op == token.LAND && !opposite || b.Op == token.LOR && opposite {
		return t.condition(b.X, opposite).And(t.condition(b.Y, opposite))
	}
	r, swap, ok := relation(b.Op)
	x, okX := t.poly(b.X)
	y, okY := t.poly(b.Y)
	if !ok || !okX || !okY || !t.wide(b.X) || !t.wide(b.Y) {
		return nil
	}
	if swap {
		x, y = y, x
	}
	return loops.Compare(x, r, y, opposite)
}
