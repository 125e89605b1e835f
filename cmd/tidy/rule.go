package main

import (
	"cmp"
	"fmt"
	"slices"
)

// rule is one law of the house.
type rule struct {
	name  string
	check func(*tree) []breach // in any order, without the rule's name
}

// breach is a place where a rule is broken.
type breach struct {
	path string // from the module root, with slashes
	line int    // from 1
	rule string
	what string
	mend string // how to put it right
}

func (b breach) String() string {
	return fmt.Sprintf("%s:%d: %s: %s; %s", b.path, b.line, b.rule, b.what, b.mend)
}

// run is the breaches of r in t, in the order of files and lines.
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
