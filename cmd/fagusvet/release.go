package main

import (
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

const releaseDoc = `find sets that are acquired and not released

A rank releases a set before its next Acquire, Update, Barrier or Reduce, and before its
program returns. This rule follows every path from an Acquire and reports a path that
reaches a return, or such a call, without a Release:

	if err := n.Acquire(set); err != nil { // release: the set acquired here is still held at the return of line 12
		return err
	}
	if counts.Slice()[0] == 0 {
		return nil
	}
	return n.Release(set)

A path that returns an error is correct, because the run has failed. A function that only
acquires and leaves the Release to its caller is not reported, unless it is passed to
fagus.Run. Conditions with the same text count as equal, so an Acquire and a Release under
the same condition belong together.

The rule assumes that a called function that may release releases everything. It does not
check that the released set is the acquired one, and misses paths that exist only from the
second iteration of a loop on.`

func releaseAnalyzer(knowledge *analysis.Analyzer) *analysis.Analyzer {
	return newRule("release", releaseDoc, knowledge, reportHeld)
}

func reportHeld(r *reporter, m *model, fn *ssa.Function) {
	returns := m.roots[fn] // whether fn must hold no set when it returns
	var acquires []*ssa.Call
	for instr := range instructions(fn) {
		switch callOf(instr) {
		case callAcquire:
			acquires = append(acquires, instr.(*ssa.Call))
		case callRelease:
			returns = true
		}
	}
	if defersRelease(m, fn) {
		returns = false
	}
	for _, acquire := range acquires {
		w := walk{m: m, acquire: acquire, returns: returns, seen: make(map[string]bool)}
		switch leak := w.start().(type) {
		case *ssa.Return:
			r.reportf(acquire.Pos(), "the set acquired here is still held at the return of line %d", r.line(returnPos(leak)))
		case *ssa.Call:
			r.reportf(acquire.Pos(), "the set acquired here is still held at the %s of line %d", fagusCall(&leak.Call), r.line(leak.Pos()))
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
