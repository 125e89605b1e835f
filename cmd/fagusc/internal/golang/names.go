package golang

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/loops"
)

// builtins returns the predeclared names that generated code uses: functions, constants, and types
// of results and elements.
func builtins() []string {
	names := []string{"max", "min", "len", "copy", "make", "nil", "true", "false", "error", "fagus", "region"}
	for _, name := range types.Universe.Names() {
		if o, isType := types.Universe.Lookup(name).(*types.TypeName); isType && flat(o.Type()) {
			names = append(names, name)
		}
	}
	return names
}

// named returns an error if a name in the function or around it would clash with generated code.
func (f *Function) named() error {
	scope := f.file.pkg.Types.Scope()
	refuse := func(format string, args ...any) error {
		return &loops.Refusal{Pos: f.Pos, Message: fmt.Sprintf(format, args...)}
	}
	for _, name := range builtins() {
		if scope.Lookup(name) != nil {
			return refuse("the package declares %s, which generated code uses: rename it", name)
		}
	}
	if f.taken() {
		return refuse("the package already declares %sOn, the name of the parallel version: rename it", f.Name)
	}
	for _, s := range f.file.syntax.Imports {
		if s.Name != nil && s.Name.Name == "." {
			return refuse("the file imports %s with a dot: import it by name", s.Path.Value)
		}
	}
	var err error
	ast.Inspect(f.decl, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || f.file.pkg.TypesInfo.Defs[id] == nil {
			return true
		}
		switch {
		case slices.Contains(builtins(), id.Name):
			err = refuse("the function declares %s, which generated code uses: rename it", id.Name)
		case id.Pos() > f.decl.Body.Pos() && slices.Contains(f.results, id.Name):
			err = refuse("a variable has the same name as the result %s: rename it", id.Name)
		}
		return true
	})
	return err
}

// taken reports whether the name of the parallel version is in use.
func (f *Function) taken() bool {
	name, pkg := f.decl.Name.Name+"On", f.file.pkg
	if f.decl.Recv == nil {
		return pkg.Types.Scope().Lookup(name) != nil
	}
	o, path, _ := types.LookupFieldOrMethod(receiver(pkg.TypesInfo, f.decl), true, pkg.Types, name)
	return o != nil && len(path) == 1
}

// receiver returns the type of a method's receiver, or the type to which it points.
func receiver(info *types.Info, decl *ast.FuncDecl) types.Type {
	t := info.Defs[decl.Name].(*types.Func).Signature().Recv().Type()
	if p, pointer := types.Unalias(t).(*types.Pointer); pointer {
		t = p.Elem()
	}
	return types.Unalias(t)
}

// qualified returns the name of a function, with the receiver's type before it if it has one.
func qualified(info *types.Info, decl *ast.FuncDecl) string {
	if decl.Recv != nil {
		if t, ok := receiver(info, decl).(*types.Named); ok {
			return t.Obj().Name() + "." + decl.Name.Name
		}
	}
	return decl.Name.Name
}

// constraint returns the build constraint lines of the file, for its output.
func (f *File) constraint() (lines string, err error) {
	parts := strings.Split(strings.TrimSuffix(filepath.Base(f.Path), ".go"), "_")
	if last := parts[len(parts)-1]; len(parts) > 1 && slices.Contains([]string{"linux", "windows", "darwin", "freebsd", "netbsd", "openbsd", "js", "wasip1", "amd64", "arm64", "386", "arm", "riscv64", "wasm"}, last) {
		return "", fmt.Errorf("%s: the file name restricts the system, but the name of the output %s would not: use a //go:build line", f.Path, filepath.Base(f.Output()))
	}
	for _, group := range f.syntax.Comments {
		for _, c := range group.List {
			if c.Pos() < f.syntax.Package && constraint.IsGoBuild(c.Text) {
				lines += c.Text + "\n\n"
			}
		}
	}
	return lines, nil
}

// span returns the range of a loop's header.
func span(s ast.Stmt) [2]token.Pos {
	switch s := s.(type) {
	case *ast.ForStmt:
		return [2]token.Pos{s.Pos(), s.Body.Lbrace}
	case *ast.RangeStmt:
		return [2]token.Pos{s.Pos(), s.Body.Lbrace}
	}
	return [2]token.Pos{}
}

// unused returns the variables of the function that only headers use, the given one included.
// Generated code must use them, or it would not compile.
func (f *Function) unused(h [2]token.Pos) (names []string) {
	info := f.file.pkg.TypesInfo
	used := make(map[types.Object]bool) // used outside headers
	ast.Inspect(f.decl.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && !f.inHeader(id) && info.Uses[id] != nil {
			used[info.Uses[id]] = true
		}
		return true
	})
	ast.Inspect(f.decl.Body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || id.Pos() < h[0] || id.Pos() > h[1] {
			return true
		}
		o, isVar := info.Uses[id].(*types.Var)
		if isVar && !used[o] && f.decl.Body.Pos() < o.Pos() && o.Pos() < h[0] && !slices.Contains(names, id.Name) {
			names = append(names, id.Name)
		}
		return true
	})
	return names
}
