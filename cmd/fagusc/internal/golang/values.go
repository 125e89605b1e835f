package golang

import (
	"fmt"
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// given returns the arguments of region.Open that give the scalar parameters, and the fields of
// others, which all ranks must agree on.
func (e *emitter) given() string {
	var text strings.Builder
	for _, field := range e.inputs() {
		for _, id := range field.Names {
			if o := e.file.pkg.TypesInfo.Defs[id]; o != nil && plain(o.Type()) {
				fmt.Fprintf(&text, ", %q, %s", id.Name, id.Name)
			}
		}
	}
	for _, name := range e.agreed {
		fmt.Fprintf(&text, ", %q, %s", name, name)
	}
	return text.String()
}

// plain reports whether values of a type are equal on all ranks if the arguments are: it contains
// no addresses.
func plain(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Kind() != types.UnsafePointer
	case *types.Array:
		return plain(t.Elem())
	case *types.Struct:
		for i := range t.NumFields() {
			if !plain(t.Field(i).Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// values returns the variables that the text of a plan uses and does not declare, as arguments of
// region.Known. It leaves out arrays, but for the lengths of rows.
func (e *emitter) values(text string) string {
	known := make(map[string]bool)
	scope := e.file.pkg.Types.Scope()
	for _, name := range scope.Names() {
		_, known[name] = scope.Lookup(name).(*types.Var)
	}
	declared := func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if o, ok := e.file.pkg.TypesInfo.Defs[id].(*types.Var); ok && o.Parent() == e.file.pkg.TypesInfo.Scopes[e.decl.Type] {
					_, slice := o.Type().Underlying().(*types.Slice)
					known[id.Name] = !slice && !o.IsField()
				}
			}
			return true
		})
	}
	declared(e.decl.Type)
	if e.decl.Recv != nil {
		declared(e.decl.Recv)
	}
	for _, s := range e.preamble {
		declared(s)
	}
	used := e.names(text, known)
	for _, a := range e.arrays {
		if a.Columns != nil {
			used = append(used, a.Columns.Name)
		}
	}
	if len(used) == 0 {
		return ""
	}
	return ", " + strings.Join(used, ", ")
}

// names returns the variables in a text that are known, and the fields of members, apart from
// arrays.
func (e *emitter) names(text string, known map[string]bool) (used []string) {
	for _, path := range regexp.MustCompile(`//.*|\.?[\pL_][\pL\p{Nd}_.]*`).FindAllString(text, -1) {
		name, _, _ := strings.Cut(path, ".")
		if !known[name] { // also a comment, or what follows a bracket
			continue
		}
		if !e.isMember(name) {
			path = name
		}
		if !slices.Contains(used, path) && !slices.ContainsFunc(e.arrays, func(a *array) bool { return a.Name == path }) {
			used = append(used, path)
		}
	}
	return used
}

func (f *Function) isMember(name string) bool {
	for _, m := range f.members {
		if m.name == name {
			return true
		}
	}
	return false
}
