package main

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strings"
)

// ban is a package, or names of one, that the house does without.
type ban struct {
	path    string
	name    string // a pattern of path.Match; empty: the whole package
	mend    string
	allowed func(*file) bool // the files that may use it all the same
}

// bannedRule holds all files, tests too, to the bans.
func bannedRule(bans []ban) rule {
	return rule{"banned", func(t *tree) []breach {
		var breaches []breach
		for _, p := range t.packages {
			for _, f := range p.files {
				for _, b := range bans {
					if !b.allowed(f) {
						breaches = append(breaches, b.uses(f)...)
					}
				}
			}
		}
		return breaches
	}}
}

// uses are the places where f uses what b bans.
func (b ban) uses(f *file) []breach {
	var breaches []breach
	if b.name == "" {
		for _, im := range f.imports {
			if im.path == b.path {
				breaches = append(breaches, breach{path: f.path, line: im.line, what: "imports " + b.path, mend: b.mend})
			}
		}
		return breaches
	}
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok {
			if importPath, name := f.qualified(e); importPath == b.path && matches(b.name, name) {
				breaches = append(breaches, f.breach(e.Pos(), fmt.Sprintf("uses %s.%s", b.path, name), b.mend))
			}
		}
		return true
	})
	return breaches
}

// ends says whether f may end the process: a command may, and a test, which
// may have started itself as another process.
func ends(f *file) bool { return f.command() || f.test }

// prints says whether f may print to the process's standard output.
func prints(f *file) bool {
	return f.test || within(f.path, "cmd") || slices.Contains(strings.Split(path.Dir(f.path), "/"), "examples")
}
