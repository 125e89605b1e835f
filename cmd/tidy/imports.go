package main

import (
	"fmt"
	"path"
	"slices"
)

const editPlaces = "edit places in cmd/tidy/house.go"

// importsRule checks that packages of this module import each other only as the table allows.
// Tests may import any package whose level (see storey) is not above their own: a library's test
// imports no program, and a program's test no command.
func importsRule(table []place) rule {
	return rule{"imports", func(t *tree) []breach {
		var breaches []breach
		for _, p := range t.packages {
			here, known := placeOf(table, p.dir)
			if !known {
				breaches = append(breaches, breach{path: p.files[0].path, line: 1,
					what: fmt.Sprintf("package %s is not in the table", p.dir), mend: "add it to the table: " + editPlaces})
				continue
			}
			for _, f := range p.files {
				breaches = append(breaches, wrongImports(t, f, p.dir, here)...)
			}
		}
		return breaches
	}}
}

// wrongImports returns the imports of f, in folder dir, that its place forbids.
func wrongImports(t *tree, f *file, dir string, here place) []breach {
	var breaches []breach
	for _, im := range f.imports {
		to, ours := t.own(im.path)
		if !ours || here.mayImport(to) || f.test && storey(to) <= storey(dir) {
			continue
		}
		mend := "move what is needed down, or " + editPlaces
		if f.test {
			mend = "move the test up, to the package that it needs"
		}
		breaches = append(breaches, breach{path: f.path, line: im.line,
			what: fmt.Sprintf("%s imports %s", dir, to), mend: mend})
	}
	return breaches
}

// storey returns the level of a folder: 0 for libraries, 1 for programs, 2 for commands.
func storey(dir string) int {
	switch {
	case within(dir, "cmd"):
		return 2
	case within(dir, "apps"):
		return 1
	}
	return 0
}

// placeOf returns the first row of table that matches folder dir.
func placeOf(table []place, dir string) (place, bool) {
	i := slices.IndexFunc(table, func(pl place) bool { return matches(pl.dir, dir) })
	if i < 0 {
		return place{}, false
	}
	return table[i], true
}

func (pl place) mayImport(dir string) bool {
	return slices.ContainsFunc(pl.may, func(pattern string) bool { return matches(pattern, dir) })
}

// matches is path.Match; it panics on a bad pattern, since patterns are constants of this program.
func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	if err != nil {
		panic(fmt.Sprintf("tidy: pattern %q: %v", pattern, err))
	}
	return ok
}
