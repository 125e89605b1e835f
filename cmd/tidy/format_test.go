package main

import "testing"

func TestFormatRule(t *testing.T) {
	planted(t, formatRule(), source{
		"a/good.go":     "package a\n\nvar x = 1\n",
		"a/bad.go":      "package a\n\nvar x=1\n",
		"a/bad_test.go": "package a\n\n\n\nvar y = 1\n",
		"a/end.go":      "package a",
	},
		"a/bad.go:3: not as gofmt leaves it",
		"a/bad_test.go:3: not as gofmt leaves it",
		"a/end.go:1: not as gofmt leaves it")
}
