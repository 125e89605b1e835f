package rules

import (
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

const sharedDoc = `find elements that are written under a set that does not permit it

Only the exclusive holder of a variable may write the data that it guards. No other rank
sees other writes, and the next Acquire may overwrite them. This rule reports elements that
are written while the held set has no variable Exclusive that guards them:

	n.Set(counts.Read()).Do(func() {
		counts.Slice()[0] = 1 // shared: an element of "counts" is written, but ...
	})

It also reports writes in the Store of parts.Queue.Each and the Do of parts.Pool.Each, if Want
requests nothing Exclusive that guards the elements, and writes to the vectors that
Vectors.Gather and AllToAll.Exchange pass to be read.

The function ready of AcquireWhen and DoWhen must only read: the rule reports writes in it, too.

The rule must know all requests of the set: one call of Set in the package, with the calls
of Want, Read and Write as arguments or appended to a slice. If some are Exclusive, it must
also know which arrays their variables and the shared variable guard: it knows that of a
Guarded, and of variables whose Bind is assigned to a local variable, or to a field that is
assigned once in the package. It treats an array as a whole: if two variables guard half of an array each,
an Exclusive on either permits writes to both halves. It does not follow sets and variables
in slices and maps or accesses that are computed, and has the limits of the rule access.`

func sharedAnalyzer(knowledge *analysis.Analyzer) *analysis.Analyzer {
	return newRule("shared", sharedDoc, knowledge, func(r *reporter, m *model, fn *ssa.Function) {
		if h := newHolding(m, fn); h != nil {
			reportShared(r, h, m.elements[fn])
		}
	})
}

func reportShared(r *reporter, h *holding, elements []element) {
	for _, e := range elements {
		holders := h.holders(h.before(e.instr))
		mayWrite := func(c *ssa.Call) bool { return h.m.mayWrite(c, e.array) }
		if waits := h.m.readyOf(h.fn); waits != nil && e.write {
			r.reportf(e.pos, "an element of %s is written by the function ready of the %s of line %d, and may be lost: let ready only read, and write while the rank holds the set afterwards",
				arrayName(e.array), fagusCall(&waits.Call), r.line(waits.Pos()))
			continue
		}
		if !e.write || holders == nil || slices.ContainsFunc(holders, mayWrite) {
			continue
		}
		r.reportf(e.pos, "an element of %s is written, but the set that line %d acquires has nothing Exclusive that guards it",
			arrayName(e.array), r.line(holders[0].Pos()))
	}
}

// readyOf returns the call of AcquireWhen or DoWhen that has fn as ready, or nil.
func (m *model) readyOf(fn *ssa.Function) *ssa.Call {
	for _, c := range m.bodies[fn] {
		name := fagusCall(&c.Call)
		if list := runs(&c.Call); (name == callAcquireWhen || name == callDoWhen) && len(list) > 0 && m.body(list[0]) == fn {
			return c
		}
	}
	return nil
}

func (m *model) mayWrite(holder *ssa.Call, a array) bool {
	if body := m.passed(a); body != nil {
		return m.sends(holder, body)
	}
	wants, ok := m.wants(holder)
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
	return exclusive > 0 && !taken && !m.lacks(holder, a)
}

// lacks reports whether certainly no variable that a call acquires guards a part of an array. Only
// arrays whose calls of NewArray or NewGuarded are known are certainly different.
func (m *model) lacks(holder *ssa.Call, a array) bool {
	wants, ok := m.wants(holder)
	if !ok || !made(a) {
		return false
	}
	return all(wants, func(w want) bool {
		arrays, known := m.guardedBy(w.variable)
		return known && all(arrays, made) && !slices.Contains(arrays, a)
	})
}

func made(a array) bool {
	_, ok := a.(*ssa.Call)
	return ok
}

// sharedAccess returns the value of the constant fagus.Shared as text.
func (m *model) sharedAccess() string {
	for _, p := range m.pkg.Imports() {
		if p.Path() == fagusPath {
			return constantText(p.Scope().Lookup("Shared"))
		}
	}
	return ""
}
