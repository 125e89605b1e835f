package golang

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/loops"
)

func (t *translator) reads(n *loops.Node, e ast.Expr) {
	if v := t.info.Types[e].Value; v != nil {
		return
	}
	switch e := e.(type) {
	case *ast.Ident:
		t.readsName(n, e)
	case *ast.ParenExpr:
		t.reads(n, e.X)
	case *ast.UnaryExpr:
		if e.Op == token.AND || e.Op == token.ARROW {
			n.Opaque = fmt.Sprintf("%s: pointers and channels are not supported", t.file.source(e))
		}
		t.reads(n, e.X)
	case *ast.BinaryExpr:
		t.reads(n, e.X)
		t.reads(n, e.Y)
	case *ast.IndexExpr:
		t.element(n, e, e, false, "", false)
	case *ast.SelectorExpr:
		if _, isPackage := t.info.Uses[e.Sel].(*types.Var); isPackage && t.info.Selections[e] == nil {
			n.Opaque = fmt.Sprintf("%s is a package variable: pass it as a parameter", t.file.source(e))
			return
		}
		t.reads(n, e.X)
	case *ast.CallExpr:
		t.call(n, e)
	case *ast.CompositeLit:
		for _, x := range e.Elts {
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				x = kv.Value
			}
			t.reads(n, x)
		}
	default:
		n.Opaque = fmt.Sprintf("%s is not supported", t.file.source(e))
	}
}

func (t *translator) readsName(n *loops.Node, id *ast.Ident) { t.use(n, t.info.Uses[id], id) }

func (t *translator) use(n *loops.Node, o types.Object, id *ast.Ident) {
	if _, ok := t.values[o]; ok {
		return
	}
	switch s := t.scalars[o]; {
	case s != nil && pointer(o.Type()):
		n.Opaque = fmt.Sprintf("the slice %s as a whole is not supported here", id.Name)
	case s != nil:
		n.Own = append(n.Own, loops.Action{Use: &loops.Use{Scalar: s, Pos: t.file.pos(id.Pos())}})
	case t.slices[o] != nil:
		n.Opaque = fmt.Sprintf("the slice %s as a whole is not supported here", id.Name)
	default:
		if _, isVar := o.(*types.Var); isVar {
			n.Opaque = fmt.Sprintf("%s is a package variable: pass it as a parameter", id.Name)
		}
	}
}

func pointer(t types.Type) bool {
	_, isSlice := t.Underlying().(*types.Slice)
	return isSlice
}

// element records an access to an element of an array or a local array; whole is the expression.
func (t *translator) element(n *loops.Node, e *ast.IndexExpr, whole ast.Expr, write bool, fold string, partly bool) {
	t.reads(n, e.Index)
	id, ok := ast.Unparen(e.X).(*ast.Ident)
	if !ok {
		if inner, isElement := ast.Unparen(e.X).(*ast.IndexExpr); isElement {
			// An array inside an element.
			t.element(n, inner, whole, write, fold, true)
			return
		}
		if sel, isField := ast.Unparen(e.X).(*ast.SelectorExpr); isField {
			t.field(n, sel, write, fold)
			return
		}
		n.Opaque = fmt.Sprintf("%s is not supported", t.file.source(e))
		return
	}
	s := t.slices[t.info.Uses[id]]
	if s == nil {
		t.variable(n, id, write, fold)
		return
	}
	if partly && fold != "" { // ranks can reduce only whole elements
		t.element(n, e, whole, false, "", true)
		fold = ""
	}
	a := loops.Access{Array: s.Array, Write: write, Fold: fold, Partly: partly, Text: t.file.source(whole), Pos: t.file.pos(whole.Pos())}
	if p, ok := t.poly(e.Index); ok {
		p = p.Plus(s.from)
		a.At = &p
	}
	if write && fold != "" {
		read := a
		read.Write = false
		n.Own = append(n.Own, loops.Action{Access: &read})
	}
	n.Own = append(n.Own, loops.Action{Access: &a})
}

func (t *translator) variable(n *loops.Node, id *ast.Ident, write bool, fold string) {
	s := t.scalars[t.info.Uses[id]]
	if s == nil {
		t.readsName(n, id)
		return
	}
	pos := t.file.pos(id.Pos())
	if !write || fold != "" {
		n.Own = append(n.Own, loops.Action{Use: &loops.Use{Scalar: s, Pos: pos}})
	}
	if write {
		n.Own = append(n.Own, loops.Action{Use: &loops.Use{Scalar: s, Write: true, Partly: true, Pos: pos}})
	}
}

func (t *translator) field(n *loops.Node, e *ast.SelectorExpr, write bool, fold string) {
	switch x := ast.Unparen(e.X).(type) {
	case *ast.IndexExpr:
		t.element(n, x, e, write, fold, true)
	case *ast.SelectorExpr:
		t.field(n, x, write, fold)
	case *ast.Ident:
		t.variable(n, x, write, fold)
	default:
		n.Opaque = fmt.Sprintf("%s is not supported", t.file.source(e))
	}
}

// store records a write to e; fold is the operator if the new value depends on the old one.
func (t *translator) store(n *loops.Node, e ast.Expr, fold string) {
	if fold != "" && !foldable(t.info.TypeOf(e)) {
		fold = "?"
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if e.Name == "_" {
			return
		}
		o := t.info.Uses[e]
		if o == nil {
			o = t.info.Defs[e]
		}
		t.write(n, o, e, fold)
	case *ast.IndexExpr:
		if fold == "?" { // not a reduction: an ordinary read and write
			t.element(n, e, e, false, "", false)
			fold = ""
		}
		t.element(n, e, e, true, fold, false)
	case *ast.SelectorExpr:
		if fold != "" {
			t.field(n, e, false, "")
		}
		t.field(n, e, true, "")
	default:
		n.Opaque = fmt.Sprintf("%s is not supported", t.file.source(e))
	}
}

func (t *translator) write(n *loops.Node, o types.Object, id *ast.Ident, fold string) {
	s := t.scalars[o]
	if s == nil {
		n.Opaque = fmt.Sprintf("%s is not a variable of the function that may be assigned", id.Name)
		return
	}
	pos := t.file.pos(id.Pos())
	if fold == "?" {
		n.Own = append(n.Own, loops.Action{Use: &loops.Use{Scalar: s, Pos: pos}})
		fold = ""
	}
	if fold != "" {
		n.Own = append(n.Own, loops.Action{Use: &loops.Use{Scalar: s, Fold: fold, Pos: pos}})
	}
	n.Own = append(n.Own, loops.Action{Use: &loops.Use{Scalar: s, Write: true, Fold: fold, Pos: pos}})
}

// foldable reports whether fagus.Reduce takes values of a type: numbers of at most 8 bytes.
func foldable(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsInteger|types.IsFloat) != 0 && b.Kind() != types.Uintptr
}

// folding returns the operator and the other operand of x = x + e, x = e + x, x = max(x, e) and
// similar statements, or "" for any other statement.
func (t *translator) folding(s *ast.AssignStmt) (op string, with ast.Expr) {
	if len(s.Lhs) != 1 || s.Tok != token.ASSIGN {
		return "", nil
	}
	target := t.file.source(s.Lhs[0])
	is := func(e ast.Expr) bool { return t.file.source(ast.Unparen(e)) == target }
	switch e := ast.Unparen(s.Rhs[0]).(type) {
	case *ast.BinaryExpr:
		ops := map[token.Token]string{token.ADD: "+", token.MUL: "*", token.AND: "&", token.OR: "|", token.XOR: "^"}
		switch {
		case is(e.X) && e.Op == token.SUB:
			return "+", e.Y
		case is(e.X):
			return ops[e.Op], e.Y
		case is(e.Y):
			return ops[e.Op], e.X
		}
	case *ast.CallExpr:
		if len(e.Args) != 2 {
			return "", nil
		}
		op := t.extremum(e.Fun)
		switch {
		case is(e.Args[0]):
			return op, e.Args[1]
		case is(e.Args[1]):
			return op, e.Args[0]
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

// extreme returns the node of "if e > x { x = e }", or nil.
func (t *translator) extreme(s *ast.IfStmt) *loops.Node {
	cond, ok := ast.Unparen(s.Cond).(*ast.BinaryExpr)
	if !ok || s.Init != nil || s.Else != nil || len(s.Body.List) != 1 {
		return nil
	}
	a, ok := s.Body.List[0].(*ast.AssignStmt)
	if !ok || a.Tok != token.ASSIGN || len(a.Lhs) != 1 {
		return nil
	}
	target, value := t.file.source(a.Lhs[0]), t.file.source(a.Rhs[0])
	x, y, op := t.file.source(cond.X), t.file.source(cond.Y), cond.Op
	if x == target && y == value {
		x, y = y, x
		op = map[token.Token]token.Token{token.LSS: token.GTR, token.GTR: token.LSS}[op]
	}
	if x != value || y != target || op != token.LSS && op != token.GTR {
		return nil
	}
	n := t.node(s)
	t.reads(n, a.Rhs[0])
	t.store(n, a.Lhs[0], op.String())
	return n
}

func (t *translator) call(n *loops.Node, e *ast.CallExpr) {
	if _, ok := t.poly(e); ok { // for example len of an array
		return
	}
	if !t.info.Types[e.Fun].IsType() && !t.pure(e.Fun) {
		n.Opaque = fmt.Sprintf("%s may have effects that are not known", t.file.source(e.Fun))
	}
	args := e.Args
	id, isID := ast.Unparen(e.Fun).(*ast.Ident)
	if b, builtin := t.info.Uses[id].(*types.Builtin); isID && builtin {
		switch b.Name() {
		case "make":
			args = args[1:]
		case "len", "cap":
			return // len of a local slice, which is constant
		}
	}
	for _, arg := range args {
		t.reads(n, arg)
	}
}

// pure reports whether a function has no effects: it is in package math, built in, or a function of
// the input's package for which computes returns true.
func (t *translator) pure(fun ast.Expr) bool {
	switch f := ast.Unparen(fun).(type) {
	case *ast.SelectorExpr:
		fn, ok := t.info.Uses[f.Sel].(*types.Func)
		return ok && fn.Pkg() != nil && slices.Contains([]string{"math", "math/bits", "math/cmplx"}, fn.Pkg().Path())
	case *ast.Ident:
		switch o := t.info.Uses[f].(type) {
		case *types.Builtin:
			return slices.Contains([]string{"len", "cap", "make", "min", "max", "real", "imag", "complex"}, o.Name())
		case *types.Func:
			return t.computes(o, nil)
		}
	}
	return false
}

// computes reports whether a function of the package has parameters and results without pointers,
// and uses only its own variables, constants, types, and other such functions. asked holds the
// functions under examination.
func (t *translator) computes(fn *types.Func, asked []*types.Func) bool {
	if slices.Contains(asked, fn) {
		return true
	}
	asked = append(asked, fn)
	sig := fn.Signature()
	for _, tuple := range []*types.Tuple{sig.Params(), sig.Results()} {
		for v := range tuple.Variables() {
			if !flat(v.Type()) {
				return false
			}
		}
	}
	decl := t.file.declaration(fn)
	if decl == nil || decl.Body == nil || sig.Recv() != nil {
		return false
	}
	good := true
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			switch o := t.info.Uses[n].(type) {
			case *types.Var:
				good = good && (o.IsField() || decl.Pos() <= o.Pos() && o.Pos() < decl.End())
			case *types.Func:
				in := o.Pkg() != nil && slices.Contains([]string{"math", "math/bits", "math/cmplx"}, o.Pkg().Path())
				good = good && (in || o.Pkg() == fn.Pkg() && t.computes(o, asked))
			case *types.Builtin:
				good = good && o.Name() != "print" && o.Name() != "println"
			}
		case *ast.GoStmt, *ast.FuncLit, *ast.SelectStmt, *ast.DeferStmt:
			good = false
		}
		return good
	})
	return good
}

func (f *File) declaration(fn *types.Func) *ast.FuncDecl {
	for _, file := range f.pkg.Syntax {
		for _, d := range file.Decls {
			if decl, ok := d.(*ast.FuncDecl); ok && f.pkg.TypesInfo.Defs[decl.Name] == fn {
				return decl
			}
		}
	}
	return nil
}
