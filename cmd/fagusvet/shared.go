package main

import (
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

const sharedDoc = `find elements that are written under a set that has them only Shared

Only the exclusive holder of a variable may write what it guards: what others write is
seen by nobody, and the next Acquire may overwrite it. This rule reports elements that are
written while a set is held in which nothing that guards them is Exclusive:

	set := n.Set(fagus.Want(guard, fagus.Shared))
	...
	counts.Slice()[0] = 1 // shared: an element of "counts" is written, but ...

It needs to know all Wants of the set: from one call of Set in the package, with the Wants
in its arguments or appended to a slice. If some of them are Exclusive, it needs to know
their Binds as well, and the Bind of the shared one: variables and arrays in local
variables, or in fields that are assigned once in the package. It looks at arrays as a
whole: where one variable guards a half, and another one the other half, an Exclusive
on either allows to write both. It does not see sets and variables in slices and maps,
nor modes that are computed, and has the limits of the rule access.`

// sharedAnalyzer is the rule shared.
func sharedAnalyzer(knowledge *analysis.Analyzer) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:     "shared",
		Doc:      sharedDoc,
		Requires: []*analysis.Analyzer{knowledge},
		Run: func(pass *analysis.Pass) (any, error) {
			m, r := pass.ResultOf[knowledge].(*model), newReporter(pass)
			for _, fn := range m.funcs {
				if h := newHolding(m, fn); h != nil {
					reportShared(r, h, m.elements(fn))
				}
			}
			return nil, nil
		},
	}
}

func reportShared(r *reporter, h *holding, elements []element) {
	for _, e := range elements {
		at := h.before(e.instr)
		if !e.write || !at.last.within(h.acquires) {
			continue
		}
		acquires := h.calls(at.last)
		onlyShared := func(c *ssa.Call) bool { return !h.m.mayWrite(c.Call.Args[1], e.array) }
		if slices.ContainsFunc(acquires, func(c *ssa.Call) bool { return !onlyShared(c) }) {
			continue
		}
		r.reportf(e.pos, "an element of %s is written, but the set that line %d acquires has nothing Exclusive that guards it",
			arrayName(e.array), r.line(acquires[0].Pos()))
	}
}

// mayWrite says whether the holder of a set may write elements of an array, as far as
// is known.
func (m *model) mayWrite(set ssa.Value, a array) bool {
	wants, ok := m.wants(set)
	if !ok {
		return true
	}
	exclusive, taken := 0, false
	for _, w := range wants {
		arrays, known := m.guardedBy(w.variable)
		guards := a != nil && slices.Contains(arrays, a)
		if w.shared {
			taken = taken || known && guards
			continue
		}
		exclusive++
		if !known || guards || a == nil {
			return true
		}
	}
	return exclusive > 0 && !taken
}

// sharedMode is the value of fagus.Shared, as a constant is printed.
func (m *model) sharedMode() string {
	for _, p := range m.pkg.Imports() {
		if p.Path() == fagusPath {
			return constantText(p.Scope().Lookup("Shared"))
		}
	}
	return ""
}
