package main

import (
	"bytes"
	"fmt"
	"go/format"
)

// formatRule wants every file, tests too, as gofmt leaves it.
func formatRule() rule {
	return rule{"format", func(t *tree) []breach {
		var breaches []breach
		for _, p := range t.packages {
			for _, f := range p.files {
				formatted, err := format.Source(f.src)
				if err != nil || bytes.Equal(formatted, f.src) {
					continue // what does not parse is reported by the rule parse
				}
				breaches = append(breaches, breach{path: f.path, line: firstChange(f.src, formatted),
					what: "not as gofmt leaves it", mend: fmt.Sprintf("gofmt -w %s", f.path)})
			}
		}
		return breaches
	}}
}

// firstChange is the first line, from 1, in which a and b differ.
func firstChange(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return 1 + bytes.Count(a[:n], []byte("\n"))
}
