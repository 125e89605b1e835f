package main

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"testing"
	"testing/fstest"
)

// source is a module in memory: the text of each file.
type source map[string]string

// fs is the module as a file system, with the go.mod of the module m.test.
func (s source) fs() fs.FS {
	files := fstest.MapFS{"go.mod": {Data: []byte("module m.test\n\ngo 1.26\n")}}
	for name, text := range s {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}

// planted checks that rule r reports in s exactly the breaches in want, in order, each in the form
// "path:line: what", and that every breach says how to mend it.
func planted(t *testing.T, r rule, s source, want ...string) {
	t.Helper()
	tr, err := loadTree(s.fs())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, b := range r.run(tr) {
		got = append(got, fmt.Sprintf("%s:%d: %s", b.path, b.line, b.what))
		if b.mend == "" || b.rule != r.name {
			t.Errorf("incomplete breach: %+v", b)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("rule %s on %v\ngot  %q\nwant %q", r.name, slices.Sorted(maps.Keys(s)), got, want)
	}
}
