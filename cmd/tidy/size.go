package main

import (
	"bytes"
	"fmt"
	"go/ast"
)

// limits are the maximum numbers of lines.
type limits struct {
	file     int
	function int // from func to its closing brace; the doc comment does not count
}

// sizeRule reports files and functions that exceed the limits.
func sizeRule(source, test limits) rule {
	return everyFile("size", func(f *file) []breach {
		switch {
		case ast.IsGenerated(f.syntax):
			return nil // generated code may be of any size
		case f.test:
			return outgrown(f, test)
		}
		return outgrown(f, source)
	})
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
