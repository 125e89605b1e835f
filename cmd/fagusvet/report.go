package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// reporter reports what one rule finds, at most once a line.
type reporter struct {
	pass    *analysis.Pass
	ignored map[place]bool
}

// place is a line of a file.
type place struct {
	file string
	line int
}

// ignoreComment begins a comment that keeps a rule from reporting. What follows it is
// the rule and the reason; without a reason it counts for nothing.
const ignoreComment = "//fagusvet:ignore "

func newReporter(pass *analysis.Pass) *reporter {
	r := &reporter{pass: pass, ignored: make(map[place]bool)}
	for _, file := range pass.Files {
		code := codeLines(pass.Fset, file)
		for _, group := range file.Comments {
			for _, c := range group.List {
				text, ok := strings.CutPrefix(c.Text, ignoreComment)
				if !ok {
					continue
				}
				if words := strings.Fields(text); len(words) > 1 && words[0] == pass.Analyzer.Name {
					at := r.place(c.Pos())
					if !code[at.line] {
						at.line++
					}
					r.ignored[at] = true
				}
			}
		}
	}
	return r
}

// codeLines are the lines of a file where something other than a comment begins or ends.
func codeLines(fset *token.FileSet, file *ast.File) map[int]bool {
	lines := make(map[int]bool)
	ast.Inspect(file, func(n ast.Node) bool {
		switch n.(type) {
		case nil:
			return true
		case *ast.CommentGroup:
			return false
		case *ast.File:
			return true // it ends where its last line ends, which may be a comment
		}
		lines[fset.Position(n.Pos()).Line] = true
		lines[fset.Position(n.End()-1).Line] = true
		return true
	})
	return lines
}

func (r *reporter) place(pos token.Pos) place {
	p := r.pass.Fset.Position(pos)
	return place{p.Filename, p.Line}
}

func (r *reporter) line(pos token.Pos) int { return r.place(pos).line }

// reportf reports what is wrong at pos. The message begins with the rule, since go vet
// does not say it.
func (r *reporter) reportf(pos token.Pos, format string, args ...any) {
	at := r.place(pos)
	if r.ignored[at] {
		return
	}
	r.ignored[at] = true
	r.pass.Reportf(pos, "%s: %s", r.pass.Analyzer.Name, fmt.Sprintf(format, args...))
}
