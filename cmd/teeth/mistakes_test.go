package main

import (
	"go/parser"
	"go/token"
	"testing"
)

// TestMistakesFit checks that every mistake applies to the current source and leaves code that
// parses.
func TestMistakesFit(t *testing.T) {
	list, err := mistakes()
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 20 {
		t.Errorf("%d mistakes, want 20 or more", len(list))
	}
	for _, m := range list {
		source, err := m.plant("../..")
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := parser.ParseFile(token.NewFileSet(), m.File, source, 0); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
}
