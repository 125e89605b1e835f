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
	name string // by which the file calls it, as far as its path tells
	line int
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

func newFile(fset *token.FileSet, name string, src []byte, syntax *ast.File) *file {
	f := &file{path: name, src: src, syntax: syntax, fset: fset, test: strings.HasSuffix(name, "_test.go")}
	for _, spec := range syntax.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue // the parser has let through only good strings
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

// command says whether f belongs to a program rather than to a library.
func (f *file) command() bool { return f.syntax.Name.Name == "main" }

// line is where pos is in the file itself, whatever its line directives say.
func (f *file) line(pos token.Pos) int { return f.fset.PositionFor(pos, false).Line }

// breach is a breach at pos.
func (f *file) breach(pos token.Pos, what, mend string) breach {
	return breach{path: f.path, line: f.line(pos), what: what, mend: mend}
}

// qualified takes pkg.name apart where pkg is an import: the import's path and
// the name. For every other expression, both are empty. A local variable with
// the name of an import is taken for the import.
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
