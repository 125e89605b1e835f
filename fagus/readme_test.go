package fagus_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadmeProgram runs the program that README.md shows.
func TestReadmeProgram(t *testing.T) {
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
	out, err := exec.CommandContext(t.Context(), "go", "run", "./"+dir, "--nodes", "4").CombinedOutput()
	if err != nil || strings.Count(string(out), "sees [1 1 1 1]\n") != 4 {
		t.Errorf("the program of README.md: error %v, output\n%s", err, out)
	}
}
