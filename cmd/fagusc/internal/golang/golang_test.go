package golang

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRefused checks that every function in testdata/refused is refused for the reason in its
// directive.
func TestRefused(t *testing.T) {
	files, err := Load(filepath.Join("testdata", "refused"))
	if err != nil {
		t.Fatal(err)
	}
	var all []*Function
	for _, f := range files {
		all = append(all, f.Functions...)
	}
	if n := len(all); n < 20 {
		t.Errorf("testdata/refused has %d marked functions, want 20 or more", n)
	}
	for _, f := range all {
		want := ""
		for _, c := range f.decl.Doc.List {
			if _, reason, ok := strings.Cut(c.Text, directive+" want "); ok {
				want = reason
			}
		}
		_, err := f.Plan()
		if err == nil {
			t.Errorf("%s: Plan accepts the function, want a refusal", f.Name)
			continue
		}
		if got := strings.ReplaceAll(err.Error(), filepath.Join("testdata", "refused")+string(filepath.Separator), ""); want == "" || !strings.Contains(got, want) {
			t.Errorf("%s is refused with\n%s\nwant\n%s", f.Name, got, want)
		}
	}
}

// TestLoad checks the errors of Load.
func TestLoad(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module m\n")
	write("a.go", "package m\n\n//fagus:parallel\nfunc F(a []int) { for i := range a { a[i] = unknown } }\n")
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "undefined: unknown") {
		t.Errorf("Load of a function that does not compile: error %v, want undefined: unknown", err)
	}
	write("a.go", "package m\n\n//fagus:parallel\nfunc F(a []int) { for i := range a { a[i] = 1 } }\n\nfunc g() { FOn(nil, nil) }\n")
	write("a_fagus.go", "output of an older version\n\npackage m\n")
	files, err := Load(dir)
	if err != nil || len(files) != 1 || len(files[0].Functions) != 1 {
		t.Errorf("Load of a package that calls FOn before it exists: error %v, %d files, want 1 file", err, len(files))
	}
	write("a.go", "package m\n\nfunc {\n")
	if _, err := Load(dir); err == nil {
		t.Error("Load of a file that does not parse: no error")
	}
}

// TestPlanHasShape checks that a plan is used again only for matrices of the same shape: 2 rows of
// 6 elements have as many elements as 6 rows of 2.
func TestPlanHasShape(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module m\n\ngo 1.22\n",
		"a.go": `package m

//fagus:parallel
func F(a, b [][]int, n int) {
	for i := range n {
		for j := range b[i] {
			a[i][j] = b[i][j]
		}
	}
}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	text, err := files[0].Emit(Options{Spend: 1})
	if err != nil {
		t.Fatal(err)
	}
	_, depends, _ := strings.Cut(string(text), "region.Known(")
	depends, _, _ = strings.Cut(depends, "{")
	for _, want := range []string{"n", "region.Columns(a)", "region.Columns(b)"} {
		if !strings.Contains(depends, ", "+want) {
			t.Errorf("the plan does not depend on %s: region.Known(%s", want, depends)
		}
	}
}
