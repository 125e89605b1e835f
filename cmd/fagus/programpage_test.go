package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/apps/examples"
)

// programPage is the guide to programs of one's own.
const programPage = "../../docs/guide/program.md"

// commandsOf returns a shell script of the indented lines of a page.
func commandsOf(page string) (script string, err error) {
	text, err := os.ReadFile(page)
	if err != nil {
		return "", err
	}
	script = "set -e\n"
	program := false // in a block of Go
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "```") {
			program = !program
		}
		command, ok := strings.CutPrefix(line, "    ")
		if !ok || program {
			continue
		}
		command, _, _ = strings.Cut(command, "#")
		command = strings.TrimSpace(command)
		script += fmt.Sprintf("echo '+ %s'\n", command)
		if strings.HasPrefix(command, "mpirun") {
			command = "if command -v mpirun >/dev/null; then " + command + " --oversubscribe; else echo skipped: mpirun is not installed; fi"
			command = strings.Replace(command, " ./digits --oversubscribe", " --oversubscribe ./digits", 1)
		}
		script += command + "\n"
	}
	return script, nil
}

// TestProgramPage checks that the page shows the program that fagus new writes. The script
// programpage runs the commands of the page.
func TestProgramPage(t *testing.T) {
	page, err := os.ReadFile(programPage)
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.FromSlash("internal/newprogram/template/main.go.tmpl"))
	if err != nil {
		t.Fatal(err)
	}
	source = bytes.ReplaceAll(source, []byte("{{.Name}}"), []byte("digits"))
	if !bytes.Contains(page, append([]byte("```go\n"), append(source, "```\n"...)...)) {
		t.Errorf("%s does not show main.go as fagus new writes it: copy it from internal/newprogram/template", programPage)
	}
	all, err := examples.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if row := fmt.Sprintf("\n| [%s](../../apps/examples/%[1]s/main.go) | ", e.Name); !bytes.Contains(page, []byte(row)) {
			t.Errorf("the table of examples in %s has no row %q", programPage, row)
		}
	}
	script, err := commandsOf(programPage)
	if n := strings.Count(script, "\necho '+ "); err != nil || n < 20 {
		t.Errorf("%d commands, %v:\n%s", n, err, script)
	}
}
