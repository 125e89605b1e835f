package main

import "golang.org/x/tools/go/analysis"

const accessDoc = `find elements of shared arrays that are used while no set is held

A rank's copy of an array is what it should be only while a set is held that has the
array's variable. This rule reports elements that are written or read at a point where
no set is held, whatever way led there: after the Release, or before the Acquire.

	if err := n.Release(set); err != nil {
		return err
	}
	counts.Slice()[0]++ // access: an element of "counts" is written, but no set is held: ...

To read what an Update has brought is right, so reads are reported only where none can
have come before: in a program that fagus.Run is given, or of an array that the function
has made; or after a Release, of an array that the function uses under the set, too.

It looks only at functions that call Acquire or Release themselves, at slices that they
get by Array.Slice themselves, and does not see: accesses under a set that has another
variable; a slice that is kept in a field or captured by a closure; accesses after a call
that may acquire or release, such as that of a function value.`

// accessAnalyzer is the rule access.
func accessAnalyzer(knowledge *analysis.Analyzer) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:     "access",
		Doc:      accessDoc,
		Requires: []*analysis.Analyzer{knowledge},
		Run: func(pass *analysis.Pass) (any, error) {
			m, r := pass.ResultOf[knowledge].(*model), newReporter(pass)
			for _, fn := range m.funcs {
				if h := newHolding(m, fn); h != nil {
					reportAccesses(r, h, m.elements(fn))
				}
			}
			return nil, nil
		},
	}
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

// brought says whether an Update may have brought what is read outside of a tenure.
// guarded is whether the function uses the array inside of one, too.
func brought(h *holding, at standing, a array, guarded bool) bool {
	if at.updated {
		return true
	}
	if h.m.roots[h.fn] || madeIn(a, h) {
		return false
	}
	return at.last&atEntry != 0 || !guarded
}
