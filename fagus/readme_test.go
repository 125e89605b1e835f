package fagus_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/fagus/internal/guard"
)

// TestReadmeProgram runs the program that README.md shows, also checked in both modes.
func TestReadmeProgram(t *testing.T) {
	longtest.Third(t)
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile("(?s)```go\n(.*?)```").FindSubmatch(readme)
	if code == nil {
		t.Fatal("README.md shows no program")
	}
	if err := os.MkdirAll("testdata", 0o777); err != nil {
		t.Fatal(err)
	}
	// The folder is inside the module, so that the program can import fagus.
	dir, err := os.MkdirTemp("testdata", "readme-*")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "main.go"), code[1], 0o666); err != nil {
		t.Fatal(err)
	}
	hello := filepath.Join(dir, "hello")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", hello, "./"+dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	runs := [][]string{{"--nodes", "4"}}
	if guard.Supported() == nil {
		runs = append(runs, []string{"--nodes", "4", "--check"}, []string{"--nodes", "4", "--check", "--mode", "threaded"})
	}
	for _, args := range runs {
		out, err := exec.CommandContext(t.Context(), hello, args...).CombinedOutput()
		if err != nil || strings.Count(string(out), "sees [1 1 1 1]\n") != 4 {
			t.Errorf("the program of README.md with %v: error %v, output\n%s", args, err, out)
		}
	}
}
