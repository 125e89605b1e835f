package main

import (
	"os"
	"strings"
	"testing"
)

// abbey is a module with the library core, beside three other modules. The library may import
// module pure. It may import neither module foul nor module deep, which foul imports.
func abbey() source {
	return source{
		"go.mod": `module m.test

go 1.26

require (
	deep.test v0.0.0
	foul.test v0.0.0
	pure.test v0.0.0
)

replace (
	deep.test => ./deep
	foul.test => ./foul
	pure.test => ./pure
)
`,
		"core/core.go": "package core\n\nimport (\n\t_ \"fmt\"\n\t_ \"m.test/part\"\n)\n",
		"part/part.go": "package part\n",
		"deep/go.mod":  "module deep.test\n",
		"deep/deep.go": "package deep\n",
		"foul/go.mod":  "module foul.test\n",
		"foul/foul.go": "package foul\n\nimport _ \"deep.test\"\n",
		"pure/go.mod":  "module pure.test\n",
		"pure/pure.go": "package pure\n",
	}
}

// onDisk writes s to a new folder and opens it.
func onDisk(t *testing.T, s source) *tree {
	t.Helper()
	root := t.TempDir()
	if err := os.CopyFS(root, s.fs()); err != nil {
		t.Fatal(err)
	}
	tr, err := openTree(root)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func TestPurityRule(t *testing.T) {
	for name, tt := range map[string]struct {
		path, text string // a file that replaces a file of abbey or is added
		want       string // prefix of the only breach; empty: no breach
	}{
		"pure":            {"core/use.go", "package core\n\nimport _ \"pure.test\"\n", ""},
		"in tests":        {"core/core_test.go", "package core\n\nimport _ \"foul.test\"\n", ""},
		"impure":          {"core/use.go", "package core\n\nimport _ \"foul.test\"\n", "core/use.go:3: purity: foul.test pulls in the module foul.test"},
		"one further":     {"part/part.go", "package part\n\nimport _ \"foul.test\"\n", "part/part.go:3: purity: foul.test"},
		"on one system":   {"core/use_windows.go", "package core\n\nimport _ \"foul.test\"\n", "core/use_windows.go:3: purity: foul.test"},
		"by a pure one":   {"pure/pure.go", "package pure\n\nimport _ \"deep.test\"\n", "go.mod:1: purity: deep.test"},
		"does not build":  {"core/use.go", "package core\n\nimport _ \"nowhere.test\"\n", "core/core.go:1: purity: GOOS=linux go list ./core"},
		"not yet written": {"core/core.go", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := abbey()
			if s[tt.path] = tt.text; tt.text == "" {
				delete(s, tt.path)
			}
			if name == "by a pure one" {
				s["core/use.go"] = "package core\n\nimport _ \"pure.test\"\n"
			}
			breaches := purityRule("core", "pure.test").run(onDisk(t, s))
			switch {
			case tt.want == "" && len(breaches) > 0:
				t.Errorf("breaches %v, want none", breaches)
			case tt.want != "" && (len(breaches) != 1 || !strings.HasPrefix(breaches[0].String(), tt.want)):
				t.Errorf("breaches %v, want one: %s", breaches, tt.want)
			}
		})
	}
}
