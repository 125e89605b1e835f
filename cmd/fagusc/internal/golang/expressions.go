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
		outer := t.calls
		if e.Op == token.LAND || e.Op == token.LOR {
			t.calls = nil // a call in Y may not be executed
		}
		t.reads(n, e.Y)
		t.calls = outer
	case *ast.IndexExpr:
		t.element(n, e, e, false, "", false)
	case *ast.SelectorExpr:
		if _, isPackage := t.info.Uses[e.Sel].(*types.Var); isPackage && t.info.Selections[e] == nil {
			n.Opaque = fmt.Sprintf("%s is a package variable: pass it as a parameter", t.file.source(e))
			return
		}
		if !t.memberOf(n, e) {
			t.reads(n, e.X)
		}
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
	if t.memberOf(n, id) {
		return
	}
	switch s := t.scalars[o]; {
	case s != nil && pointer(o.Type()):
		n.Opaque = fmt.Sprintf("the slice %s as a whole is not supported here", id.Name)
	case s != nil:
		n.Own = append(n.Own, loops.Action{Use: &loops.Use{Scalar: s, Pos: t.file.pos(id.Pos())}})
	case t.views[o] != view{}:
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
	s := t.viewOf(e.X).slice
	if s == nil {
		t.array(n, e, whole, write, fold, partly)
		return
	}
	if p, ok := t.poly(e.Index); ok {
		at := p.Plus(s.from)
		var inside []loops.Poly
		if s.part {
			inside = append(inside, p, s.length.Minus(loops.Number(1)).Minus(p))
		}
		if s.row != nil {
			inside = append(inside, s.row.inside(at)...)
		}
		t.access(n, s, &at, inside, whole, write, fold, partly)
		return
	}
	t.access(n, s, nil, nil, whole, write, fold, partly)
	n.Own[len(n.Own)-1].Access.Text += t.overflows(e.Index)
}

// array records an access to an element of something other than a slice.
func (t *translator) array(n *loops.Node, e *ast.IndexExpr, whole ast.Expr, write bool, fold string, partly bool) {
	switch of := ast.Unparen(e.X).(type) {
	case *ast.IndexExpr:
		if t.matrix(of) != nil {
			t.entry(n, e, of, whole, write, fold, partly)
			return
		}
		// An array inside an element.
		t.element(n, of, whole, write, fold, true)
	case *ast.SelectorExpr:
		t.field(n, of, write, fold)
	case *ast.Ident:
		t.variable(n, of, write, fold)
	default:
		n.Opaque = fmt.Sprintf("%s is not supported", t.file.source(e))
	}
}

// access records an access to the element at a subscript, nil if it is unknown; whole is the
// expression. The polynomials in inside are at least 0, because Go checks subscripts.
func (t *translator) access(n *loops.Node, s *slice, at *loops.Poly, inside []loops.Poly, whole ast.Expr, write bool, fold string, partly bool) {
	if partly && fold != "" { // ranks can reduce only whole elements
		t.access(n, s, at, inside, whole, false, "", true)
		fold = ""
	}
	a := loops.Access{Array: s.Array, At: at, Inside: inside, Write: write, Fold: fold, Partly: partly, Fixed: fold != "" && t.fixed(whole), Text: t.file.source(whole), Pos: t.file.pos(whole.Pos())}
	if write && fold != "" {
		read := a
		read.Write = false
		n.Own = append(n.Own, loops.Action{Access: &read})
	}
	n.Own = append(n.Own, loops.Action{Access: &a})
}

// fixed reports whether an expression has the same meaning before the innermost loop as in it: no
// variable is declared in the loop, or is one of a called function. The caller knows that its
// subscripts do not change.
func (t *translator) fixed(e ast.Expr) bool {
	fixed := t.innermost != nil && len(t.inlined) == 0
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && fixed {
			o := t.info.Uses[id]
			fixed = o != nil && (o.Pos() < t.innermost.Pos() || o.Pos() >= t.innermost.End())
		}
		return true
	})
	return fixed
}

func (t *translator) variable(n *loops.Node, id *ast.Ident, write bool, fold string) {
	s := t.scalars[t.info.Uses[id]]
	if s == nil {
		t.readsName(n, id)
		return
	}
	pos := t.file.pos(id.Pos())
	if write && fold != "" && s.Type.FoldsElements(fold) {
		n.Own = append(n.Own,
			loops.Action{Use: &loops.Use{Scalar: s, Fold: fold, Pos: pos}},
			loops.Action{Use: &loops.Use{Scalar: s, Write: true, Fold: fold, Pos: pos}})
		return
	}
	if !write || fold != "" {
		n.Own = append(n.Own, loops.Action{Use: &loops.Use{Scalar: s, Pos: pos}})
	}
	if write {
		n.Own = append(n.Own, loops.Action{Use: &loops.Use{Scalar: s, Write: true, Partly: true, Pos: pos}})
	}
}

func (t *translator) field(n *loops.Node, e *ast.SelectorExpr, write bool, fold string) {
	if t.memberOf(n, e) {
		if write {
			n.Opaque = fmt.Sprintf("%s is assigned", t.file.source(e))
		}
		return
	}
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
	if fold != "" && !typeOf(t.info.TypeOf(e)).Folds(fold) {
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

func (t *translator) call(n *loops.Node, e *ast.CallExpr) {
	if _, ok := t.poly(e); ok { // for example len of an array
		return
	}
	if !t.info.Types[e.Fun].IsType() && !t.pure(e.Fun) {
		if why := t.inline(e); why != "" {
			n.Opaque = why
		}
		return
	}
	args := e.Args
	id, isID := ast.Unparen(e.Fun).(*ast.Ident)
	if b, builtin := t.info.Uses[id].(*types.Builtin); isID && builtin {
		switch b.Name() {
		case "make":
			args = args[1:]
		case "len", "cap":
			if t.mentionsMember(e) {
				n.Opaque = fmt.Sprintf("%s is not supported", t.file.source(e))
			}
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
