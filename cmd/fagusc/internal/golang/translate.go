package golang

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/loops"
)

// Function is a marked function and the results of its analysis.
type Function struct {
	*loops.Function
	file *File
	decl *ast.FuncDecl
	// preamble are the statements before the plan: they compute variables from parameters and make
	// local arrays.
	preamble []ast.Stmt
	aliases  []alias // of the outermost block, in order
	arrays   []*array
	refused  []*loops.Refusal
	names    map[string]int  // how often symbols and identifiers use a name
	results  []string        // names of the results
	headers  [][2]token.Pos  // ranges that the output does not contain
	types    map[string]bool // import lines for the types in the output
	members  map[types.Object]member
	agreed   []string // fields of members that the function uses, apart from slices
}

// alias is a variable that denotes a part of an array.
type alias struct {
	variable *ast.Ident
	of       ast.Expr
}

type array struct {
	*loops.Array
	length  string       // length of a local slice, and of its rows if it has any, as expressions
	made    ast.Stmt     // the statement that makes a local slice
	filled  ast.Stmt     // the loop that makes the rows of a local slice of slices
	aliased bool         // another variable denotes a part of the array
	field   types.Object // the parameter of which the array is a field, or nil
	used    bool         // the function uses the field
}

// slice is a variable that denotes a part of an array, given by its first element and its length.
type slice struct {
	*array
	from   loops.Poly
	length loops.Poly
	part   bool // the variable denotes not all of the array
	row    *row // the row of a slice of slices of which this is a part, or nil
}

// view is what a variable or a field denotes: a slice, or a slice of slices; the other is nil.
type view struct {
	slice *slice
	rows  *matrix
}

type translator struct {
	*Function
	info       *types.Info
	assigned   map[types.Object]int
	directives map[int]string // of loops, by line
	scalars    map[types.Object]*loops.Scalar
	values     map[types.Object]loops.Poly // values of integer variables that never change
	views      map[types.Object]view
	fieldViews map[string]view       // fields of members, by name
	fields     map[string]loops.Poly // values of fields that never change, by expression
	opened     map[types.Object]int  // like assigned, for the preamble
	around     []string              // names of the indices of enclosing loops
	exchange   *exchange             // nil if there is none

	innermost ast.Stmt // the innermost loop around; nil in a called function outside its loops
	calls     *calls   // the calls in the statement that is translated; nil in other contexts
	inlined   []*types.Func
}

func translate(f *File, decl *ast.FuncDecl, directives map[int]string) *Function {
	t := &translator{
		Function: &Function{
			Function: &loops.Function{Name: qualified(f.pkg.TypesInfo, decl), Pos: f.pos(decl.Name.Pos())}, file: f, decl: decl, members: make(map[types.Object]member),
			names: make(map[string]int), types: make(map[string]bool),
		},
		info:     f.pkg.TypesInfo,
		assigned: assigned(f.pkg.TypesInfo, decl.Body), directives: directives,
		scalars: make(map[types.Object]*loops.Scalar), values: make(map[types.Object]loops.Poly), views: make(map[types.Object]view), fields: make(map[string]loops.Poly),
		fieldViews: make(map[string]view),
	}
	t.Unique = t.unique
	ast.Inspect(decl, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			t.names[id.Name] = max(t.names[id.Name], 1)
		}
		return true
	})
	for _, name := range f.pkg.Types.Scope().Names() {
		t.names[name] = max(t.names[name], 1)
	}
	t.findExchange()
	defer t.exchanged()
	t.parameters()
	defer t.complete()
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
	if s := t.info.Defs[t.decl.Name].(*types.Func).Signature(); s.TypeParams() != nil || s.RecvTypeParams() != nil {
		t.refuse(t.decl.Name.Pos(), "generic functions are not supported")
	}
	for _, field := range t.inputs() {
		for _, id := range field.Names {
			t.parameter(id)
		}
		if len(field.Names) == 0 {
			t.refuse(field.Pos(), "a parameter has no name: name all parameters")
		}
	}
	if t.decl.Type.Results == nil {
		return
	}
	for _, field := range t.decl.Type.Results.List {
		if !flat(t.info.TypeOf(field.Type)) {
			t.refuse(field.Pos(), "a result has pointers: only numbers, and structs and arrays of them, are supported")
		}
		for _, id := range field.Names {
			if id.Name == "_" {
				t.results = append(t.results, t.unique("result"))
				continue
			}
			t.scalar(t.info.Defs[id], true)
			t.results = append(t.results, id.Name)
		}
		if len(field.Names) == 0 {
			t.results = append(t.results, t.unique("result"))
		}
	}
}

// inputs returns the receiver and the parameters.
func (f *Function) inputs() []*ast.Field {
	if f.decl.Recv == nil {
		return f.decl.Type.Params.List
	}
	return slices.Concat(f.decl.Recv.List, f.decl.Type.Params.List)
}

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
		t.refuse(id.Pos(), "a parameter has no name: name all parameters")
		return
	}
	t.names[id.Name] = 2 // an index of the same name is renamed
	if t.structure(id, o) {
		return
	}
	switch under := o.Type().Underlying().(type) {
	case *types.Slice:
		inner, rows := under.Elem().Underlying().(*types.Slice)
		rows = rows && sized(inner.Elem())
		if !rows && !sized(under.Elem()) {
			t.refuse(id.Pos(), "the elements of %s have pointers or no size: only numbers, and structs and arrays of them, are supported", id.Name)
		}
		if t.assigned[o] > 0 {
			t.refuse(id.Pos(), "the slice %s is assigned: use one variable for each array; two may be exchanged (a, b = b, a) at the end of one loop that is in no other", id.Name)
		}
		if rows {
			t.views[o] = view{rows: t.newMatrix(id.Name, inner.Elem())}
		} else {
			t.views[o] = view{slice: t.newSlice(id.Name, under.Elem())}
		}
	case *types.Basic:
		if under.Info()&types.IsInteger != 0 && under.Info()&types.IsUnsigned == 0 && t.assigned[o] == 0 {
			t.values[o] = t.outer(o, converted(o))
		} else {
			t.scalar(o, true)
		}
	default:
		if !flat(under) {
			t.refuse(id.Pos(), "parameter %s: only numbers, structs and arrays of them, slices of these, structs with such slices, and pointers to structs are supported", id.Name)
		}
		t.scalar(o, true)
	}
}

// scalar makes a scalar of a variable.
func (t *translator) scalar(o types.Object, outer bool) {
	t.scalars[o] = &loops.Scalar{Name: o.Name(), Type: typeOf(o.Type()), Outer: outer}
}

// newSlice makes an array of a slice.
func (t *translator) newSlice(name string, element types.Type) *slice {
	length := loops.Of(&loops.Symbol{Name: "len(" + name + ")"})
	a := &array{Array: &loops.Array{Name: name, Element: typeOf(element), Size: length}}
	t.arrays = append(t.arrays, a)
	return &slice{array: a, length: length}
}

// converted returns the value of an integer variable as an expression of type int.
func converted(o types.Object) string {
	if o.Type() == types.Typ[types.Int] {
		return o.Name()
	}
	return "int(" + o.Name() + ")"
}

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

// opening takes the statements before the plan (they only use parameters) and returns the rest.
func (t *translator) opening(list []ast.Stmt) []ast.Stmt {
	for i, s := range list {
		switch {
		case i > 0 && t.fills(list[i-1], s), i+1 < len(list) && t.makesRows(s, list[i+1]), t.makes(s), t.guards(s):
		default:
			switch s.(type) {
			case *ast.AssignStmt, *ast.DeclStmt, *ast.IncDecStmt, *ast.IfStmt, *ast.SwitchStmt:
			default:
				return list[i:]
			}
			nodes := t.statement(s)
			for _, top := range nodes {
				for n := range top.All() {
					if n.Opaque != "" || n.Loop != nil || slices.ContainsFunc(n.Own, func(a loops.Action) bool { return a.Access != nil }) {
						return list[i:] // the statement is translated again with the rest
					}
				}
			}
			t.Body = append(t.Body, nodes...)
		}
		t.preamble = append(t.preamble, s)
		t.settle()
	}
	return nil
}

func (t *translator) makes(s ast.Stmt) bool {
	a, ok := s.(*ast.AssignStmt)
	if !ok || a.Tok != token.DEFINE || len(a.Lhs) != len(a.Rhs) {
		return false
	}
	for i, e := range a.Rhs {
		_, element, ok := t.made(e)
		o := t.info.Defs[a.Lhs[i].(*ast.Ident)]
		if !ok || !flat(element) || o == nil || t.assigned[o] != 1 {
			return false
		}
	}
	for i, e := range a.Rhs {
		id := a.Lhs[i].(*ast.Ident)
		length, element, _ := t.made(e)
		own := t.newSlice(id.Name, element)
		own.Local, own.array.length, own.made, own.length = true, length.String(), s, length
		t.views[t.info.Defs[id]] = view{slice: own}
	}
	return true
}

// made returns the length and the type of the elements of a slice that an expression makes.
func (t *translator) made(e ast.Expr) (length loops.Poly, element types.Type, ok bool) {
	call, isCall := e.(*ast.CallExpr)
	if !isCall || len(call.Args) != 2 {
		return length, nil, false
	}
	if id, isID := call.Fun.(*ast.Ident); !isID || t.info.Uses[id] != types.Universe.Lookup("make") {
		return length, nil, false
	}
	s, isSlice := t.info.TypeOf(call.Args[0]).Underlying().(*types.Slice)
	if !isSlice {
		return length, nil, false
	}
	length, ok = t.poly(call.Args[1])
	return length, s.Elem(), ok
}

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
	case *ast.SelectorExpr:
		return t.fieldValue(e)
	case *ast.UnaryExpr:
		if p, ok = t.poly(e.X); ok && e.Op == token.SUB && t.exact(e) {
			return loops.Number(0).Minus(p), true
		}
	case *ast.BinaryExpr:
		if p, ok = t.binary(e); ok && t.exact(e) {
			return p, true
		}
	case *ast.CallExpr:
		if p, ok = t.called(e); ok {
			return p, true
		}
	}
	return t.computed(e)
}

func (t *translator) integer(e ast.Expr) bool {
	b, ok := t.info.TypeOf(e).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0 && b.Info()&types.IsUnsigned == 0
}

func (t *translator) wide(e ast.Expr) bool {
	return t.info.Types[e].Value != nil || layout().Sizeof(t.info.TypeOf(e)) == 8
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
		return loops.Of(t.Divide(x, by).Quotient), true
	case e.Op == token.REM && number && by > 0:
		return loops.Of(t.Divide(x, by).Remainder), true
	}
	return p, false
}

// called handles len of an array and conversions that keep the value.
func (t *translator) called(e *ast.CallExpr) (p loops.Poly, ok bool) {
	if len(e.Args) != 1 {
		return p, false
	}
	if t.info.Types[e.Fun].IsType() {
		p, ok = t.poly(e.Args[0])
		return p, ok && t.integer(e) && t.integer(e.Args[0]) && layout().Sizeof(t.info.TypeOf(e)) >= layout().Sizeof(t.info.TypeOf(e.Args[0]))
	}
	id, isID := e.Fun.(*ast.Ident)
	if !isID || t.info.Uses[id] != types.Universe.Lookup("len") {
		return p, false
	}
	if s := t.viewOf(e.Args[0]).slice; s != nil {
		return s.length, true
	}
	if m := t.viewOf(e.Args[0]).rows; m != nil {
		return m.rows, true
	}
	if row, isRow := ast.Unparen(e.Args[0]).(*ast.IndexExpr); isRow {
		if m := t.matrix(row); m != nil {
			return m.width, true
		}
	}
	return p, false
}

// symbol creates a symbol with a unique name.
func (t *translator) symbol(ident string, l *loops.Loop) *loops.Symbol {
	name := ident
	if t.names[ident] != 1 {
		name = t.unique(ident)
	}
	t.names[ident] = 2
	return &loops.Symbol{Name: name, Ident: ident, Loop: l}
}
