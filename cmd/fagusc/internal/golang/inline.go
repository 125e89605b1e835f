package golang

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/loops"
)

// calls are the calls in a statement of functions that take slices.
type calls struct {
	nodes []*loops.Node // the arguments and the bodies, in order
	count int
}

// withCalls translates a statement by a function, and puts the bodies of the functions that the
// statement calls before it. The result is executed as a unit.
func (t *translator) withCalls(s ast.Stmt, n *loops.Node, translate func()) *loops.Node {
	outer := t.calls
	t.calls = new(calls)
	translate()
	c := t.calls
	t.calls = outer
	if c.count == 0 {
		return n
	}
	whole := t.node(s)
	whole.If, whole.Cond, whole.Call, whole.Children = true, &loops.Cond{}, true, append(c.nodes, n)
	writes := slices.ContainsFunc(c.nodes, func(n *loops.Node) bool {
		for m := range n.All() {
			if slices.ContainsFunc(m.Own, func(a loops.Action) bool { return a.Access != nil && a.Access.Write }) {
				return true
			}
		}
		return false
	})
	if writes && (c.count > 1 || slices.ContainsFunc(n.Own, func(a loops.Action) bool { return a.Access != nil && !a.Access.Write })) {
		n.Opaque = "a function that writes arrays is called beside another call or an element: call it in a statement of its own"
	}
	return whole
}

// inline translates the body of a function or method of the package that takes slices or structs
// with slices, where a statement calls it. It returns the reason if it cannot.
func (t *translator) inline(call *ast.CallExpr) (why string) {
	name := t.file.source(call.Fun)
	fn, receiver := t.callee(call)
	if fn == nil || fn.Pkg() != t.file.pkg.Types {
		return fmt.Sprintf("%s may have effects that are not known", name)
	}
	decl := t.file.declaration(fn)
	switch {
	case decl == nil || decl.Body == nil || fn.Signature().Variadic() || fn.Signature().TypeParams() != nil || call.Ellipsis.IsValid():
		return fmt.Sprintf("%s is generic, variadic or written in another language: its effects are not known", name)
	case slices.Contains(t.inlined, fn):
		return fmt.Sprintf("%s is called in its own body or arguments: its effects are not known", name)
	case t.calls == nil:
		return fmt.Sprintf("%s takes slices or has effects: call it in an assignment, or in a statement of its own", name)
	case len(call.Args) != fn.Signature().Params().Len():
		return fmt.Sprintf("%s gets its arguments from another call: use variables", name)
	}
	calls, around := t.calls, t.around
	defer func() { t.calls, t.around, t.inlined = calls, around, t.inlined[:len(t.inlined)-1] }()
	t.inlined = append(t.inlined, fn)
	for o, count := range assigned(t.info, decl.Body) {
		t.assigned[o] = count
	}
	args := t.node(call)
	var names []*ast.Ident // of the parameters; nil for those without
	for _, field := range decl.Type.Params.List {
		names = append(names, field.Names...)
		if len(field.Names) == 0 {
			names = append(names, nil)
		}
	}
	if receiver != nil && len(decl.Recv.List[0].Names) > 0 && !t.argument(args, decl.Recv.List[0].Names[0], receiver) {
		return fmt.Sprintf("%s has a receiver that is neither a parameter, nor a field of one, nor a number or a slice, or it changes", name)
	}
	for i, id := range names {
		if !t.argument(args, id, call.Args[i]) {
			return fmt.Sprintf("the argument %s of %s is neither a slice whose elements are known, nor a number, nor a struct that does not change", t.file.source(call.Args[i]), name)
		}
	}
	t.declareResults(args, decl)
	t.around = nil
	list := decl.Body.List
	nodes := []*loops.Node{args}
	var last *ast.ReturnStmt
	if n := len(list); n > 0 {
		if last, _ = list[n-1].(*ast.ReturnStmt); last != nil {
			list = list[:n-1]
		}
	}
	t.calls = nil
	nodes = append(nodes, t.statements(list)...)
	if last != nil {
		n := t.node(last)
		for _, e := range last.Results {
			t.reads(n, e)
		}
		nodes = append(nodes, n)
	}
	calls.nodes = append(calls.nodes, nodes...)
	calls.count++
	return ""
}

// callee returns the function that a call names, and the receiver if it is a method, else nil.
func (t *translator) callee(call *ast.CallExpr) (fn *types.Func, receiver ast.Expr) {
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		fn, _ = t.info.Uses[f].(*types.Func)
	case *ast.SelectorExpr:
		if s := t.info.Selections[f]; s != nil && s.Kind() == types.MethodVal && len(s.Index()) == 1 {
			fn, _ = s.Obj().(*types.Func)
			receiver = f.X
		}
	}
	return fn, receiver
}

// argument binds a parameter of a called function to an argument, and reports whether it can.
func (t *translator) argument(n *loops.Node, id *ast.Ident, arg ast.Expr) bool {
	if id == nil || id.Name == "_" {
		t.reads(n, arg)
		return true
	}
	o := t.info.Defs[id]
	t.unbind(o)
	if t.passes(o, arg) {
		return true
	}
	if _, isSlice := o.Type().Underlying().(*types.Slice); isSlice {
		if t.assigned[o] > 0 {
			return false
		}
		if m := t.viewOf(arg).rows; m != nil {
			t.views[o] = view{rows: m}
			return true
		}
		s := t.slice(n, arg)
		if s == nil {
			return false
		}
		s.aliased = true
		t.views[o] = view{slice: s}
		return true
	}
	if !flat(o.Type()) {
		return false
	}
	if p, ok := t.poly(arg); ok && t.assigned[o] == 0 && t.integer(id) {
		t.values[o] = p
		return true
	}
	t.reads(n, arg)
	t.scalar(o, false)
	t.write(n, o, id, "")
	return true
}

// unbind forgets what a variable was when its function was translated for another call.
func (t *translator) unbind(o types.Object) {
	delete(t.values, o)
	delete(t.scalars, o)
	delete(t.views, o)
	delete(t.members, o)
}

// declareResults binds the named results of a called function.
func (t *translator) declareResults(n *loops.Node, decl *ast.FuncDecl) {
	if decl.Type.Results == nil {
		return
	}
	for _, field := range decl.Type.Results.List {
		for _, id := range field.Names {
			if o := t.info.Defs[id]; o != nil && id.Name != "_" {
				t.scalar(o, false)
				t.write(n, o, id, "")
			}
		}
	}
}
