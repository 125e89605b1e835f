package main

import (
	"slices"
	"strings"
	"testing"
)

const authorsPage = `# Contributing

| file | command |
|---|---|
| a | letter |

| term | not |
|---|---|
| peer queue | box, letter box |
| poll | looked |

| file | command |
|---|---|
| b | boxes |
`

// TestGlossary plants banned words in a package comment and in every kind of exported name.
func TestGlossary(t *testing.T) {
	r := glossaryRule("docs/reference/glossary.md", "CONTRIBUTING.md")
	planted(t, r, source{
		"CONTRIBUTING.md": authorsPage,
		"a/doc.go":        "// Package a looked into the letter\n// box.\npackage a\n",
		"a/a.go":          "package a\n\ntype OutBox struct{ LetterBox, boxes int }\n\nfunc NewBox(b int) (Box int) { Looked := 1; return Looked }\n",
	},
		`a/a.go:3: LetterBox uses "box"`,
		`a/a.go:3: LetterBox uses "letter box"`,
		`a/a.go:3: OutBox uses "box"`,
		`a/a.go:5: Box uses "box"`,
		`a/a.go:5: NewBox uses "box"`,
		`a/doc.go:1: the package comment uses "box"`,
		`a/doc.go:1: the package comment uses "letter box"`,
		`a/doc.go:1: the package comment uses "looked"`,
	)
	planted(t, r, source{
		"CONTRIBUTING.md": authorsPage,
		"a/doc.go":        "// Package a has boxes.\npackage a\n\n// It looked.\nfunc Boxes() {}\n",
		"a/a_test.go":     "package a\n\nfunc TestBox() {}\n",
	})
	planted(t, r, source{"a/doc.go": "// Package a looked.\npackage a\n"})
	planted(t, r, source{"docs/reference/glossary.md": strings.Repeat("line\n", maxGlossaryLines+1)},
		"docs/reference/glossary.md:71: glossary of 71 lines, limit 70")
}

func TestCamelWords(t *testing.T) {
	for name, want := range map[string][]string{
		"Box":         {"box"},
		"NewCallWord": {"new", "call", "word"},
		"LLCM":        {"llcm"},
		"maxLists":    {"max", "lists"},
	} {
		if got := camelWords(name); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
