package rules

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestStubs: the packages in testdata declare what the real ones declare.
func TestStubs(t *testing.T) {
	stubs := filepath.Join("testdata", "src", filepath.FromSlash("github.com/fagus-dsm/fagus"))
	count := 0
	err := filepath.WalkDir(stubs, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		folder, err := filepath.Rel(stubs, path)
		if err != nil {
			return err
		}
		real := signatures(t, filepath.Join("..", "..", "..", folder))
		for name, stub := range signatures(t, path) {
			if count++; real[name] != stub {
				t.Errorf("%s: %s%s in testdata, %q in the real package", folder, name, stub, real[name])
			}
		}
		return nil
	})
	if err != nil || count < 50 {
		t.Errorf("%d functions, %v: want more", count, err)
	}
}

// signatures returns the types of the parameters and results of the exported functions and methods
// of the package in a folder.
func signatures(t *testing.T, folder string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]string)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() {
				continue
			}
			name := f.Name.Name
			if f.Recv != nil {
				name = strings.TrimLeft(kinds(t, f.Recv), "*") + "." + name
			}
			found[name] = "(" + kinds(t, f.Type.Params) + ") (" + kinds(t, f.Type.Results) + ")"
		}
	}
	return found
}

// kinds returns the types of a list of parameters.
func kinds(t *testing.T, list *ast.FieldList) string {
	t.Helper()
	var all []string
	if list != nil {
		for _, field := range list.List {
			var b bytes.Buffer
			if err := printer.Fprint(&b, token.NewFileSet(), field.Type); err != nil {
				t.Fatal(err)
			}
			for range max(1, len(field.Names)) {
				all = append(all, b.String())
			}
		}
	}
	return strings.Join(all, ", ")
}
