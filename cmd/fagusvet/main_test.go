package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/cmd/fagusvet/rules"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/fagus/program/cmdline"
)

// beTool in the environment makes the test binary behave as the command, so that go vet can run it
// as its tool.
const beTool = "FAGUSVET_IS_THE_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(beTool) != "" {
		main()
	}
	os.Exit(m.Run())
}

// tool returns the path of the test binary, which function code runs as the command.
func tool(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// packageOf writes a package of one file into the module and returns its path.
func packageOf(t *testing.T, file string, code []byte) (path string) {
	t.Helper()
	dir, err := os.MkdirTemp("rules/testdata", "example-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.WriteFile(filepath.Join(dir, file), code, 0o666); err != nil {
		t.Fatal(err)
	}
	return "./" + filepath.ToSlash(dir)
}

// code runs a command and returns its exit code and its combined output.
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

var update = flag.Bool("update", false, "write the section of this command in docs/reference/cli.md")

var blocks = regexp.MustCompile("(?s)```(go|text)\n(.*?)```")

// TestOwnPrograms checks the programs of this repository, the program in README.md, and the
// examples of package fagus.
func TestOwnPrograms(t *testing.T) {
	longtest.Need(t)
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	program := blocks.FindSubmatch(readme)
	if program == nil {
		t.Fatal("README.md shows no program")
	}
	examples, err := os.ReadFile("../../fagus/example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	tool := tool(t)
	_, list := code(t, "go", "list", "../../apps/...")
	apps := strings.Fields(list)
	if len(apps) < 25 {
		t.Fatalf("go list: %s", list)
	}
	programs := append(apps, packageOf(t, "main.go", program[2]), packageOf(t, "example_test.go", examples))
	if exit, out := code(t, "go", slices.Concat([]string{"vet", "-vettool=" + tool}, programs)...); exit != 0 {
		t.Errorf("go vet: exit code %d\n%s", exit, out)
	}
	if exit, out := code(t, tool, programs...); exit != 0 || out != "" {
		t.Errorf("fagusvet: exit code %d\n%s", exit, out)
	}
}

// TestNoProgram: a package that does not compile has exit code 1, and the reason is printed.
func TestNoProgram(t *testing.T) {
	longtest.Third(t)
	path := packageOf(t, "main.go", []byte("package main\n\nfunc main() { undefinedThing() }\n"))
	if exit, out := code(t, tool(t), path); exit != exitLoad || !strings.Contains(out, "undefined: undefinedThing") {
		t.Errorf("exit code %d, output %q, want code %d and the name", exit, out, exitLoad)
	}
}

// TestPage checks that the programs in docs/guide/vet.md get the reports printed there, from
// fagusvet alone and under go vet. They use the real package fagus.
func TestPage(t *testing.T) {
	longtest.Third(t)
	page, err := os.ReadFile("../../docs/guide/vet.md")
	if err != nil {
		t.Fatal(err)
	}
	found := blocks.FindAllSubmatch(page, -1)
	var want, paths []string
	for pair := range slices.Chunk(found, 2) {
		if len(pair) != 2 || string(pair[0][1]) != "go" || string(pair[1][1]) != "text" {
			t.Fatalf("docs/guide/vet.md: want a report after each program; there is none after\n%s", pair[0][2])
		}
		report := string(pair[1][2])
		file, _, _ := strings.Cut(report, ":")
		paths = append(paths, packageOf(t, file, pair[0][2]))
		want = slices.AppendSeq(want, strings.Lines(report))
	}
	for _, a := range rules.Analyzers() {
		if !slices.ContainsFunc(want, func(report string) bool { return strings.Contains(report, ": "+a.Name+": ") }) {
			t.Errorf("docs/guide/vet.md shows no report of the rule %s", a.Name)
		}
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
		got := reports(out)
		slices.Sort(got)
		if slices.Sort(want); exit != call.exit || !slices.Equal(got, want) {
			t.Errorf("%q: exit code %d, want %d; reports\n%q, want\n%q; output:\n%s", call.command, exit, call.exit, got, want, out)
		}
	}
}

// reports returns the lines of out that name a file, without its folder.
func reports(out string) (lines []string) {
	for line := range strings.Lines(out) {
		if _, file, ok := strings.Cut(line, "rules/testdata/example-"); ok {
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
		{args: "help relaese", code: exitUsage, done: true, stderr: true},
		{args: "help release shard", code: exitUsage, done: true, stderr: true},
		{args: "-V=full"},
		{args: "./..."},
	} {
		var stdout, stderr bytes.Buffer
		code, done := help(strings.Fields(c.args), &stdout, &stderr)
		if code != c.code || done != c.done || stdout.Len() > 0 != c.stdout || stderr.Len() > 0 != c.stderr {
			t.Errorf("help for %q: code %d, done %v, stdout %q, stderr %q; want %+v", c.args, code, done, &stdout, &stderr, c)
		}
	}
	for _, a := range rules.Analyzers() {
		if !strings.Contains(usage(), "\n  "+a.Name+" ") {
			t.Errorf("the usage does not name the rule %s", a.Name)
		}
	}
}

// TestMistakes runs the command with wrong flags: exit code 2, and the likely name.
func TestMistakes(t *testing.T) {
	for args, want := range map[string]string{
		"-acess ./...":      "fagusvet: no flag -acess; did you mean -access?\nsee 'fagusvet --help'\n",
		"-colective=true":   "fagusvet: no flag -colective; did you mean -collective?\nsee 'fagusvet --help'\n",
		"-frobnicate ./...": "fagusvet: no flag -frobnicate\nsee 'fagusvet --help'\n",
		"help relaese":      "fagusvet: no rule \"relaese\"; did you mean 'fagusvet help release'?\n",
		"help frobnicate":   "fagusvet: no rule \"frobnicate\"; see 'fagusvet --help'\n",
	} {
		if exit, out := code(t, tool(t), strings.Fields(args)...); exit != exitUsage || out != want {
			t.Errorf("fagusvet %s: exit code %d, want %d; output\n%s\nwant\n%s", args, exit, exitUsage, out, want)
		}
	}
}

// TestPageOfCommands checks that docs/reference/cli.md describes the command as it is.
func TestPageOfCommands(t *testing.T) {
	text := "## fagusvet\n\n" + intro + "\n\nExamples:\n\n    " + strings.ReplaceAll(examples, "\n", "\n    ") + "\n\n```text\n" + details + "```\n"
	if err := cmdline.Section("../../docs/reference/cli.md", "fagusvet", text, *update); err != nil {
		t.Error(err)
	}
}

// TestPlainContext: the number of -c is decimal, as everywhere.
func TestPlainContext(t *testing.T) {
	for line, want := range map[string]string{"-c 010 ./x": "-c=10 -c=10 ./x", "--c=010 -c": "-c=10 -c", "-json -C 010": "-json -C 010", "-c 0x10": "", "-c=": ""} {
		args := strings.Fields(line)
		if err := plainContext(args); (err == nil) != (want != "") || err == nil && strings.Join(args, " ") != want {
			t.Errorf("%s: %q, %v, want %q", line, args, err, want)
		}
	}
}

// BenchmarkSmallProgram is the time of a small program that has been checked before ("again"), and
// of one that has changed since.
func BenchmarkSmallProgram(b *testing.B) {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	b.Setenv(beTool, "1")
	code, err := os.ReadFile("../../apps/examples/life/main.go")
	if err != nil {
		b.Fatal(err)
	}
	dir, err := os.MkdirTemp("rules/testdata", "example-*")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { os.RemoveAll(dir) })
	change := 0
	check := func(b *testing.B, changes bool) {
		if changes || change == 0 {
			change++
			text := fmt.Appendf(slices.Clone(code), "\nconst change%d = %d\n", change, os.Getpid())
			if err := os.WriteFile(filepath.Join(dir, "main.go"), text, 0o666); err != nil {
				b.Fatal(err)
			}
		}
		if out, err := exec.CommandContext(b.Context(), self, "./"+filepath.ToSlash(dir)).CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
	}
	check(b, true) // fills the cache
	for _, changes := range []bool{false, true} {
		b.Run(map[bool]string{false: "again", true: "changed"}[changes], func(b *testing.B) {
			for b.Loop() {
				check(b, changes)
			}
		})
	}
}
