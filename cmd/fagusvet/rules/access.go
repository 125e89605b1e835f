package rules

import (
	"slices"

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

It also reports elements that are read under a set that certainly has no variable that
guards them (the rule shared reports those that are written).

Reading data that an Update has brought is correct. The rule therefore reports a read only
if no Update can precede it: in a program (passed to fagus.Run, cluster.Run or
program.Main), of an array that the function itself makes, or after a Release, of an array
that the function also uses under the set.

Each of parts.Queue and parts.Pool holds nothing while a rank works on a batch or a task. The
rule reports elements that work writes: it leaves results in private memory, and Store copies
them. The vectors that Vectors.Gather and AllToAll.Exchange pass to a function are in shared
memory. The rule reports elements of them that are read after the call, through a variable
that the function has set:

	err := v.Gather(mine, func(from [][]point) { all = from })
	fmt.Println(all[0][0]) // access: an element of from is read, but no set is held: ...

The rule examines functions that call Acquire, Release, Do or During directly, functions
that only Do, During, Each and parts.Timed call, and slices that they, or the functions
around them, get directly from Array.Slice. It does not find accesses through a slice kept
in a field, or after a call that may acquire or release, such as a call of a function value.
A set certainly does not guard an array only if the rule knows its requests and the calls of
NewArray, NewGuarded or parts.NewBlocks of all arrays concerned.`

func accessAnalyzer(knowledge *analysis.Analyzer) *analysis.Analyzer {
	return newRule("access", accessDoc, knowledge, func(r *reporter, m *model, fn *ssa.Function) {
		if h := newHolding(m, fn); h != nil {
			reportAccesses(r, h, m.elements[fn])
		}
	})
}

func reportAccesses(r *reporter, h *holding, elements []element) {
	guarded := h.guarded(elements)
	for _, e := range elements {
		at := h.before(e.instr)
		if holders := h.holders(at); holders != nil {
			lacks := func(c *ssa.Call) bool { return h.m.lacks(c, e.array) }
			if !e.write && all(holders, lacks) && !h.brought(at, e.array, guarded) {
				r.reportf(e.pos, "an element of %s is read, but the set that line %d acquires has nothing that guards it",
					arrayName(e.array), r.line(holders[0].Pos()))
			}
			continue
		}
		next, must := h.needsNothingHeld(e.instr)
		free := h.frees
		if must || h.m.roots[h.fn] || h.m.idle[h.fn] != nil {
			free |= atEntry
		}
		if !at.last.within(free) {
			continue
		}
		verb := "written"
		if !e.write {
			if h.brought(at, e.array, guarded) {
				continue
			}
			verb = "read"
		}
		switch {
		case at.last&h.releases != 0:
			r.reportf(e.pos, "an element of %s is %s, but no set is held: line %d has released it",
				arrayName(e.array), verb, r.line(h.one(at.last&h.releases).Pos()))
		case at.last&h.tenures != 0:
			held := h.one(at.last & h.tenures)
			r.reportf(e.pos, "an element of %s is %s, but no set is held: the %s of line %d has released it",
				arrayName(e.array), verb, fagusCall(&held.Call), r.line(held.Pos()))
		case h.m.idle[h.fn] != nil && at.last&atEntry != 0:
			each := h.m.idle[h.fn][0]
			r.reportf(e.pos, "an element of %s is %s, but no set is held: the %s of line %d holds none while it calls this function",
				arrayName(e.array), verb, fagusCall(&each.Call), r.line(each.Pos()))
		case must:
			r.reportf(e.pos, "an element of %s is %s, but no set is held before the %s of line %d",
				arrayName(e.array), verb, fagusCall(&next.Call), r.line(next.Pos()))
		default:
			r.reportf(e.pos, "an element of %s is %s, but no set is held", arrayName(e.array), verb)
		}
	}
}

// guarded returns the arrays that the function uses under a set that may guard them, also in the
// functions that Do and During run.
func (h *holding) guarded(elements []element) map[array]bool {
	arrays := make(map[array]bool)
	add := func(a array, under []*ssa.Call) {
		lacks := func(c *ssa.Call) bool { return h.m.lacks(c, a) }
		if a != nil && under != nil && !all(under, lacks) {
			arrays[a] = true
		}
	}
	for _, e := range elements {
		add(e.array, h.holders(h.before(e.instr)))
	}
	for _, c := range h.calls(h.tenures) {
		for _, r := range runs(&c.Call) {
			if body := h.m.body(r); body != nil && r.manner == inTenure {
				for _, e := range h.m.elements[body] {
					add(e.array, []*ssa.Call{c})
				}
			}
		}
	}
	return arrays
}

// brought reports whether an Update may have brought the data that are read where the rank does not
// hold them. The parameter guarded contains the arrays that the function uses inside a tenure.
func (h *holding) brought(at standing, a array, guarded map[array]bool) bool {
	switch {
	case h.m.passed(a) != nil:
		return false
	case at.updated:
		return true
	case h.entries != nil:
		return slices.ContainsFunc(h.entries, func(c *ssa.Call) bool { return h.m.broughtTo(c, a) })
	case h.m.roots[h.fn] || madeIn(a, h):
		return false
	}
	return at.last&atEntry != 0 || !guarded[a]
}

// broughtTo reports the same for the function that a call of Do or During runs.
func (m *model) broughtTo(c *ssa.Call, a array) bool {
	if m.bodies[c.Parent()] != nil {
		return true
	}
	h := newHolding(m, c.Parent())
	if h == nil || h.before(c).last == 0 {
		return true
	}
	return h.brought(h.before(c), a, h.guarded(m.elements[c.Parent()]))
}
