package main

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestLoadTree(t *testing.T) {
	tr, err := loadTree(source{
		"root.go":             "package m\n",
		"b/b.go":              "package b\n",
		"b/b_test.go":         "package b_test\n",
		"a/a_windows.go":      "package a\n", // constraints do not hide a file
		"a/notes.txt":         "text",
		"b/testdata/x.go":     "not Go",
		"vendor/v/v.go":       "not Go",
		".ci/x.go":            "not Go",
		"_old/x.go":           "not Go",
		"b/_x.go":             "not Go",
		"bindings/go.mod":     "module other\n",
		"bindings/x/broken.g": "not Go",
		"bindings/x/x.go":     "not Go",
	}.fs())
	if err != nil {
		t.Fatal(err)
	}
	var dirs []string
	for _, p := range tr.packages {
		dirs = append(dirs, p.dir)
	}
	if want := []string{".", "a", "b"}; !slices.Equal(dirs, want) {
		t.Errorf("packages %q, want %q", dirs, want)
	}
	if tr.module != "m.test" || tr.files != 4 || len(tr.broken) != 0 {
		t.Errorf("module %q, %d files, broken %v; want m.test, 4, none", tr.module, tr.files, tr.broken)
	}
	if b := tr.find("b"); len(b.files) != 2 || len(b.sources()) != 1 {
		t.Errorf("package b has %d files, %d sources; want 2, 1", len(b.files), len(b.sources()))
	}
}

func TestLoadTreeErrors(t *testing.T) {
	for name, tt := range map[string]struct {
		files fstest.MapFS
		want  string
	}{
		"no go.mod": {fstest.MapFS{}, "go.mod"},
		"no module": {fstest.MapFS{"go.mod": {Data: []byte("go 1.26\n")}}, "names no module"},
	} {
		if _, err := loadTree(tt.files); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, tt.want)
		}
	}
}

func TestParseRule(t *testing.T) {
	planted(t, parseRule(), source{
		"a/good.go": "package a\n",
		"a/bad.go":  "package a\n\nfunc {\n",
	}, "a/bad.go:3: expected 'IDENT', found '{'")
}

func TestOwn(t *testing.T) {
	tr := &tree{module: "m.test"}
	for path, want := range map[string]string{"m.test": ".", "m.test/a/b": "a/b", "m.testing": "", "fmt": ""} {
		if dir, ok := tr.own(path); ok != (want != "") || ok && dir != want {
			t.Errorf("own(%q) = %q, %v; want %q", path, dir, ok, want)
		}
	}
}
