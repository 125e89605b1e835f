package golang

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"github.com/fagus-dsm/fagus/cmd/fagusc/loops"
)

// Function is a marked one, and what is known about it.
type Function struct {
	*loops.Function
	file *File
	decl *ast.FuncDecl
	// preamble are the statements before the plan: those that make variables out of parameters, and local arrays.
	preamble []ast.Stmt
	arrays   []*array
	refused  []*loops.Refusal
	names    map[string]int           // of symbols, and of all that the function names; and how many have it
	idents   map[*loops.Symbol]string // indices as the input names them
	scalars  map[types.Object]*loops.Scalar
	results  []string        // names of the results
	headers  [][2]token.Pos  // of parallel loops
	types    map[string]bool // lines that import what types need
}

// array is a slice of the function.
type array struct {
	*loops.Array
	element types.Type
	length  string   // of a local one
	made    ast.Stmt // what makes it
	aliased bool     // a variable stands for a part of it
}

// slice is a variable that stands for a part of an array, from an element on.
type slice struct {
	*array
	from   loops.Poly
	length loops.Poly
}

// translator makes the tree of a function.
type translator struct {
	*Function
	info      *types.Info
	assigned  map[types.Object]int
	serials   map[int]bool
	values    map[types.Object]loops.Poly // of whole numbers that do not change
	slices    map[types.Object]*slice
	divisions map[string]*loops.Division
	around    []string // the indices of the loops around
}

func translate(f *File, decl *ast.FuncDecl, serials map[int]bool) *Function {
	t := &translator{
		Function: &Function{
			Function: &loops.Function{Name: decl.Name.Name, Pos: f.pos(decl.Name.Pos())}, file: f, decl: decl,
			names: make(map[string]int), idents: make(map[*loops.Symbol]string), types: make(map[string]bool), scalars: make(map[types.Object]*loops.Scalar),
		},
		info:     f.pkg.TypesInfo,
		assigned: assigned(f.pkg.TypesInfo, decl.Body), serials: serials,
		values: make(map[types.Object]loops.Poly), slices: make(map[types.Object]*slice),
		divisions: make(map[string]*loops.Division),
	}
	ast.Inspect(decl, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			t.names[id.Name] = max(t.names[id.Name], 1)
		}
		return true
	})
	for _, name := range f.pkg.Types.Scope().Names() {
		t.names[name] = max(t.names[name], 1)
	}
	t.parameters()
	body := t.opening(decl.Body.List)
	if n := len(body); n > 0 {
		if r, ok := body[n-1].(*ast.ReturnStmt); ok {
			body = body[:n-1]
			t.Body = append(append(t.Body, t.statements(body)...), t.returns(r)...)
			return t.Function
		}
	}
	t.Body = append(t.Body, t.statements(body)...)
	return t.Function
}

func (t *translator) refuse(at token.Pos, format string, args ...any) {
	t.refused = append(t.refused, &loops.Refusal{Pos: t.file.pos(at), Message: fmt.Sprintf(format, args...)})
}

func (t *translator) parameters() {
	if t.decl.Recv != nil || t.decl.Type.TypeParams != nil {
		t.refuse(t.decl.Name.Pos(), "a method or a generic function: want a plain one")
	}
	for _, field := range t.decl.Type.Params.List {
		for _, id := range field.Names {
			t.parameter(id)
		}
		if len(field.Names) == 0 {
			t.refuse(field.Pos(), "a parameter without a name")
		}
	}
	if t.decl.Type.Results == nil {
		return
	}
	for _, field := range t.decl.Type.Results.List {
		if !flat(t.info.TypeOf(field.Type)) {
			t.refuse(field.Pos(), "a result with pointers")
		}
		for _, id := range field.Names {
			if id.Name == "_" {
				t.results = append(t.results, t.unique("result"))
				continue
			}
			t.scalars[t.info.Defs[id]] = &loops.Scalar{Name: id.Name, Outer: true}
			t.results = append(t.results, id.Name)
		}
		if len(field.Names) == 0 {
			t.results = append(t.results, t.unique("result"))
		}
	}
}

// unique is a name that the function does not have.
func (f *Function) unique(name string) string {
	for n, try := 2, name; ; n++ {
		if f.names[try] == 0 {
			f.names[try] = 1
			return try
		}
		try = fmt.Sprintf("%s%d", name, n)
	}
}

func (t *translator) parameter(id *ast.Ident) {
	o := t.info.Defs[id]
	if o == nil || id.Name == "_" {
		t.refuse(id.Pos(), "a parameter without a name")
		return
	}
	t.names[id.Name] = 2 // an index of the same name gets another
	switch under := o.Type().Underlying().(type) {
	case *types.Slice:
		if !flat(under.Elem()) || types.SizesFor("gc", "amd64").Sizeof(under.Elem()) == 0 {
			t.refuse(id.Pos(), "the elements of %s have pointers, or no size: want numbers, or structs and arrays of such", id.Name)
		}
		if t.assigned[o] > 0 {
			t.refuse(id.Pos(), "the slice %s gets another value", id.Name)
		}
		a := &array{Array: &loops.Array{Name: id.Name}, element: under.Elem()}
		t.arrays = append(t.arrays, a)
		t.slices[o] = &slice{array: a, length: loops.Of(&loops.Symbol{Name: "len(" + id.Name + ")"})}
	case *types.Basic:
		if under.Info()&types.IsInteger != 0 && under.Info()&types.IsUnsigned == 0 && t.assigned[o] == 0 {
			name := id.Name
			if under.Kind() != types.Int || o.Type() != under {
				name = "int(" + name + ")"
			}
			t.values[o] = loops.Of(&loops.Symbol{Name: name})
		} else {
			t.scalars[o] = &loops.Scalar{Name: id.Name, Outer: true}
		}
	default:
		if !flat(under) {
			t.refuse(id.Pos(), "parameter %s: want numbers, structs and arrays of such, and slices of such", id.Name)
		}
		t.scalars[o] = &loops.Scalar{Name: id.Name, Outer: true}
	}
}

// flat says whether values of a type have no pointers.
func flat(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsNumeric|types.IsBoolean) != 0
	case *types.Array:
		return flat(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			if !flat(u.Field(i).Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// opening takes the statements in front of the plan: what uses parameters alone, and makes slices. It returns the rest.
func (t *translator) opening(list []ast.Stmt) []ast.Stmt {
	for i, s := range list {
		if t.makes(s) {
			t.preamble = append(t.preamble, s)
			continue
		}
		switch s.(type) {
		case *ast.AssignStmt, *ast.DeclStmt:
		default:
			return list[i:]
		}
		nodes := t.statement(s)
		for _, n := range nodes {
			if n.Opaque != "" || slices.ContainsFunc(n.Own, func(a loops.Action) bool { return a.Access != nil }) {
				return list[i:] // it is translated once more
			}
		}
		t.Body = append(t.Body, nodes...)
		t.preamble = append(t.preamble, s)
	}
	return nil
}

// makes notes a slice that the function makes.
func (t *translator) makes(s ast.Stmt) bool {
	a, ok := s.(*ast.AssignStmt)
	if !ok || a.Tok != token.DEFINE || len(a.Lhs) != 1 || len(a.Rhs) != 1 {
		return false
	}
	id := a.Lhs[0].(*ast.Ident)
	o := t.info.Defs[id]
	if o == nil {
		return false
	}
	if length, element, ok := t.made(a.Rhs[0]); ok && t.assigned[o] == 1 {
		own := &array{Array: &loops.Array{Name: id.Name, Local: true}, element: element, length: length.String(), made: s}
		t.arrays = append(t.arrays, own)
		t.slices[o] = &slice{array: own, length: length}
		return true
	}
	return false
}

// made is the length and the element type of make([]T, length).
func (t *translator) made(e ast.Expr) (length loops.Poly, element types.Type, ok bool) {
	call, isCall := e.(*ast.CallExpr)
	if !isCall || len(call.Args) != 2 {
		return length, nil, false
	}
	if id, isID := call.Fun.(*ast.Ident); !isID || t.info.Uses[id] != types.Universe.Lookup("make") {
		return length, nil, false
	}
	s, isSlice := t.info.TypeOf(call.Args[0]).Underlying().(*types.Slice)
	if !isSlice || !flat(s.Elem()) {
		return length, nil, false
	}
	length, ok = t.poly(call.Args[1])
	return length, s.Elem(), ok
}

// poly is an expression as a polynomial, if it is one.
func (t *translator) poly(e ast.Expr) (p loops.Poly, ok bool) {
	if v := t.info.Types[e].Value; v != nil {
		c, exact := constant.Int64Val(constant.ToInt(v))
		return loops.Number(c), exact && t.integer(e)
	}
	switch e := e.(type) {
	case *ast.Ident:
		p, ok = t.values[t.info.Uses[e]]
		return p, ok
	case *ast.ParenExpr:
		return t.poly(e.X)
	case *ast.UnaryExpr:
		p, ok = t.poly(e.X)
		return loops.Number(0).Minus(p), ok && e.Op == token.SUB
	case *ast.BinaryExpr:
		return t.binary(e)
	case *ast.CallExpr:
		return t.called(e)
	}
	return p, false
}

// integer says that an expression is a signed whole number.
func (t *translator) integer(e ast.Expr) bool {
	b, ok := t.info.TypeOf(e).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0 && b.Info()&types.IsUnsigned == 0
}

// wide says that an expression is computed with 64 bits, which it is taken not to overflow.
func (t *translator) wide(e ast.Expr) bool {
	return t.info.Types[e].Value != nil || types.SizesFor("gc", "amd64").Sizeof(t.info.TypeOf(e)) == 8
}

func (t *translator) binary(e *ast.BinaryExpr) (p loops.Poly, ok bool) {
	x, okX := t.poly(e.X)
	y, okY := t.poly(e.Y)
	if !okX || !okY {
		return p, false
	}
	by, number := y.Constant()
	switch {
	case e.Op == token.ADD:
		return x.Plus(y), true
	case e.Op == token.SUB:
		return x.Minus(y), true
	case e.Op == token.MUL:
		return x.Times(y), true
	case e.Op == token.QUO && number && by > 0:
		return loops.Of(t.division(x, by).Quotient), true
	case e.Op == token.REM && number && by > 0:
		return loops.Of(t.division(x, by).Remainder), true
	}
	return p, false
}

// division is the one of x by a number: the same for the same x.
func (t *translator) division(x loops.Poly, by int64) *loops.Division {
	key := fmt.Sprintf("%v / %d", x, by) // names of symbols are all different
	d := t.divisions[key]
	if d == nil {
		d = loops.Divide(x, by)
		t.divisions[key] = d
	}
	return d
}

// called is len of an array, or a conversion that keeps the value.
func (t *translator) called(e *ast.CallExpr) (p loops.Poly, ok bool) {
	if len(e.Args) != 1 {
		return p, false
	}
	if t.info.Types[e.Fun].IsType() {
		p, ok = t.poly(e.Args[0])
		sizes := types.SizesFor("gc", "amd64")
		return p, ok && t.integer(e) && t.integer(e.Args[0]) && sizes.Sizeof(t.info.TypeOf(e)) >= sizes.Sizeof(t.info.TypeOf(e.Args[0]))
	}
	id, isID := e.Fun.(*ast.Ident)
	if !isID || t.info.Uses[id] != types.Universe.Lookup("len") {
		return p, false
	}
	if arg, isID := ast.Unparen(e.Args[0]).(*ast.Ident); isID {
		if s := t.slices[t.info.Uses[arg]]; s != nil {
			return s.length, true
		}
	}
	return p, false
}

// symbol makes one of a name that no other has.
func (t *translator) symbol(ident string, l *loops.Loop) *loops.Symbol {
	name := ident
	if t.names[ident] != 1 {
		name = t.unique(ident)
	}
	t.names[ident] = 2
	s := &loops.Symbol{Name: name, Ident: ident, Loop: l}
	t.idents[s] = ident
	return s
}
