package golang

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/loops"
	"github.com/fagus-dsm/fagus/fagus/program/cmdline"
)

// The directives: parallel marks functions to be made parallel, serial marks loops to be left
// serial, and independent marks loops whose iterations do not depend on each other.
const (
	prefix      = "//fagus:"
	directive   = prefix + "parallel"
	serial      = prefix + "serial"
	independent = prefix + "independent"
)

// named returns the directive that a comment begins with, or "".
func named(c *ast.Comment) string {
	if !strings.HasPrefix(c.Text, prefix) {
		return ""
	}
	name, _, _ := strings.Cut(c.Text, " ")
	return name
}

// directives returns the directives in front of loops, by line, and records as refused those that
// are unknown or have no effect. A directive stands on the line of its loop or on the line before.
func (f *File) directives() (lines map[int]string) {
	lines = make(map[int]string)
	places := make(map[int]bool) // lines where a directive for a loop has an effect
	docs := make(map[*ast.Comment]bool)
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Doc != nil && n.Body != nil {
				for _, c := range n.Doc.List {
					docs[c] = true
				}
			}
		case *ast.ForStmt, *ast.RangeStmt, *ast.ExprStmt: // the last may be a copy, which is a loop
			line := f.position(n.Pos()).Line
			places[line], places[line-1] = true, true
		}
		return true
	})
	for _, group := range f.syntax.Comments {
		for _, c := range group.List {
			line, text := f.position(c.Pos()).Line, ""
			switch name := named(c); {
			case name == "":
			case !slices.Contains([]string{directive, serial, independent}, name):
				text = fmt.Sprintf("unknown directive %s: want %s, %s or %s", name, directive, serial, independent)
				if near := cmdline.Nearest(name[len(prefix):], []string{"parallel", "serial", "independent"}); near != "" {
					text = fmt.Sprintf("unknown directive %s: did you mean %s%s?", name, prefix, near)
				}
			case name == directive && !docs[c]:
				text = fmt.Sprintf("%s has no effect here: write it in the comment directly before a function", name)
			case name != directive && !places[line]:
				text = fmt.Sprintf("%s has no effect here: write it on the line before a loop", name)
			case name != directive:
				lines[line] = name
			}
			if text != "" {
				f.refused = append(f.refused, &loops.Refusal{Pos: f.pos(c.Pos()), Message: text})
			}
		}
	}
	return lines
}

// marks returns the directive for the loop that begins at a node, or "".
func (t *translator) marks(loop ast.Node) string {
	at := t.file.position(loop.Pos())
	if !same(at.Filename, t.file.Path) { // a function of another file
		return ""
	}
	line := at.Line
	if mark := t.directives[line]; mark != "" {
		return mark
	}
	return t.directives[line-1]
}
