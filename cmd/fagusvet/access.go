package main

import (
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

const accessDoc = `find elements of shared arrays that are used while no set is held

A rank's copy of an array is current only while the rank holds a set with the array's
variable. This rule reports elements that are written or read where no set is held on any
path: after the Release, or before the Acquire.

	if err := n.Release(set); err != nil {
		return err
	}
	counts.Slice()[0]++ // access: an element of "counts" is written, but no set is held: ...

Reading data that an Update has brought is correct. The rule therefore reports a read only
if no Update can precede it: in a program passed to fagus.Run, of an array that the
function itself makes, or after a Release, of an array that the function also uses under
the set.

The rule examines functions that call Acquire or Release directly, and slices that they
get directly from Array.Slice. It does not find accesses under a set that contains a
different variable, through a slice kept in a field or captured by a closure, or after a
call that may acquire or release, such as a call of a function value.`

func accessAnalyzer(knowledge *analysis.Analyzer) *analysis.Analyzer {
	return newRule("access", accessDoc, knowledge, func(r *reporter, m *model, fn *ssa.Function) {
		if h := newHolding(m, fn); h != nil {
			reportAccesses(r, h, m.elements(fn))
		}
	})
}

func reportAccesses(r *reporter, h *holding, elements []element) {
	guarded := make(map[array]bool)
	for _, e := range elements {
		if e.array != nil && h.before(e.instr).last.within(h.acquires) {
			guarded[e.array] = true
		}
	}
	for _, e := range elements {
		at := h.before(e.instr)
		next, must := h.needsNothingHeld(e.instr)
		free := h.frees
		if must || h.m.roots[h.fn] {
			free |= atEntry
		}
		if !at.last.within(free) {
			continue
		}
		verb := "written"
		if !e.write {
			if brought(h, at, e.array, guarded[e.array]) {
				continue
			}
			verb = "read"
		}
		switch {
		case at.last&h.releases != 0:
			r.reportf(e.pos, "an element of %s is %s, but no set is held: line %d has released it",
				arrayName(e.array), verb, r.line(h.one(at.last&h.releases).Pos()))
		case must:
			r.reportf(e.pos, "an element of %s is %s, but no set is held before the %s of line %d",
				arrayName(e.array), verb, fagusCall(&next.Call), r.line(next.Pos()))
		default:
			r.reportf(e.pos, "an element of %s is %s, but no set is held", arrayName(e.array), verb)
		}
	}
}

// brought reports whether an Update may have brought the data that are read outside a tenure. The
// parameter guarded says that the function also uses the array inside a tenure.
func brought(h *holding, at standing, a array, guarded bool) bool {
	if at.updated {
		return true
	}
	if h.m.roots[h.fn] || madeIn(a, h) {
		return false
	}
	return at.last&atEntry != 0 || !guarded
}
