package golang

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/loops"
)

// matrix is a slice of slices with rows of equal length: a parameter, which the generated function
// copies to one array, or a local variable.
type matrix struct {
	*array
	rows, width loops.Poly
}

// row is a row of a slice of slices.
type row struct{ number, first, width loops.Poly }

// inside returns polynomials that are at least 0 where the row has an element at a subscript of the
// array.
func (r *row) inside(at loops.Poly) []loops.Poly {
	column := at.Minus(r.first)
	return []loops.Poly{r.number, column, r.width.Minus(loops.Number(1)).Minus(column)}
}

// newMatrix makes an array of a slice of slices.
func (t *translator) newMatrix(name string, element types.Type) *matrix {
	s := t.newSlice(name, element)
	s.Columns = &loops.Symbol{Name: fmt.Sprintf("region.Columns(%s)", name)}
	m := &matrix{s.array, s.length, loops.Of(s.Columns)}
	s.Size = m.rows.Times(m.width)
	return m
}

// makesRows records the local slice of slices that two statements make, and reports whether they
// make one:
//
//	b := make([][]T, n)
//	for i := range b {
//		b[i] = make([]T, m)
//	}
func (t *translator) makesRows(first, second ast.Stmt) bool {
	a, ok := first.(*ast.AssignStmt)
	if !ok || a.Tok != token.DEFINE || len(a.Lhs) != 1 || len(a.Rhs) != 1 {
		return false
	}
	id := a.Lhs[0].(*ast.Ident)
	o := t.info.Defs[id]
	length, row, ok := t.made(a.Rhs[0])
	if _, isSlice := row.(*types.Slice); !ok || !isSlice || o == nil || t.assigned[o] != 1 {
		return false
	}
	width, element, ok := t.fill(second, o, length)
	if !ok || !types.Identical(row, types.NewSlice(element)) {
		return false
	}
	own := t.newMatrix(id.Name, element)
	own.Local, own.length, own.made, own.filled, own.rows = true, length.String()+", "+width.String(), first, second, length
	t.views[o] = view{rows: own}
	return true
}

// fill returns the length and the element type of the rows, if s is a loop that makes all rows of
// o.
func (t *translator) fill(s ast.Stmt, o types.Object, length loops.Poly) (width loops.Poly, element types.Type, ok bool) {
	var body *ast.BlockStmt
	n := t.node(s)
	n.Loop = &loops.Loop{}
	around := len(t.around)
	switch s := s.(type) {
	case *ast.ForStmt:
		body = s.Body
		t.counted(n, s)
	case *ast.RangeStmt:
		body = s.Body
		id, isID := s.X.(*ast.Ident)
		if key, isKey := s.Key.(*ast.Ident); isID && isKey && s.Tok == token.DEFINE && s.Value == nil && t.info.Uses[id] == o {
			t.index(n, key.Name)
			n.Loop.Lo, n.Loop.Hi, n.Loop.Step = []loops.Poly{loops.Number(0)}, []loops.Poly{length}, 1
			t.values[t.info.Defs[key]] = loops.Of(n.Loop.Index)
		} else {
			t.rangeHeader(n, s)
		}
	}
	t.around = t.around[:around]
	l := n.Loop
	if l.Step != 1 || len(l.Lo) != 1 || len(l.Hi) != 1 || !l.Lo[0].Equal(loops.Number(0)) || !l.Hi[0].Equal(length) || len(body.List) != 1 {
		return width, nil, false
	}
	a, isAssign := body.List[0].(*ast.AssignStmt)
	if !isAssign || a.Tok != token.ASSIGN || len(a.Lhs) != 1 || len(a.Rhs) != 1 {
		return width, nil, false
	}
	e, isElement := a.Lhs[0].(*ast.IndexExpr)
	if !isElement {
		return width, nil, false
	}
	id, isID := e.X.(*ast.Ident)
	at, isPoly := t.poly(e.Index)
	width, element, ok = t.made(a.Rhs[0])
	return width, element, ok && isID && t.info.Uses[id] == o && isPoly && at.Equal(loops.Of(l.Index)) && !width.Mentions(l.Index) && flat(element)
}

// fills reports whether first makes a slice of slices, and second its rows.
func (t *translator) fills(first, second ast.Stmt) bool {
	return slices.ContainsFunc(t.arrays, func(a *array) bool { return a.made == first && a.filled == second })
}

// matrix returns the slice of slices of which an expression is a row, or nil.
func (t *translator) matrix(e *ast.IndexExpr) *matrix { return t.viewOf(e.X).rows }

// row returns the row a[i] of a slice of slices a, or nil if e is something else.
func (t *translator) row(n *loops.Node, e *ast.IndexExpr) *slice {
	m := t.matrix(e)
	if m == nil {
		return nil
	}
	i, ok := t.poly(e.Index)
	if !ok {
		n.Opaque = fmt.Sprintf("%s: the number of the row is not %s", t.file.source(e), known)
	}
	return m.part(i)
}

// part returns a row as a slice.
func (m *matrix) part(number loops.Poly) *slice {
	first := number.Times(m.width)
	return &slice{array: m.array, from: first, length: m.width, row: &row{number, first, m.width}}
}

// entry records an access to a[i][j] of a slice of slices a; row is a[i].
func (t *translator) entry(n *loops.Node, e, row *ast.IndexExpr, whole ast.Expr, write bool, fold string, partly bool) {
	t.reads(n, row.Index)
	m := t.matrix(row)
	s := &slice{array: m.array}
	i, okRow := t.poly(row.Index)
	j, okColumn := t.poly(e.Index)
	if !okRow || !okColumn {
		t.access(n, s, nil, nil, whole, write, fold, partly)
		return
	}
	s = m.part(i)
	at := s.from.Plus(j)
	t.access(n, s, &at, s.row.inside(at), whole, write, fold, partly)
}
