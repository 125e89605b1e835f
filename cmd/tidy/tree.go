package main

import (
	"errors"
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// tree is a module's Go source, parsed.
type tree struct {
	fsys     fs.FS
	root     string // the folder of fsys on disk; empty if fsys is in memory
	module   string // the module path in go.mod
	fset     *token.FileSet
	packages []*pkg   // ordered by folder
	files    int      // number of files that parse
	broken   []breach // one for each file that does not parse
}

// pkg is the Go files of one folder, tests included.
type pkg struct {
	dir   string // from the module root; "." is the root itself
	files []*file
}

// openTree parses the module whose go.mod is in folder root.
func openTree(root string) (*tree, error) {
	t, err := loadTree(os.DirFS(root))
	if err != nil {
		return nil, err
	}
	t.root = root
	return t, nil
}

// loadTree parses the module whose go.mod is at the top of fsys.
func loadTree(fsys fs.FS) (*tree, error) {
	t := &tree{fsys: fsys, fset: token.NewFileSet()}
	gomod, err := fs.ReadFile(fsys, "go.mod")
	if err != nil {
		return nil, fmt.Errorf("tidy: %w", err)
	}
	for line := range strings.Lines(string(gomod)) {
		if name, ok := strings.CutPrefix(line, "module "); ok {
			t.module = strings.TrimSpace(name)
		}
	}
	if t.module == "" {
		return nil, errors.New("tidy: go.mod names no module")
	}
	if err := fs.WalkDir(fsys, ".", t.visit); err != nil {
		return nil, fmt.Errorf("tidy: %w", err)
	}
	slices.SortFunc(t.packages, func(a, b *pkg) int { return strings.Compare(a.dir, b.dir) })
	return t, nil
}

// visit adds one file to the tree; for a folder to be ignored it returns fs.SkipDir.
func (t *tree) visit(name string, d fs.DirEntry, err error) error {
	if err != nil {
		return err
	}
	ignored := name != "." && strings.ContainsRune("._", rune(d.Name()[0]))
	if d.IsDir() {
		if ignored || d.Name() == "testdata" || d.Name() == "vendor" || name != "." && exists(t.fsys, name+"/go.mod") {
			return fs.SkipDir
		}
		return nil
	}
	if ignored || path.Ext(name) != ".go" {
		return nil
	}
	src, err := fs.ReadFile(t.fsys, name)
	if err != nil {
		return err
	}
	// No rule needs objects, which resolve only within one file.
	syntax, err := parser.ParseFile(t.fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.broken = append(t.broken, unparsed(name, err))
		return nil
	}
	p := t.folder(path.Dir(name))
	p.files = append(p.files, newFile(t.fset, name, src, syntax))
	t.files++
	return nil
}

// unparsed returns the first syntax error of a file as a breach.
func unparsed(name string, err error) breach {
	b := breach{path: name, line: 1, what: err.Error(), mend: "no other rule sees this file"}
	var list scanner.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		b.line, b.what = list[0].Pos.Line, list[0].Msg
	}
	return b
}

// folder returns the package in dir, and creates it for the first file.
func (t *tree) folder(dir string) *pkg {
	if p := t.find(dir); p != nil {
		return p
	}
	p := &pkg{dir: dir}
	t.packages = append(t.packages, p)
	return p
}

// find returns the package in dir, or nil if dir has no Go files.
func (t *tree) find(dir string) *pkg {
	for _, p := range t.packages {
		if p.dir == dir {
			return p
		}
	}
	return nil
}

// own returns the folder of an imported package of this module.
func (t *tree) own(importPath string) (dir string, ok bool) {
	if importPath == t.module {
		return ".", true
	}
	return strings.CutPrefix(importPath, t.module+"/")
}

// within reports whether dir is top or a folder below it.
func within(dir, top string) bool {
	return dir == top || strings.HasPrefix(dir, top+"/")
}

func exists(fsys fs.FS, name string) bool {
	_, err := fs.Stat(fsys, name)
	return err == nil
}

// parseRule reports files that do not parse. No other rule sees such files.
func parseRule() rule {
	return rule{"parse", func(t *tree) []breach { return slices.Clone(t.broken) }}
}

// sources returns the files of p that are not tests.
func (p *pkg) sources() []*file {
	var fs []*file
	for _, f := range p.files {
		if !f.test {
			fs = append(fs, f)
		}
	}
	return fs
}

// library reports whether p can be imported: it has a file that is neither a test nor of package
// main.
func (p *pkg) library() bool {
	return slices.ContainsFunc(p.sources(), func(f *file) bool { return !f.command() })
}
