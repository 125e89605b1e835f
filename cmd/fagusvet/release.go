package main

import (
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

const releaseDoc = `find sets that are acquired and not released

A rank releases what it has acquired before its next Acquire, Update, Barrier or Reduce, and
before its program returns. This rule follows every way on from an Acquire and reports
one that comes to a return, or to such a call, without a Release:

	if err := n.Acquire(set); err != nil { // release: the set acquired here is still held at the return of line 12
		return err
	}
	if counts.Slice()[0] == 0 {
		return nil
	}
	return n.Release(set)

A way on which an error is returned is right: the run has failed. A function that only
acquires, and leaves the Release to others, is left alone, unless fagus.Run is given it.
Two conditions that are written alike count as equal, so an Acquire and a Release under
the same condition belong together.

It does not see: a Release in a function value, or in one that the function calls, of
which it believes that it releases all; whether it is the same set that is released;
loops that would have to be run through more than once.`

// releaseAnalyzer is the rule release.
func releaseAnalyzer(knowledge *analysis.Analyzer) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:     "release",
		Doc:      releaseDoc,
		Requires: []*analysis.Analyzer{knowledge},
		Run: func(pass *analysis.Pass) (any, error) {
			m, r := pass.ResultOf[knowledge].(*model), newReporter(pass)
			for _, fn := range m.funcs {
				reportHeld(r, m, fn)
			}
			return nil, nil
		},
	}
}

func reportHeld(r *reporter, m *model, fn *ssa.Function) {
	returns := m.roots[fn] // whether a return has to find nothing held
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

// defersRelease says whether fn may release when it returns.
func defersRelease(m *model, fn *ssa.Function) bool {
	for instr := range instructions(fn) {
		if d, ok := instr.(*ssa.Defer); ok && m.changes(&d.Call) {
			return true
		}
	}
	return false
}
