package main

import (
	"go/parser"
	"go/token"
	"testing"
)

// TestMistakesFit checks that every mistake applies to the current source and leaves code that
// parses, and that no two mistakes of a list have the same name.
func TestMistakesFit(t *testing.T) {
	for _, c := range []struct {
		name  string
		read  func() ([]mistake, error)
		least int
	}{{"mistakes.toml", mistakes, 20}, {"live.toml", liveMistakes, 40}} {
		list, err := c.read()
		if err != nil {
			t.Fatal(err)
		}
		if len(list) < c.least {
			t.Errorf("%s: %d mistakes, want %d or more", c.name, len(list), c.least)
		}
		names := make(map[string]bool)
		for _, m := range list {
			if names[m.Name] {
				t.Errorf("%s: two mistakes have the name %q", c.name, m.Name)
			}
			names[m.Name] = true
			source, err := m.plant("../..")
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			if _, err := parser.ParseFile(token.NewFileSet(), m.File, source, 0); err != nil {
				t.Errorf("%s: %s: %v", c.name, m.Name, err)
			}
		}
	}
}
