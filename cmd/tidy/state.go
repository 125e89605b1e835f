package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

var errorName = regexp.MustCompile(`^[eE]rr[A-Z0-9]`)

// stateRule forbids global state, through which two runs in one process could interfere: func init
// and package variables that can change. It allows errors made by errors.New, regular expressions,
// embedded files, compile-time assertions (var _ I = ...) and the exemptions. In tests it forbids
// only init.
func stateRule(exempt []exemption) rule {
	return rule{"state", func(t *tree) []breach {
		var breaches []breach
		met := make([]bool, len(exempt))
		for _, p := range t.packages {
			for _, f := range p.files {
				for _, d := range f.syntax.Decls {
					if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
						breaches = append(breaches, f.breach(fn.Pos(), "func init",
							"let the caller ask for it, or compute it where it is used"))
					}
				}
			}
			for _, f := range p.sources() {
				breaches = append(breaches, variables(f, p.dir, exempt, met)...)
			}
		}
		for i, e := range exempt {
			if p := t.find(e.dir); p != nil && !met[i] {
				breaches = append(breaches, p.files[0].breach(p.files[0].syntax.Name.Pos(),
					fmt.Sprintf("the exempt variable %s is gone", e.name), "drop it from exemptions in cmd/tidy/house.go"))
			}
		}
		return breaches
	}}
}

// variables returns the package variables of f, in folder dir, that can change. It sets met[i] if
// it used exempt[i].
func variables(f *file, dir string, exempt []exemption, met []bool) []breach {
	var breaches []breach
	for _, decl := range f.syntax.Decls {
		d, ok := decl.(*ast.GenDecl)
		if !ok || d.Tok != token.VAR {
			continue
		}
		for _, spec := range d.Specs {
			s := spec.(*ast.ValueSpec) // the only kind of spec in a var declaration
			if embeds(d.Doc) || embeds(s.Doc) {
				continue
			}
			for i, name := range s.Names {
				if name.Name == "_" || len(s.Values) == len(s.Names) && settled(f, name.Name, s.Values[i]) {
					continue
				}
				if e := slices.IndexFunc(exempt, func(e exemption) bool { return e.dir == dir && e.name == name.Name }); e >= 0 {
					met[e] = true
					continue
				}
				breaches = append(breaches, f.breach(name.Pos(), fmt.Sprintf("package variable %s can change", name.Name),
					"make it a constant, a field or a function's result, or give a reason in exemptions in cmd/tidy/house.go"))
			}
		}
	}
	return breaches
}

// settled reports whether a variable with this name and value is effectively a constant.
func settled(f *file, name string, value ast.Expr) bool {
	call, ok := value.(*ast.CallExpr)
	if !ok {
		return false
	}
	switch path, fn := f.qualified(call.Fun); {
	case path == "errors" && fn == "New":
		return errorName.MatchString(name)
	case path == "regexp" && fn == "MustCompile":
		return true
	}
	return false
}

func embeds(doc *ast.CommentGroup) bool {
	return doc != nil && slices.ContainsFunc(doc.List, func(c *ast.Comment) bool {
		return strings.HasPrefix(c.Text, "//go:embed ")
	})
}
