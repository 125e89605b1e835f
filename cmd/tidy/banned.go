package main

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strings"
)

// ban forbids a package, or names of a package.
type ban struct {
	path    string
	name    string // a pattern of path.Match; empty: the whole package
	mend    string
	allowed func(*file) bool // reports whether a file is exempt
}

// bannedRule applies the bans to all files, tests included.
func bannedRule(bans []ban) rule {
	return everyFile("banned", func(f *file) (breaches []breach) {
		for _, b := range bans {
			if !b.allowed(f) {
				breaches = append(breaches, b.uses(f)...)
			}
		}
		return breaches
	})
}

// uses returns the places where f uses a banned name.
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

// ends reports whether f may end the process. Commands may, and so may functions that the main
// function of a user's program calls, and tests: a test binary may run itself as a child process.
func ends(f *file) bool { return f.command() || f.test || within(f.path, "fagus/program") }

// prints reports whether f may print to standard output.
func prints(f *file) bool {
	return f.test || within(f.path, "cmd") || slices.Contains(strings.Split(path.Dir(f.path), "/"), "examples")
}
