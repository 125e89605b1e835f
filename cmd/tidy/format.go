package main

import (
	"bytes"
	"fmt"
	"go/format"
)

// formatRule requires that every file, tests included, is formatted by gofmt.
func formatRule() rule {
	return everyFile("format", func(f *file) []breach {
		formatted, err := format.Source(f.src)
		if err != nil || bytes.Equal(formatted, f.src) {
			return nil // the rule parse reports files that do not parse
		}
		return []breach{{path: f.path, line: firstChange(f.src, formatted),
			what: "not as gofmt leaves it", mend: fmt.Sprintf("gofmt -w %s", f.path)}}
	})
}

// firstChange returns the first line, from 1, in which a and b differ.
func firstChange(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return 1 + bytes.Count(a[:n], []byte("\n"))
}
