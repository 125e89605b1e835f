package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestChanges checks that the changes to a package are many and well-formed.
func TestChanges(t *testing.T) {
	list, err := changesOf("../..", "ringbuf")
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 100 {
		t.Errorf("changesOf ringbuf: %d changes, want 100 or more", len(list))
	}
	for _, c := range list {
		if c.from >= c.to || c.line < 1 || c.file == "" {
			t.Errorf("change %+v: want a file, a line from 1, and from < to", c)
		}
	}
}

// TestValuesBesideErrors checks that returned values are changed, except beside a certain error.
func TestValuesBesideErrors(t *testing.T) {
	const source = `package p

func f() (int, error) {
	if err != nil {
		return 1, err
	}
	if x {
		return 2, fmt.Errorf("%d", 3)
	}
	if y {
		return 4, err
	}
	return 5, g()
}

func h() (int, bool) { return 6, true }
`
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "p.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := changesOf(root, ".")
	if err != nil {
		t.Fatal(err)
	}
	var puts []string
	for _, c := range list {
		puts = append(puts, c.put)
	}
	want := []string{"!(err != nil)", "==", "!(x)", "!(y)", "5", "6", "7"}
	if !slices.Equal(puts, want) {
		t.Errorf("tried %s, want %s", strings.Join(puts, ", "), strings.Join(want, ", "))
	}
}
