package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// kindOfLines says what the code in and below a folder is. Of several folders the deepest counts.
type kindOfLines struct{ dir, kind string }

// kinds covers the whole module.
func kinds() []kindOfLines {
	const (
		core     = "core: consistency, phases, modes, parts"
		models   = "models of NICs"
		live     = "live networks"
		cluster  = "cluster and survival"
		compiler = "compiler, its run-time, and vet"
		clib     = "C library"
		programs = "programs, and package program"
		lab      = "laboratory: commands, comparisons, campaigns"
		mpi      = "message passing on any port"
		support  = "support of tests"
	)
	return []kindOfLines{
		{".", core}, {"fagus", core}, {"fagus/cluster", cluster}, {"fagus/checkpoint", cluster}, {"fagus/region", compiler}, {"fagus/program", programs},
		{"dimmnet", core}, {"dimmnet/sim", models}, {"dimmnet/live", live}, {"dimmnet/live/meshtest", support}, {"dimmnet/porttest", support}, {"dimmnet/lib", mpi},
		{"apps", programs}, {"apps/internal/apptest", support}, {"apps/reproduce", lab}, {"apps/swarm", lab}, {"apps/bench", lab}, {"apps/many", lab}, {"apps/random", lab},
		{"cmd", lab}, {"cmd/fagusc", compiler}, {"cmd/fagusvet", compiler}, {"cmd/libfagus", clib}, {"cmd/internal/csession", clib},
	}
}

// count is the number of files and their lines.
type count struct{ files, lines int }

func (c *count) add(src []byte) {
	c.files++
	c.lines += bytes.Count(src, []byte("\n"))
}

// printLines prints how many lines of Go the module has, by kind: those outside tests, which are
// not generated, then the others.
func printLines(t *tree, w io.Writer) error {
	byKind := make(map[string]*count)
	var order []string
	all := kinds()
	for _, k := range all {
		if byKind[k.kind] == nil {
			byKind[k.kind] = new(count)
			order = append(order, k.kind)
		}
	}
	var sum, generated, tests, data count
	for _, p := range t.packages {
		kind := kindOf(all, p.dir)
		for _, f := range p.files {
			switch {
			case f.test:
				tests.add(f.src)
			case ast.IsGenerated(f.syntax):
				generated.add(f.src)
			default:
				byKind[kind].add(f.src)
				sum.add(f.src)
			}
		}
	}
	err := fs.WalkDir(t.fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".go" || !strings.Contains("/"+name, "/testdata/") {
			return err
		}
		src, err := fs.ReadFile(t.fsys, name)
		data.add(src)
		return err
	})
	if err != nil {
		return fmt.Errorf("tidy: %w", err)
	}
	for _, kind := range order {
		fmt.Fprintf(w, "%7d  %s\n", byKind[kind].lines, kind)
	}
	_, err = fmt.Fprintf(w, "%7d  outside tests, in %d files\n%7d  generated\n%7d  tests, in %d files\n%7d  test data, in %d files\n",
		sum.lines, sum.files, generated.lines, tests.lines, tests.files, data.lines, data.files)
	return err
}

// kindOf returns the kind of a folder.
func kindOf(all []kindOfLines, dir string) string {
	best := slices.MaxFunc(all, func(a, b kindOfLines) int { return depth(a.dir, dir) - depth(b.dir, dir) })
	return best.kind
}

// depth is how well top fits dir: -1 if dir is not within it.
func depth(top, dir string) int {
	switch {
	case top == ".":
		return 0
	case within(dir, top):
		return len(top)
	}
	return -1
}
