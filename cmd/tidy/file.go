package main

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// file is one Go file.
type file struct {
	path    string // from the module root, with slashes
	src     []byte
	syntax  *ast.File
	fset    *token.FileSet
	test    bool // named *_test.go
	imports []imported
}

// imported is one import of a file.
type imported struct {
	path string
	name string // the identifier in the file: declared, or derived from the path
	line int
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

func newFile(fset *token.FileSet, name string, src []byte, syntax *ast.File) *file {
	f := &file{path: name, src: src, syntax: syntax, fset: fset, test: strings.HasSuffix(name, "_test.go")}
	for _, spec := range syntax.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue // cannot happen: the parser accepts only valid strings
		}
		im := imported{path: importPath, name: path.Base(importPath), line: f.line(spec.Pos())}
		if majorVersion.MatchString(im.name) {
			im.name = path.Base(path.Dir(importPath))
		}
		if spec.Name != nil {
			im.name = spec.Name.Name
		}
		f.imports = append(f.imports, im)
	}
	return f
}

// command reports whether f belongs to package main.
func (f *file) command() bool { return f.syntax.Name.Name == "main" }

// line returns the line of pos in the file itself, ignoring line directives.
func (f *file) line(pos token.Pos) int { return f.fset.PositionFor(pos, false).Line }

// breach returns a breach at pos.
func (f *file) breach(pos token.Pos, what, mend string) breach {
	return breach{path: f.path, line: f.line(pos), what: what, mend: mend}
}

// qualified splits an expression pkg.name, where pkg is an import, into the import's path and the
// name. For any other expression it returns two empty strings. It mistakes a local variable with
// the name of an import for the import.
func (f *file) qualified(e ast.Expr) (importPath, name string) {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	x, ok := sel.X.(*ast.Ident)
	if !ok {
		return "", ""
	}
	for _, im := range f.imports {
		if im.name == x.Name {
			return im.path, sel.Sel.Name
		}
	}
	return "", ""
}
