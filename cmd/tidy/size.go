package main

import (
	"bytes"
	"fmt"
	"go/ast"
)

// limits are the lines that a file and a function may have.
type limits struct {
	file     int
	function int // from func to its closing brace; the comment above is free
}

// sizeRule reports what has outgrown its limits.
func sizeRule(source, test limits) rule {
	return rule{"size", func(t *tree) []breach {
		var breaches []breach
		for _, p := range t.packages {
			for _, f := range p.files {
				if ast.IsGenerated(f.syntax) {
					continue // nobody reads it for its own sake
				}
				lim := source
				if f.test {
					lim = test
				}
				breaches = append(breaches, outgrown(f, lim)...)
			}
		}
		return breaches
	}}
}

func outgrown(f *file, lim limits) []breach {
	const mend = "look for the second idea in it"
	var breaches []breach
	if lines := bytes.Count(f.src, []byte("\n")); lines > lim.file {
		breaches = append(breaches, breach{path: f.path, line: lim.file + 1,
			what: fmt.Sprintf("file of %d lines, limit %d", lines, lim.file), mend: mend})
	}
	for _, decl := range f.syntax.Decls {
		d, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if lines := f.line(d.End()) - f.line(d.Pos()) + 1; lines > lim.function {
			breaches = append(breaches, f.breach(d.Pos(),
				fmt.Sprintf("func %s of %d lines, limit %d", d.Name.Name, lines, lim.function), mend))
		}
	}
	return breaches
}
