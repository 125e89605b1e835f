package golang

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"unicode"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/loops"
)

// member is a parameter that is a struct with slices, or a pointer to a struct, or a field of such
// a parameter: a, a.Shape, a.Shape.Rows.
type member struct {
	of   types.Object // the parameter
	name string       // as an expression that names embedded fields, too
	typ  types.Type   // of the struct, if the member is a pointer to it
}

// structure records a parameter that is a struct with slices, or a pointer to a struct, and reports
// whether it is one.
func (t *translator) structure(id *ast.Ident, o types.Object) bool {
	m := member{o, id.Name, o.Type()}
	p, pointer := o.Type().Underlying().(*types.Pointer)
	if pointer {
		m.typ = p.Elem()
	}
	if _, ok := m.typ.Underlying().(*types.Struct); !ok || !pointer && flat(m.typ) {
		return false
	}
	if t.assigned[o] > 0 {
		t.refuse(id.Pos(), "%s or a field of it is assigned: of a struct with slices, or behind a pointer, only elements of slices may be assigned", id.Name)
	}
	t.members[o] = m
	t.scalar(o, true)
	t.fieldArrays(m)
	return true
}

// passes makes a parameter of a called function another name of a member, and reports whether it
// is one.
func (t *translator) passes(o types.Object, arg ast.Expr) bool {
	m, ok := t.member(arg)
	of := o.Type()
	if p, pointer := of.Underlying().(*types.Pointer); pointer {
		of = p.Elem()
	}
	_, isStruct := of.Underlying().(*types.Struct)
	if !ok || !isStruct || !types.Identical(m.typ, of) || t.assigned[o] > 0 {
		return false
	}
	t.members[o] = m
	return true
}

// fieldArrays makes arrays of the slices in a struct.
func (t *translator) fieldArrays(m member) {
	s := m.typ.Underlying().(*types.Struct)
	for i := range s.NumFields() {
		f, ok := t.inside(m, []int{i})
		if !ok {
			continue
		}
		switch under := f.typ.Underlying().(type) {
		case *types.Struct:
			t.fieldArrays(f)
		case *types.Slice:
			inner, nested := under.Elem().Underlying().(*types.Slice)
			switch {
			case nested && sized(inner.Elem()):
				rows := t.newMatrix(f.name, inner.Elem())
				rows.field = m.of
				t.fieldViews[f.name] = view{rows: rows}
			case sized(under.Elem()):
				part := t.newSlice(f.name, under.Elem())
				part.field = m.of
				t.fieldViews[f.name] = view{slice: part}
			}
		}
	}
}

// sized reports whether the elements of an array can have a type.
func sized(t types.Type) bool { return flat(t) && layout().Sizeof(t) > 0 }

// inside returns the field of a member that a path of indices selects, unless the path contains
// pointers or names that the package cannot use.
func (t *translator) inside(m member, path []int) (field member, ok bool) {
	for _, i := range path {
		s, isStruct := m.typ.Underlying().(*types.Struct)
		if !isStruct {
			return member{}, false
		}
		f := s.Field(i)
		if f.Name() == "_" || !f.Exported() && f.Pkg() != t.file.pkg.Types {
			return member{}, false
		}
		m = member{m.of, m.name + "." + f.Name(), f.Type()}
	}
	return m, true
}

// member returns the member that an expression denotes. What is behind further pointers has no
// type.
func (t *translator) member(e ast.Expr) (m member, ok bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		m, ok = t.members[t.info.Uses[e]]
	case *ast.StarExpr:
		if id, isID := ast.Unparen(e.X).(*ast.Ident); isID {
			m, ok = t.members[t.info.Uses[id]]
		}
	case *ast.SelectorExpr:
		s := t.info.Selections[e]
		if s == nil || s.Kind() != types.FieldVal {
			return m, false
		}
		if m, ok = t.member(e.X); ok {
			field, known := t.inside(m, s.Index())
			if !known {
				field = member{m.of, "", types.Typ[types.Invalid]}
			}
			return field, true
		}
	}
	return m, ok
}

// memberOf records that a statement reads a field without slices, and reports whether e is a field
// of a member. It marks the node as opaque if the field is anything else.
func (t *translator) memberOf(n *loops.Node, e ast.Expr) bool {
	m, ok := t.member(e)
	if !ok {
		return false
	}
	_, whole := ast.Unparen(e).(*ast.Ident)
	if whole && (behind(t.info.TypeOf(e)) || !strings.Contains(m.name, ".")) || !flat(m.typ) {
		n.Opaque = fmt.Sprintf("%s is not supported here: of %s only numbers, structs and arrays of them, and elements of slices are", t.file.source(e), m.of.Name())
		return true
	}
	t.agrees(m)
	n.Own = append(n.Own, loops.Action{Use: &loops.Use{Scalar: t.scalars[m.of], Pos: t.file.pos(e.Pos())}})
	return true
}

// mentionsMember reports whether an expression contains a member.
func (t *translator) mentionsMember(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && t.members[t.info.Uses[id]].of != nil
		return !found
	})
	return found
}

// agrees records that the function uses a field, which must be equal on all ranks.
func (t *translator) agrees(m member) {
	if !slices.Contains(t.agreed, m.name) {
		t.agreed = append(t.agreed, m.name)
	}
}

// viewOf returns what a variable or a field denotes.
func (t *translator) viewOf(e ast.Expr) view {
	if id, isID := ast.Unparen(e).(*ast.Ident); isID {
		return t.views[t.info.Uses[id]]
	}
	m, _ := t.member(e)
	v := t.fieldViews[m.name]
	switch {
	case v.slice != nil:
		v.slice.used = true
	case v.rows != nil:
		v.rows.used = true
	}
	return v
}

// complete removes the arrays of fields that the function does not use, and completes the form of
// the function.
func (t *translator) complete() {
	t.arrays = slices.DeleteFunc(t.arrays, func(a *array) bool { return a.field != nil && !a.used })
	for _, a := range t.arrays {
		t.Arrays = append(t.Arrays, a.Array)
		if a.field != nil && behind(a.field.Type()) && locks(t.members[a.field].typ) {
			t.refuse(a.field.Pos(), "the struct %s contains a lock, so that it cannot be copied: pass its slices", a.field.Name())
		}
	}
	t.Callable, t.Marks = t.callable(), loops.Marks{Serial: serial, Independent: independent}
}

// behind reports whether a type is a pointer.
func behind(t types.Type) bool {
	_, pointer := t.Underlying().(*types.Pointer)
	return pointer
}

// ident returns the expression of an array as a part of identifiers: aData for a.Data.
func ident(name string) string {
	parts := strings.Split(name, ".")
	for i, p := range parts[1:] {
		first := []rune(p)
		first[0] = unicode.ToUpper(first[0])
		parts[i+1] = string(first)
	}
	return strings.Join(parts, "")
}

// copied writes copies of the structs behind pointers whose slices the loops replace: the caller's
// structs do not change.
func (e *emitter) copied() {
	var done []types.Object
	for _, a := range e.arrays {
		if a.field == nil || slices.Contains(done, a.field) {
			continue
		}
		done = append(done, a.field)
		if behind(a.field.Type()) {
			here := e.unique(a.field.Name() + "Here")
			e.printf("%[1]s := *%[2]s\n%[2]s = &%[1]s\n", here, a.field.Name())
		}
	}
}

// locks reports whether a struct contains a lock, which must not be copied.
func locks(t types.Type) bool {
	o, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), true, nil, "Lock")
	if _, ok := o.(*types.Func); ok {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return locks(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if locks(f.Type()) {
				return true
			}
		}
	}
	return false
}
