package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// The exit codes, as in every command of this repository.
const (
	exitClean       = 0
	exitBreach      = 1
	exitUsage       = 2
	exitEnvironment = 3
)

func main() {
	os.Exit(run(os.Args[1:], ".", os.Stdout, os.Stderr))
}

// run checks the module that contains dir and returns the exit code.
func run(args []string, dir string, stdout, stderr io.Writer) int {
	lines := len(args) == 1 && args[0] == "lines"
	if len(args) > 0 && !lines {
		fmt.Fprintln(stderr, "usage: tidy, or tidy lines, from any folder of the module")
		return exitUsage
	}
	root, err := moduleRoot(dir)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return exitEnvironment
	}
	t, err := openTree(root)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return exitEnvironment
	}
	if lines {
		if err := printLines(t, stdout); err != nil {
			fmt.Fprintln(stderr, err)
			return exitEnvironment
		}
		return exitClean
	}
	breaches := 0
	for _, r := range houseRules() {
		for _, b := range r.run(t) {
			fmt.Fprintln(stdout, b)
			breaches++
		}
	}
	if breaches > 0 {
		return exitBreach
	}
	fmt.Fprintf(stdout, "tidy: %d packages, %d files: clean\n", len(t.packages), t.files)
	return exitClean
}

// moduleRoot returns the nearest folder at or above dir that has a go.mod.
func moduleRoot(dir string) (string, error) {
	start, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("tidy: no module root: %w", err)
	}
	for at := start; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("tidy: no go.mod at or above %s", start)
		}
	}
}
