package main

import (
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/fagus/program/cmdline"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"fagusc": main})
}

// TestCommand runs the scripts in testdata, each a session at the shell.
func TestCommand(t *testing.T) {
	longtest.Third(t)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			e.Setenv("ROOT", root)
			e.Setenv("GOCACHE", strings.TrimSpace(string(cache)))
			for _, name := range []string{"GOPATH", "GOMODCACHE", "HOME"} {
				if v := os.Getenv(name); v != "" {
					e.Setenv(name, v)
				}
			}
			return nil
		},
	})
}

var update = flag.Bool("update", false, "write the section of this command in docs/reference/cli.md")

// TestPageOfCommands checks that docs/reference/cli.md describes the command as it is.
func TestPageOfCommands(t *testing.T) {
	tree := cmdline.New(newApp(io.Discard, io.Discard))
	if err := tree.Check(); err != nil {
		t.Fatal(err)
	}
	if err := cmdline.Section("../../docs/reference/cli.md", "fagusc", tree.Page(2), *update); err != nil {
		t.Error(err)
	}
}
