package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// beTool in the environment makes the test binary the command: so none has to be linked
// for go vet, which wants one.
const beTool = "FAGUSVET_IS_THE_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(beTool) != "" {
		main()
	}
	os.Exit(m.Run())
}

// tool is the path of the command, for code.
func tool(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// packageOf writes a package of one file into the module, to be built with it, and
// returns its path.
func packageOf(t *testing.T, file string, code []byte) (path string) {
	t.Helper()
	dir, err := os.MkdirTemp("testdata", "example-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.WriteFile(filepath.Join(dir, file), code, 0o666); err != nil {
		t.Fatal(err)
	}
	return "./" + filepath.ToSlash(dir)
}

// code runs a command and returns its exit code and all that it says.
func code(t *testing.T, name string, args ...string) (int, string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env = append(os.Environ(), beTool+"=1")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0, string(out)
	case errors.As(err, &exit):
		return exit.ExitCode(), string(out)
	}
	t.Fatalf("%s %q: %v", name, args, err)
	return 0, ""
}

var blocks = regexp.MustCompile("(?s)```(go|text)\n(.*?)```")

// TestOwnPrograms holds the repository's own programs, and the one in README.md, to the
// rules.
func TestOwnPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads all programs twice")
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	program := blocks.FindSubmatch(readme)
	if program == nil {
		t.Fatal("README.md shows no program")
	}
	tool, shown := tool(t), packageOf(t, "main.go", program[2])
	if exit, out := code(t, "go", "vet", "-vettool="+tool, "../../apps/...", shown); exit != 0 {
		t.Errorf("go vet: exit code %d\n%s", exit, out)
	}
	if exit, out := code(t, tool, "../../apps/...", shown); exit != 0 || out != "" {
		t.Errorf("fagusvet: exit code %d\n%s", exit, out)
	}
}

// TestPage looks whether the rules say of the programs in docs/vet.md what stands there,
// by themselves and under go vet. These use the real package fagus.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/vet.md")
	if err != nil {
		t.Fatal(err)
	}
	found := blocks.FindAllSubmatch(page, -1)
	rules := analyzers()
	if len(found) != 2*len(rules) {
		t.Fatalf("docs/vet.md has %d programs and messages: want a pair for each of %d rules", len(found), len(rules))
	}
	var want, paths []string
	for i, a := range rules {
		paths = append(paths, packageOf(t, a.Name+".go", found[2*i][2]))
		want = append(want, string(found[2*i+1][2]))
	}
	tool := tool(t)
	for _, call := range []struct {
		command []string
		exit    int
	}{
		{[]string{tool}, 3},
		{[]string{"go", "vet", "-vettool=" + tool}, 1},
	} {
		exit, out := code(t, call.command[0], slices.Concat(call.command[1:], paths)...)
		said := said(out)
		slices.Sort(said)
		if slices.Sort(want); exit != call.exit || !slices.Equal(said, want) {
			t.Errorf("%q: exit code %d, want %d; said\n%q, want\n%q; all:\n%s", call.command, exit, call.exit, said, want, out)
		}
	}
}

// said are the lines of out about a file, without its folder.
func said(out string) (lines []string) {
	for line := range strings.Lines(out) {
		if _, file, ok := strings.Cut(line, "testdata/example-"); ok {
			_, file, _ = strings.Cut(file, "/")
			lines = append(lines, file)
		}
	}
	return lines
}

func TestHelp(t *testing.T) {
	for _, c := range []struct {
		args   string
		code   int
		done   bool
		stdout bool
		stderr bool
	}{
		{args: "", code: exitUsage, done: true, stderr: true},
		{args: "--help", done: true, stdout: true},
		{args: "-h", done: true, stdout: true},
		{args: "help", done: true, stdout: true},
		{args: "help release"},
		{args: "-V=full"},
		{args: "./..."},
	} {
		var stdout, stderr bytes.Buffer
		code, done := help(strings.Fields(c.args), &stdout, &stderr)
		if code != c.code || done != c.done || stdout.Len() > 0 != c.stdout || stderr.Len() > 0 != c.stderr {
			t.Errorf("%q: code %d, done %v, %d bytes of output, %d of errors", c.args, code, done, stdout.Len(), stderr.Len())
		}
	}
	for _, a := range analyzers() {
		if !strings.Contains(usage, "\n  "+a.Name+" ") {
			t.Errorf("the usage does not name the rule %s", a.Name)
		}
	}
}
