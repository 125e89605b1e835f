package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func lines(n int) string { return strings.Repeat("\t_ = 0\n", n) }

func TestRun(t *testing.T) {
	clean := source{
		"LICENSE":              "Do as you like.\n",
		"dimmnet/doc.go":       "// Package dimmnet is a contract.\npackage dimmnet\n",
		"dimmnet/port.go":      "package dimmnet\n",
		"cmd/x/main.go":        "// Command x does nothing.\npackage main\n\nfunc main() {}\n",
		"cmd/x/testdata/t.txt": "",
	}
	for name, tt := range map[string]struct {
		files          source
		args           []string
		dir            string // below the root
		code           int
		stdout, stderr string // substrings of the output; empty: no output
	}{
		"clean":        {files: clean, code: exitClean, stdout: "tidy: 2 packages, 3 files: clean\n"},
		"from below":   {files: clean, dir: "cmd/x/testdata", code: exitClean, stdout: "clean\n"},
		"breaches":     {files: sloppy(), code: exitBreach, stdout: "\nringbuf/ringbuf.go:3: imports: ringbuf imports phase; move "},
		"arguments":    {files: clean, args: []string{"./..."}, code: exitUsage, stderr: "usage: tidy"},
		"not a module": {files: source{"go.mod": "go 1.26\n"}, code: exitEnvironment, stderr: "tidy: go.mod names no module"},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			if err := os.CopyFS(root, tt.files.fs()); err != nil {
				t.Fatal(err)
			}
			var stdout, stderr bytes.Buffer
			code := run(tt.args, filepath.Join(root, tt.dir), &stdout, &stderr)
			if code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			for _, out := range []struct{ name, got, want string }{
				{"stdout", stdout.String(), tt.stdout}, {"stderr", stderr.String(), tt.stderr},
			} {
				if !strings.Contains(out.got, out.want) || out.want == "" && out.got != "" {
					t.Errorf("%s %q, want %q in it", out.name, out.got, out.want)
				}
			}
		})
	}
}

func TestModuleRoot(t *testing.T) {
	if root, err := moduleRoot(string(filepath.Separator)); err == nil {
		t.Errorf("root of the file system: module root %s, want an error", root)
	}
}
