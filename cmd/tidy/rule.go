package main

import (
	"cmp"
	"fmt"
	"slices"
)

// rule is one check of the whole tree.
type rule struct {
	name  string
	check func(*tree) []breach // returns breaches in any order, without the rule's name
}

// breach is a place that breaks a rule.
type breach struct {
	path string // from the module root, with slashes
	line int    // from 1
	rule string
	what string
	mend string // how to fix it
}

func (b breach) String() string {
	return fmt.Sprintf("%s:%d: %s: %s; %s", b.path, b.line, b.rule, b.what, b.mend)
}

// everyFile returns the rule that checks every file by itself, tests included.
func everyFile(name string, check func(*file) []breach) rule {
	return rule{name, func(t *tree) (breaches []breach) {
		for _, p := range t.packages {
			for _, f := range p.files {
				breaches = append(breaches, check(f)...)
			}
		}
		return breaches
	}}
}

// run returns the breaches of r in t, ordered by file and line.
func (r rule) run(t *tree) []breach {
	breaches := r.check(t)
	for i := range breaches {
		breaches[i].rule = r.name
	}
	slices.SortFunc(breaches, func(a, b breach) int {
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.line, b.line), cmp.Compare(a.what, b.what))
	})
	return breaches
}
