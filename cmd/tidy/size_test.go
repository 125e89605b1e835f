package main

import (
	"strings"
	"testing"
)

func TestSizeRule(t *testing.T) {
	// A file of n lines in which the function from line 4 on is of f lines.
	text := func(n, f int) string {
		return "package a\n\n// F is long.\nfunc F() {\n" + strings.Repeat("\tg()\n", f-2) + "}\n" + strings.Repeat("\n", n-f-3)
	}
	r := sizeRule(limits{file: 10, function: 5}, limits{file: 12, function: 7})
	planted(t, r, source{"a/a.go": text(10, 5), "a/a_test.go": text(12, 7)})
	planted(t, r, source{"a/a.go": text(11, 6), "a/a_test.go": text(13, 8)},
		"a/a.go:4: func F of 6 lines, limit 5",
		"a/a.go:11: file of 11 lines, limit 10",
		"a/a_test.go:4: func F of 8 lines, limit 7",
		"a/a_test.go:13: file of 13 lines, limit 12")
}
