package golang

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/loops"
)

// guards records a statement "if c { return }" or "if c { panic(...) }" that reads no array, and
// reports whether it is one. All ranks return, or none.
func (t *translator) guards(s ast.Stmt) bool {
	i, ok := s.(*ast.IfStmt)
	if !ok || i.Init != nil || i.Else != nil || len(i.Body.List) != 1 {
		return false
	}
	n := t.node(s)
	t.reads(n, i.Cond)
	switch last := i.Body.List[0].(type) {
	case *ast.ReturnStmt:
		for _, e := range last.Results {
			t.reads(n, e)
		}
	case *ast.ExprStmt:
		call, isCall := last.X.(*ast.CallExpr)
		if !isCall {
			return false
		}
		id, isID := call.Fun.(*ast.Ident)
		if !isID || t.info.Uses[id] != types.Universe.Lookup("panic") || t.mentionsArrays(call) {
			return false
		}
	default:
		return false
	}
	if n.Opaque != "" || slices.ContainsFunc(n.Own, func(a loops.Action) bool { return a.Access != nil }) {
		return false
	}
	t.Body = append(t.Body, n)
	return true
}

// mentionsArrays reports whether an expression mentions an array other than in len.
func (t *translator) mentionsArrays(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			_, length := t.called(call)
			return !length
		}
		x, isExpr := n.(ast.Expr)
		if m, ok := t.member(x); isExpr && ok {
			found = found || !flat(m.typ)
			return false
		}
		if id, ok := n.(*ast.Ident); ok {
			o := t.info.Uses[id]
			found = found || t.views[o] != view{}
		}
		return true
	})
	return found
}

// settle finds the integers that do not change after the preamble. The plan can use their values.
func (t *translator) settle() {
	t.opened = assigned(t.info, &ast.BlockStmt{List: t.preamble})
	for o := range t.scalars {
		b, basic := o.Type().Underlying().(*types.Basic)
		if _, known := t.values[o]; !known && basic && b.Info()&types.IsInteger != 0 && b.Info()&types.IsUnsigned == 0 && t.settled(o) {
			t.values[o] = t.outer(o, converted(o))
		}
	}
}

// settled reports whether a variable of the function's outermost block has its final value after
// the preamble so far.
func (t *translator) settled(o types.Object) bool {
	_, isVar := o.(*types.Var)
	return isVar && t.views[o] == view{} && o.Parent() == t.info.Scopes[t.decl.Type] && t.assigned[o] == t.opened[o] && !slices.Contains(t.results, o.Name())
}

// outer returns the symbol for a value of a variable or of its field; text is the expression.
func (t *translator) outer(o types.Object, text string) loops.Poly {
	t.names[o.Name()] = 2 // an index of the same name is renamed
	return loops.Of(&loops.Symbol{Name: text})
}

// fieldValue returns the value of a field that never changes.
func (t *translator) fieldValue(e *ast.SelectorExpr) (p loops.Poly, ok bool) {
	if m, isMember := t.member(e); isMember {
		if !flat(m.typ) || !t.integer(e) {
			return p, false
		}
		t.agrees(m)
		return t.fieldOf(m.of, m.name, e), true
	}
	id, isID := root(t.info, e).(*ast.Ident)
	if !isID || !t.integer(e) || !t.settled(t.info.Uses[id]) {
		return p, false
	}
	for x := ast.Expr(e); ; { // only fields of fields
		sel, isField := ast.Unparen(x).(*ast.SelectorExpr)
		if !isField {
			if _, isID := ast.Unparen(x).(*ast.Ident); !isID {
				return p, false
			}
			break
		}
		x = sel.X
	}
	return t.fieldOf(t.info.Uses[id], t.file.source(e), e), true
}

// fieldOf returns the value of a field of o that never changes.
func (t *translator) fieldOf(o types.Object, text string, e ast.Expr) loops.Poly {
	if t.info.TypeOf(e) != types.Typ[types.Int] {
		text = "int(" + text + ")"
	}
	if _, known := t.fields[text]; !known {
		t.fields[text] = t.outer(o, text)
	}
	return t.fields[text]
}

// computed returns a symbol for an expression of variables that do not change, such as max(n, 0) or
// n & 7. It takes no division, because the plan computes the value even if the program does not.
func (t *translator) computed(e ast.Expr) (p loops.Poly, ok bool) {
	if !t.integer(e) {
		return p, false
	}
	text, ok := t.invariant(e)
	if !ok {
		return p, false
	}
	if t.info.TypeOf(e) != types.Typ[types.Int] {
		text = "int(" + text + ")"
	}
	if _, known := t.fields[text]; !known {
		t.fields[text] = loops.Of(&loops.Symbol{Name: text})
	}
	return t.fields[text], true
}

// invariant returns an expression of variables that do not change as text for the plan.
func (t *translator) invariant(e ast.Expr) (text string, ok bool) {
	if v := t.info.Types[e].Value; v != nil {
		return v.ExactString(), v.Kind() == constant.Int
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e.Name, t.settled(t.info.Uses[e])
	case *ast.SelectorExpr:
		_, ok := t.fieldValue(e)
		if m, isMember := t.member(e); isMember {
			return m.name, ok
		}
		return t.file.source(e), ok
	case *ast.UnaryExpr:
		x, ok := t.invariant(e.X)
		return "(-" + x + ")", ok && e.Op == token.SUB
	case *ast.BinaryExpr:
		x, okX := t.invariant(e.X)
		y, okY := t.invariant(e.Y)
		ops := []token.Token{token.ADD, token.SUB, token.MUL, token.AND, token.OR, token.XOR, token.AND_NOT}
		return fmt.Sprintf("(%s %s %s)", x, e.Op, y), okX && okY && slices.Contains(ops, e.Op)
	case *ast.CallExpr:
		id, isID := ast.Unparen(e.Fun).(*ast.Ident)
		if !isID || t.info.Uses[id] != types.Universe.Lookup("min") && t.info.Uses[id] != types.Universe.Lookup("max") {
			return "", false
		}
		var args []string
		for _, arg := range e.Args {
			x, ok := t.invariant(arg)
			if !ok {
				return "", false
			}
			args = append(args, x)
		}
		return id.Name + "(" + strings.Join(args, ", ") + ")", true
	}
	return "", false
}
