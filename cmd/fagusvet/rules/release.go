package rules

import (
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

const releaseDoc = `find sets that are acquired and not released

A rank releases a set before its next Acquire, AcquireWhen, Do, DoWhen, During, Update, Barrier,
Fence, Reduce or Gather, before a collective operation of package parts, before it sends to or
receives from a parts.Channel, and before its program returns. So does a function that Each of parts.Queue or parts.Pool calls for a batch or a task. This rule follows every path from an Acquire and reports a
path that reaches a return, or such a call, without a Release:

	if err := n.Acquire(set); err != nil { // release: the set acquired here is still held at the return of line 12
		return err
	}
	if counts.Slice()[0] == 0 {
		return nil
	}
	return n.Release(set)

Do, DoWhen and During release their set when the function that they call returns. So do operations
of package parts: Fill and Step of Pair, Gather and Reduce of Vectors, Exchange of AllToAll,
and Each of Queue and Pool (while it calls Store or Do). The rule reports such calls, and a
Release of the set, inside a function that nothing else calls:

	set.Do(func() {
		counts.Slice()[0]++
		n.Barrier() // release: Barrier is called while the Do of line 20 holds its set: ...
	})

A path that returns an error is correct, because the run has failed. A function that only
acquires and leaves the Release to its caller is not reported, unless it is a program.
Conditions with the same text count as equal, so an Acquire and a Release under the same
condition belong together.

The rule assumes that a called function that may release releases everything. It does not
check that the released set is the acquired one, and misses paths that exist only from the
second iteration of a loop on.`

func releaseAnalyzer(knowledge *analysis.Analyzer) *analysis.Analyzer {
	return newRule("release", releaseDoc, knowledge, reportHeld)
}

func reportHeld(r *reporter, m *model, fn *ssa.Function) {
	if m.bodies[fn] != nil {
		reportBody(r, m, fn)
	}
	// Whether fn must hold no set when it returns. A function that Timed runs may.
	returns := m.roots[fn] || m.idle[fn] != nil && fagusCall(&m.idle[fn][0].Call) != callTimed
	var acquires []*ssa.Call
	for instr := range instructions(fn) {
		switch callOf(instr) {
		case callAcquire, callAcquireWhen:
			acquires = append(acquires, instr.(*ssa.Call))
		case callRelease:
			returns = true
		}
	}
	if defersRelease(m, fn) || m.bodies[fn] != nil {
		returns = false
	}
	for _, acquire := range acquires {
		w := walk{m: m, returns: returns}
		switch leak := w.after(acquire).(type) {
		case *ssa.Return:
			r.reportf(acquire.Pos(), "the set acquired here is still held at the return of line %d", r.line(returnPos(leak)))
		case *ssa.Call:
			r.reportf(acquire.Pos(), "the set acquired here is still held at the %s of line %d", fagusCall(&leak.Call), r.line(leak.Pos()))
		}
	}
}

// reportBody checks a function that Do or During runs: it begins and ends with the set held.
func reportBody(r *reporter, m *model, fn *ssa.Function) {
	holder := m.bodies[fn][0]
	held := walk{m: m}
	if call, ok := held.from(fn.Blocks[0], 0).(*ssa.Call); ok {
		name := fagusCall(&holder.Call)
		r.reportf(call.Pos(), "%s is called while the %s of line %d holds its set: call it after the %s",
			fagusCall(&call.Call), name, r.line(holder.Pos()), name)
	}
	h := newHolding(m, fn)
	if h == nil {
		return
	}
	for _, release := range h.calls(h.releases) {
		w := walk{m: m, returns: true, released: true}
		if h.before(release).last == atEntry && w.after(release) != nil {
			r.reportf(release.Pos(), "the set of the %s of line %d is released here, and again when the function has returned",
				fagusCall(&holder.Call), r.line(holder.Pos()))
		}
	}
}

func defersRelease(m *model, fn *ssa.Function) bool {
	for instr := range instructions(fn) {
		if d, ok := instr.(*ssa.Defer); ok && m.changes(&d.Call) {
			return true
		}
	}
	return false
}
