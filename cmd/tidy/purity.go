package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// dependency is the part of the output of go list -json that purityRule reads.
type dependency struct {
	ImportPath string
	Module     *struct { // nil in the standard library
		Path string
		Main bool
	}
}

// purityRule requires that the package in dir depends on no module except the listed modules, on
// every system that we build for. The rule reports nothing if dir has no package, or for a tree in
// memory, which go list cannot see.
func purityRule(dir string, modules ...string) rule {
	return rule{"purity", func(t *tree) []breach {
		p := t.find(dir)
		if t.root == "" || p == nil || !p.library() {
			return nil
		}
		var breaches []breach
		for _, goos := range []string{"linux", "darwin", "windows"} {
			deps, err := listDeps(t.root, "./"+dir, goos)
			if err != nil {
				at := p.sources()[0].path
				return append(breaches, breach{path: at, line: 1, what: err.Error(), mend: "make it build"})
			}
			for _, b := range impure(t, deps, modules) {
				if !slices.Contains(breaches, b) {
					breaches = append(breaches, b)
				}
			}
		}
		return breaches
	}}
}

// impure returns the places where packages of this module import a package outside the listed
// modules. If only the listed modules do so, it returns one breach, in go.mod.
func impure(t *tree, deps []dependency, modules []string) []breach {
	mend := "the core depends on nothing but " + strings.Join(modules, " and ")
	var breaches, hidden []breach
	for _, d := range deps {
		if d.Module == nil || d.Module.Main || slices.Contains(modules, d.Module.Path) {
			continue
		}
		b := breach{path: "go.mod", line: 1, mend: mend,
			what: fmt.Sprintf("%s pulls in the module %s", d.ImportPath, d.Module.Path)}
		if f, im := importer(t, deps, d.ImportPath); f != nil {
			b.path, b.line = f.path, im.line
			breaches = append(breaches, b)
		} else {
			hidden = append(hidden, b)
		}
	}
	if len(breaches) == 0 && len(hidden) > 0 {
		return hidden[:1]
	}
	return breaches
}

// importer returns the place where a package of this module imports importPath. The file is nil if
// no package does.
func importer(t *tree, deps []dependency, importPath string) (*file, imported) {
	for _, d := range deps {
		dir, ours := t.own(d.ImportPath)
		if !ours || t.find(dir) == nil {
			continue
		}
		for _, f := range t.find(dir).sources() {
			for _, im := range f.imports {
				if im.path == importPath {
					return f, im
				}
			}
		}
	}
	return nil, imported{}
}

// listDeps runs go list in folder root for a package and all its dependencies, built for goos.
func listDeps(root, pattern, goos string) ([]dependency, error) {
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Module", pattern)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS="+goos)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		said := strings.Join(strings.Fields(stderr.String()), " ") // on one line
		return nil, fmt.Errorf("GOOS=%s go list %s: %w: %s", goos, pattern, err, said)
	}
	var deps []dependency
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var d dependency
		if err := dec.Decode(&d); errors.Is(err, io.EOF) {
			return deps, nil
		} else if err != nil {
			return nil, fmt.Errorf("GOOS=%s go list %s: %w", goos, pattern, err)
		}
		deps = append(deps, d)
	}
}
