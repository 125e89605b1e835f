package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/fagustest"
)

// TestIndex compares the index of two files with a map.
func TestIndex(t *testing.T) {
	folder := t.TempDir()
	var files []string
	want := map[string][]place{}
	for name, text := range map[string]string{"a": "The cat\nand the dog,\n\nthe END", "b": strings.Repeat("a dog\n", 9) + "über cats"} {
		files = append(files, filepath.Join(folder, name))
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(files)
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			for _, word := range split(line) {
				want[word] = append(want[word], place{name, i + 1})
			}
		}
	}
	fagustest.Run(t, fagus.Config{Nodes: 3}, func(n *fagus.Node) error {
		got, err := index(n, files)
		if err != nil || n.Rank() > 0 {
			return err
		}
		var words []string
		for _, e := range got {
			words = append(words, e.Key)
			if !reflect.DeepEqual(e.Value, want[e.Key]) {
				return fmt.Errorf("%q is at %v, want %v", e.Key, e.Value, want[e.Key])
			}
		}
		if all := slices.Sorted(maps.Keys(want)); !slices.Equal(words, all) {
			return fmt.Errorf("the words are %q, want %q", words, all)
		}
		return nil
	})
}

func TestSplit(t *testing.T) {
	if got := split("The end: an end-less tale."); !slices.Equal(got, []string{"the", "end", "an", "end", "less", "tale"}) {
		t.Errorf("the words are %q", got)
	}
}
