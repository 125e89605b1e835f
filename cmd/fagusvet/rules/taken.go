package rules

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// taking is what a function does with a function that it gets as an argument.
type taking uint8

const (
	starts  taking = 1 << iota // another goroutine runs it
	runsIt                     // every rank runs it, as often as the others
	runSome                    // ranks run it different numbers of times
)

// findTaken finds what functions do with their parameters that are functions.
func (m *model) findTaken() {
	m.taken = make(map[*ssa.Function][]taking)
	for _, fn := range m.funcs {
		m.taken[fn] = make([]taking, len(fn.Params))
	}
	for range maxRounds {
		grown := false
		for _, fn := range m.funcs {
			sites := make(map[*ssa.Parameter]int)
			for instr := range instructions(fn) {
				for _, v := range m.started(instr) {
					grown = m.noteStarted(v) || grown
				}
				if c, ok := instr.(*ssa.Call); ok {
					for v, how := range m.calledBy(c) {
						p, ok := m.resolve(v).(*ssa.Parameter)
						if sites[p]++; !ok || p.Parent() != fn {
							continue
						}
						if how == runsIt && m.leads(c.Block(), func(cond ssa.Value, _ bool) bool { return m.ofRank(cond) }) {
							how = runSome
						}
						if sites[p] > 1 || how == runsIt && !always(c) {
							how = 0 // perhaps one call on each way
						}
						grown = m.note(p, how) || grown
						if sites[p] > 1 {
							m.taken[fn][slices.Index(fn.Params, p)] &^= runsIt | runSome
						}
					}
				}
			}
		}
		if !grown {
			return
		}
	}
}

// note adds to what is known of a parameter, and reports whether it is new.
func (m *model) note(p *ssa.Parameter, how taking) bool {
	i := slices.Index(p.Parent().Params, p)
	if i < 0 || m.taken[p.Parent()] == nil || m.taken[p.Parent()][i]|how == m.taken[p.Parent()][i] {
		return false
	}
	m.taken[p.Parent()][i] |= how
	return true
}

// noteStarted notes that another goroutine runs v: a parameter, or a function that calls some.
func (m *model) noteStarted(v ssa.Value) (grown bool) {
	v = m.resolve(v)
	if p, ok := v.(*ssa.Parameter); ok {
		return m.note(p, starts)
	}
	f := function(v)
	if f == nil || !m.has(f) || f.Parent() == nil {
		return false
	}
	for instr := range instructions(f) {
		if c, ok := instr.(*ssa.Call); ok && !c.Call.IsInvoke() {
			if p, ok := m.resolve(c.Call.Value).(*ssa.Parameter); ok && p.Parent() != f {
				grown = m.note(p, starts) || grown
			}
		}
	}
	return grown
}

// calledBy returns the functions that a call runs, and how: what it calls, and arguments.
func (m *model) calledBy(c *ssa.Call) map[ssa.Value]taking {
	found := make(map[ssa.Value]taking)
	if !c.Call.IsInvoke() && c.Call.StaticCallee() == nil {
		found[c.Call.Value] = runsIt
	}
	for i, how := range m.takes(&c.Call) {
		if how &= runsIt | runSome; how != 0 && i < len(c.Call.Args) {
			found[c.Call.Args[i]] = how
		}
	}
	return found
}

// takes returns what a call does with its arguments.
func (m *model) takes(c *ssa.CallCommon) []taking {
	callee := c.StaticCallee()
	if callee == nil {
		return nil
	}
	if known, ok := m.taken[function(callee)]; ok {
		return known
	}
	if s := m.summaryOf(callee); s != nil {
		return s.Takes
	}
	return nil
}

// runs returns the functions that a call runs: of package fagus, parts, or the main module.
func (m *model) runs(c *ssa.CallCommon) []run {
	list := runs(c)
	for i, how := range m.takes(c) {
		switch {
		case i >= len(c.Args):
		case how&runSome != 0:
			list = append(list, run{value: c.Args[i], manner: alone})
		case how&runsIt != 0:
			list = append(list, run{value: c.Args[i], manner: together})
		}
	}
	return list
}

// always reports whether a call is on every way through its function to a return without an error,
// and on none twice.
func always(c *ssa.Call) bool {
	b := c.Block()
	if slices.ContainsFunc(b.Preds, func(p *ssa.BasicBlock) bool { return b.Dominates(p) }) {
		return false
	}
	for at := b.Idom(); at != nil; at = at.Idom() {
		if slices.ContainsFunc(at.Preds, at.Dominates) && slices.ContainsFunc(at.Preds, func(p *ssa.BasicBlock) bool { return b.Dominates(p) }) {
			return false // in a loop
		}
	}
	return !slices.ContainsFunc(b.Parent().Blocks, func(end *ssa.BasicBlock) bool {
		ret, returns := end.Instrs[len(end.Instrs)-1].(*ssa.Return)
		return returns && !b.Dominates(end) && (errorResult(ret) == nil || nilConstant(errorResult(ret)))
	})
}

func nilConstant(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.IsNil()
}

// methodValue returns the call that v, a method value such as n.Barrier, makes when it is called;
// nil for other values, and for methods of this package.
func (m *model) methodValue(v ssa.Value) *ssa.CallCommon {
	if made, ok := m.resolve(v).(*ssa.MakeClosure); ok && made.Fn.(*ssa.Function).Synthetic != "" && !m.has(function(made)) {
		return &ssa.CallCommon{Value: made}
	}
	return nil
}
