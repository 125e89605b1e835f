package golang

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Suffix ends the names of output files.
const Suffix = "_fagus.go"

// File is a source file with functions to be made parallel.
type File struct {
	Path      string
	Functions []*Function
	refused   []error // directives that are unknown or have no effect
	pkg       *packages.Package
	text      []byte
	others    map[string][]byte // texts of other files, by path
	syntax    *ast.File
}

// Load reads the package in a folder and returns its files with marked functions: all of them, or
// only the files in paths. It ignores earlier output of Emit.
func Load(dir string, paths ...string) ([]*File, error) {
	old, err := filepath.Glob(filepath.Join(dir, "*"+Suffix))
	if err != nil {
		return nil, err
	}
	cfg := &packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps,
		Dir:  dir, Overlay: make(map[string][]byte),
	}
	for _, path := range old {
		if path, err = filepath.Abs(path); err != nil {
			return nil, err
		}
		if cfg.Overlay[path], err = emptied(path); err != nil {
			return nil, err
		}
	}
	found, err := packages.Load(cfg, ".")
	switch {
	case err != nil:
		return nil, err
	case len(found) != 1:
		return nil, fmt.Errorf("%s: %d packages, want one", dir, len(found))
	}
	pkg := found[0]
	var files []*File
	for _, syntax := range pkg.Syntax {
		path := pkg.Fset.PositionFor(syntax.Package, false).Filename
		if strings.HasSuffix(path, Suffix) || len(paths) > 0 && !slices.ContainsFunc(paths, func(p string) bool { return same(p, path) }) {
			continue
		}
		f := &File{Path: path, pkg: pkg, syntax: syntax, others: make(map[string][]byte)}
		if f.text, err = os.ReadFile(path); err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	for _, e := range pkg.Errors {
		if e.Kind != packages.TypeError {
			return nil, e
		}
	}
	for _, f := range files {
		if err := f.find(); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(files, func(f *File) bool { return len(f.Functions) == 0 && len(f.refused) == 0 }), nil
}

func emptied(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "package ") {
			return []byte(line), nil
		}
	}
	return nil, fmt.Errorf("%s: no package clause", path)
}

func same(a, b string) bool {
	a, errA := filepath.Abs(a)
	b, errB := filepath.Abs(b)
	return errA == nil && errB == nil && a == b
}

// find translates the marked functions. Type errors elsewhere may be uses of what Emit will write.
func (f *File) find() error {
	marks := f.directives()
	for _, d := range f.syntax.Decls {
		decl, ok := d.(*ast.FuncDecl)
		if !ok || decl.Doc == nil || decl.Body == nil {
			continue
		}
		if slices.ContainsFunc(decl.Doc.List, func(c *ast.Comment) bool { return named(c) == directive }) {
			for _, e := range f.pkg.TypeErrors {
				if decl.Pos() <= e.Pos && e.Pos < decl.End() {
					return fmt.Errorf("%s: %s", f.pos(e.Pos), e.Msg)
				}
			}
			f.Functions = append(f.Functions, translate(f, decl, marks))
		}
	}
	return nil
}

// pos returns a position for messages, relative to the current folder if the file is inside it.
func (f *File) pos(p token.Pos) string {
	at := f.position(p)
	if here, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(here, at.Filename); err == nil && !strings.HasPrefix(rel, "..") {
			at.Filename = rel
		}
	}
	return at.String()
}

// position returns a position in the file, ignoring its //line directives.
func (f *File) position(p token.Pos) token.Position { return f.pkg.Fset.PositionFor(p, false) }
func (f *File) source(n ast.Node) string            { return f.between(n.Pos(), n.End()) }

func (f *File) between(from, to token.Pos) string {
	file := f.pkg.Fset.File(from)
	text := f.text
	if other := f.position(from).Filename; other != f.Path {
		text = f.others[other]
		if text == nil {
			text, _ = os.ReadFile(other) // it has been parsed before
			f.others[other] = text
		}
	}
	if file.Offset(to) > len(text) {
		return "?" // the file has changed
	}
	return string(text[file.Offset(from):file.Offset(to)])
}

// assigned counts the assignments to every variable of a function and to parts of it, declared
// values included.
func assigned(info *types.Info, body *ast.BlockStmt) map[types.Object]int {
	count := make(map[types.Object]int)
	note := func(e ast.Expr) {
		if id, ok := root(info, e).(*ast.Ident); ok {
			if o := cmp.Or(info.Defs[id], info.Uses[id]); o != nil {
				count[o]++
			}
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				note(e)
			}
		case *ast.IncDecStmt:
			note(n.X)
		case *ast.RangeStmt:
			if n.Key != nil {
				note(n.Key)
			}
			if n.Value != nil {
				note(n.Value)
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				note(id)
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				note(n.X)
				note(n.X) // taking the address permits writes
			}
		}
		return true
	})
	return count
}

// root returns the variable of which an expression denotes a part: a field, or an element of an
// array that is not a slice.
func root(info *types.Info, e ast.Expr) ast.Expr {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.SelectorExpr:
			if info.Selections[x] == nil {
				return e
			}
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			if _, ok := info.TypeOf(x.X).Underlying().(*types.Array); !ok {
				return e
			}
			e = x.X
		default:
			return x
		}
	}
}
