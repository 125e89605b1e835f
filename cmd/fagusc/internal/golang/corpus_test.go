package golang

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

// module creates a folder with a Go module that requires this one.
func module(t *testing.T) (dir string) {
	t.Helper()
	root, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	text := strings.Replace(string(mod), "module github.com/fagus-dsm/fagus", "module random", 1)
	text += fmt.Sprintf("\nrequire github.com/fagus-dsm/fagus v0.0.0\nreplace github.com/fagus-dsm/fagus => %s\n", root)
	write(t, dir, "go.mod", []byte(text))
	write(t, dir, "go.sum", sum)
	return dir
}

func write(t *testing.T, dir, name string, data []byte) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// run runs a program of a module, compiled with the given flags, and returns its output.
func run(t *testing.T, dir, program string, flags ...string) (said []byte, err error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append(append([]string{"run", "-mod=mod"}, flags...), program)...)
	cmd.Dir = dir
	return cmd.CombinedOutput()
}

// TestCorpus checks that every function of a corpus is refused, or that its parallel version does
// the same. Unless tests are thorough, it checks every fifth function.
func TestCorpus(t *testing.T) {
	longtest.Third(t)
	if testing.Short() {
		t.Skip("compiles programs")
	}
	for _, name := range []string{"corpus", "corpus2"} {
		t.Run(name, func(t *testing.T) { testCorpus(t, name) })
	}
}

func testCorpus(t *testing.T, corpus string) {
	all, err := txtar.ParseFile(filepath.Join("testdata", corpus+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := module(t)
	var imports, table strings.Builder
	tried, made := 0, 0
	for _, f := range all.Files {
		write(t, dir, f.Name, f.Data)
	}
	for i, f := range all.Files {
		if i%longtest.Cases(1, 12) != 0 {
			continue
		}
		tried++
		name, _, _ := strings.Cut(f.Name, "/")
		entry := emitted(t, dir, name, string(f.Data))
		if entry == "" {
			continue
		}
		made++
		fmt.Fprintf(&imports, "%q\n", "random/"+name)
		table.WriteString(entry)
	}
	if made < tried/3 {
		t.Errorf("of %d functions only %d are made parallel", tried, made)
	}
	harness, err := os.ReadFile(filepath.Join("testdata", "corpus_main.go.txt"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "cmd/main.go", harness)
	write(t, dir, "cmd/table.go", []byte("package main\n\nimport (\n"+imports.String()+")\n\nvar table = []entry{\n"+table.String()+"}\n"))
	if said, err := run(t, dir, "./cmd"); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
	t.Logf("%d of %d functions are made parallel", made, tried)
	if !longtest.Thorough() {
		return
	}
	vet := exec.CommandContext(t.Context(), "go", "vet", "-mod=mod", "./...")
	vet.Dir = dir
	if said, err := vet.CombinedOutput(); err != nil {
		t.Errorf("go vet: %v\n%s", err, said)
	}
}

// method matches the receiver of F.
var method = regexp.MustCompile(`(?m)^func \(\w+ (\*?)(\w+)\) F\(`)

// emitted writes the parallel version of the function of a package. Comments of the function may
// say that it is accepted, or why it is refused. emitted returns its entry in the table of
// corpus_main.go.txt, or "" if the function is refused.
func emitted(t *testing.T, dir, name, source string) (entry string) {
	t.Helper()
	files, err := Load(filepath.Join(dir, name))
	var text []byte
	switch {
	case err == nil && len(files) > 0:
		for _, fn := range files[0].Functions {
			_, _ = fn.Plan() // changes the nodes, but not the result
		}
		text, err = files[0].Emit(Options{Spend: 1})
	case err == nil:
		return "" // not a program
	}
	_, want, refused := strings.Cut(source, directive+" want ")
	want, _, _ = strings.Cut(want, "\n")
	switch {
	case err != nil && strings.Contains(source, "// accepted\n"):
		t.Errorf("%s is refused: %v", name, err)
	case refused && err == nil:
		t.Errorf("%s is accepted, want a refusal with %s", name, want)
	case refused && !strings.Contains(err.Error(), want):
		t.Errorf("%s is refused with\n%v\nwant\n%s", name, err, want)
	case err != nil:
		t.Logf("%s is refused: %v", name, err)
	}
	if err != nil {
		return ""
	}
	write(t, dir, filepath.Join(name, "f_fagus.go"), text)
	of := name
	if m := method.FindStringSubmatch(source); m != nil {
		of = fmt.Sprintf("(%s%s.%s)", m[1], name, m[2])
	}
	entry = fmt.Sprintf("{name: %q, f: %s.F, on: %s.FOn, method: %v", name, of, of, of != name)
	if strings.Contains(source, "func Inputs(") {
		entry += fmt.Sprintf(", inputs: %s.Inputs", name)
	}
	if strings.Contains(source, "const Fails") {
		entry += fmt.Sprintf(", fails: %s.Fails", name)
	}
	return entry + "},\n"
}
