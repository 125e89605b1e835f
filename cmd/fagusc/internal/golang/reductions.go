package golang

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/loops"
)

// typeOf returns a type as the passes know it.
func typeOf(t types.Type) *loops.Type {
	of := &loops.Type{Origin: t}
	if flat(t) {
		of.Bytes = layout().Sizeof(t)
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch info := u.Info(); {
		case info&types.IsBoolean != 0:
			of.Class = loops.Boolean
		case info&types.IsInteger != 0 && u.Kind() != types.Uintptr:
			of.Class = loops.Integer
		case info&types.IsFloat != 0:
			of.Class = loops.Float
		}
	case *types.Array:
		of.Element = typeOf(u.Elem())
		if inner := of.Element.Element; inner != nil {
			of.Element = inner
		}
	}
	return of
}

// layout returns the sizes of types on the systems that Fagus runs on.
func layout() types.Sizes { return types.SizesFor("gc", "amd64") }

// folding returns the operator and the other operands of a statement such as x = x + e, x = e + x,
// x = max(x, e) or x = x && e. The operator is "" for other statements.
func (t *translator) folding(s *ast.AssignStmt) (op string, with []ast.Expr) {
	if len(s.Lhs) != 1 || s.Tok != token.ASSIGN {
		return "", nil
	}
	target := t.file.source(s.Lhs[0])
	is := func(e ast.Expr) bool { return t.file.source(ast.Unparen(e)) == target }
	switch e := ast.Unparen(s.Rhs[0]).(type) {
	case *ast.BinaryExpr:
		ops := map[token.Token]string{
			token.ADD: "+", token.MUL: "*", token.AND: "&", token.OR: "|", token.XOR: "^", token.LAND: "&&", token.LOR: "||",
		}
		switch {
		case is(e.X) && e.Op == token.SUB:
			return "+", []ast.Expr{e.Y}
		case is(e.X):
			return ops[e.Op], []ast.Expr{e.Y}
		case is(e.Y):
			return ops[e.Op], []ast.Expr{e.X}
		}
	case *ast.CallExpr:
		op := t.extremum(e.Fun)
		if i := slices.IndexFunc(e.Args, is); op != "" && i >= 0 {
			return op, slices.Delete(slices.Clone(e.Args), i, i+1)
		}
	}
	return "", nil
}

// extremum returns "max" or "min" if fun is one of these, built in or in package math, else "".
func (t *translator) extremum(fun ast.Expr) string {
	switch f := ast.Unparen(fun).(type) {
	case *ast.Ident:
		if _, builtin := t.info.Uses[f].(*types.Builtin); builtin && (f.Name == "max" || f.Name == "min") {
			return f.Name
		}
	case *ast.SelectorExpr:
		fn, ok := t.info.Uses[f.Sel].(*types.Func)
		if ok && (fn.FullName() == "math.Max" || fn.FullName() == "math.Min") {
			return t.file.source(f)
		}
	}
	return ""
}

// flag returns "||" if the statement sets a boolean variable to true, "&&" if to false, else "".
func (t *translator) flag(s *ast.AssignStmt) (op string) {
	if len(s.Lhs) != 1 || s.Tok != token.ASSIGN {
		return ""
	}
	v := t.info.Types[s.Rhs[0]].Value
	id, isID := s.Lhs[0].(*ast.Ident)
	if !isID || t.scalars[t.info.Uses[id]] == nil || v == nil || v.Kind() != constant.Bool {
		return ""
	}
	if constant.BoolVal(v) {
		return "||"
	}
	return "&&"
}

// extreme returns the node of "if e > x { x = e }", or nil. The statement may assign other
// variables together with x, for example the index of the greatest element.
func (t *translator) extreme(s *ast.IfStmt) *loops.Node {
	cond, ok := ast.Unparen(s.Cond).(*ast.BinaryExpr)
	if !ok || s.Else != nil || cond.Op != token.LSS && cond.Op != token.GTR {
		return nil
	}
	var targets, values []ast.Expr
	for _, s := range s.Body.List {
		a, ok := s.(*ast.AssignStmt)
		if !ok || a.Tok != token.ASSIGN || len(a.Lhs) != len(a.Rhs) {
			return nil
		}
		targets, values = append(targets, a.Lhs...), append(values, a.Rhs...)
	}
	x, y, op := t.file.source(cond.X), t.file.source(cond.Y), cond.Op
	best := slices.IndexFunc(targets, func(e ast.Expr) bool { return t.file.source(e) == x || t.file.source(e) == y })
	if best < 0 {
		return nil
	}
	if x == t.file.source(targets[best]) {
		x, y = y, x
		op = map[token.Token]token.Token{token.LSS: token.GTR, token.GTR: token.LSS}[op]
	}
	if x != t.file.source(values[best]) {
		return nil
	}
	n := t.node(s)
	if len(targets) > 1 && !t.chooses(n, targets, best, op.String()) {
		return nil
	}
	for _, e := range values {
		t.reads(n, e)
	}
	if len(targets) == 1 {
		t.store(n, targets[best], op.String())
	}
	return n
}

// chooses records that a statement assigns all targets if it finds a better value for one of them.
// It reports whether all targets are different variables that ranks can send to each other.
func (t *translator) chooses(n *loops.Node, targets []ast.Expr, best int, op string) bool {
	var all []*loops.Scalar
	for _, e := range targets {
		id, isID := e.(*ast.Ident)
		if !isID {
			return false
		}
		s := t.scalars[t.info.Uses[id]]
		if s == nil || slices.Contains(all, s) || !s.Type.Folds(op) {
			return false
		}
		all = append(all, s)
	}
	choice := &loops.Choice{By: all[best]}
	for i, s := range all {
		pos := t.file.pos(targets[i].Pos())
		if i == best {
			n.Own = append(n.Own, loops.Action{Use: &loops.Use{Scalar: s, Fold: op, Choice: choice, Pos: pos}})
		}
		n.Own = append(n.Own, loops.Action{Use: &loops.Use{Scalar: s, Write: true, Fold: op, Choice: choice, Pos: pos}})
	}
	return true
}
