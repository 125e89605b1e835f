package main

import (
	"fmt"
	"go/ast"
	"regexp"
	"strings"
	"unicode/utf8"
)

// tabColumns is how many columns a tab counts for in the width of a line.
const tabColumns = 4

// unpublished matches references to notes that readers of the repository do not have.
var unpublished = regexp.MustCompile(`\bspec/[0-9]`)

// proseRule bounds the column in which a comment ends, and forbids references to unpublished notes.
// Lines without a space after the // (directives, commented code) and lines with an address, which
// cannot be wrapped, may be longer.
func proseRule(columns int) rule {
	return everyFile("prose", func(f *file) (breaches []breach) {
		if ast.IsGenerated(f.syntax) {
			return nil
		}
		lines := strings.Split(string(f.src), "\n")
		for _, g := range f.syntax.Comments {
			for _, c := range g.List {
				breaches = append(breaches, badProse(f, c, lines, columns)...)
			}
		}
		return breaches
	})
}

func badProse(f *file, c *ast.Comment, lines []string, columns int) []breach {
	var breaches []breach
	if unpublished.MatchString(c.Text) {
		breaches = append(breaches, f.breach(c.Pos(), "comment cites unpublished notes", "cite docs/lab/papers.md"))
	}
	for at := f.line(c.Pos()); at <= f.line(c.End()); at++ {
		line := lines[at-1]
		if strings.Contains(line, "://") || strings.HasPrefix(c.Text, "//go:") || strings.HasPrefix(c.Text, "//export ") {
			continue
		}
		if n := width(line); n > columns {
			breaches = append(breaches, breach{path: f.path, line: at,
				what: fmt.Sprintf("comment ends in column %d, limit %d", n, columns), mend: "wrap it, or shorten it"})
		}
	}
	return breaches
}

// width returns the columns that a line takes.
func width(line string) int {
	return utf8.RuneCountInString(line) + (tabColumns-1)*strings.Count(line, "\t")
}
