package rules

import (
	"golang.org/x/tools/go/ssa"
)

// maxMade bounds the sequences of collective calls of a function; one with more is not known.
const maxMade = 16

// findMade finds which sequences of collective calls each function of the package may make.
func (m *model) findMade() {
	m.made = make(map[*ssa.Function]map[string]bool)
	collecting := make(map[*ssa.Function]bool)
	for grown := true; grown; {
		grown = false
		for _, fn := range m.funcs {
			if !collecting[fn] && m.collectsWith(fn, collecting) {
				collecting[fn], grown = true, true
			}
		}
	}
	begun := make(map[*ssa.Function]bool)
	for _, fn := range m.funcs {
		if !collecting[fn] {
			m.made[fn] = map[string]bool{"": true}
			begun[fn] = true
		}
	}
	for _, fn := range m.funcs {
		m.findMadeBy(fn, begun)
	}
}

// findMadeBy finds the sequences of fn, and before that those of the functions that it calls. A
// function that calls itself is not known.
func (m *model) findMadeBy(fn *ssa.Function, begun map[*ssa.Function]bool) {
	if begun[fn] {
		return
	}
	begun[fn] = true
	for instr := range instructions(fn) {
		c, ok := instr.(ssa.CallInstruction)
		if !ok {
			continue
		}
		if callee := m.callee(c.Common()); callee != nil {
			m.findMadeBy(callee, begun)
		}
		for _, r := range m.runs(c.Common()) {
			if body := m.body(r); body != nil {
				m.findMadeBy(body, begun)
			}
		}
	}
	if len(fn.Blocks) == 0 {
		return
	}
	if all := newGraph(m, fn).ways(fn.Blocks[0], nil); all != nil && len(all.sequences) <= maxMade {
		m.made[fn] = all.sequences
	}
}

// collectsWith reports whether fn makes collective calls, if the functions in known do.
func (m *model) collectsWith(fn *ssa.Function, known map[*ssa.Function]bool) bool {
	for instr := range instructions(fn) {
		c, ok := instr.(ssa.CallInstruction)
		if !ok {
			continue
		}
		if fagusCall(c.Common()).is(collective) {
			return true
		}
		if callee := m.callee(c.Common()); callee != nil {
			if s := m.summaryOf(callee); known[callee] || s != nil && (s.Unsure || len(s.Made) > 0) {
				return true
			}
		}
		for _, r := range m.runs(c.Common()) {
			if body := m.body(r); body != nil && r.manner != alone && known[body] {
				return true
			}
		}
	}
	return false
}

// collects reports whether fn may make collective calls.
func (m *model) collects(fn *ssa.Function) bool {
	made, sure := m.waysOf(fn)
	return !sure || len(made) != 1 || !made[""]
}

// waysOf returns the sequences of collective calls that a function may make, one for each way
// through it: the names of the calls, each with a space behind it. sure is false if they are not
// known.
func (m *model) waysOf(fn *ssa.Function) (made map[string]bool, sure bool) {
	if m.has(fn) {
		made, sure = m.made[fn]
		return made, sure
	}
	s := m.summaryOf(fn)
	if s == nil || len(s.Made) == 0 {
		return map[string]bool{"": true}, s == nil || !s.Unsure
	}
	made = make(map[string]bool)
	for _, sequence := range s.Made {
		made[sequence] = true
	}
	return made, true
}

// waysThrough returns the sequences of collective calls that a call makes.
func (m *model) waysThrough(c *ssa.CallCommon) (made map[string]bool, sure bool) {
	name := fagusCall(c)
	made = map[string]bool{"": true}
	if callee := m.callee(c); name == callNone && callee != nil {
		if made, sure = m.waysOf(callee); !sure {
			return nil, false
		}
	}
	if name.is(collective) {
		made = map[string]bool{counted(c) + " ": true}
	}
	for _, r := range m.runs(c) {
		body := m.body(r)
		if body == nil || r.manner == alone {
			continue
		}
		inner, sure := m.waysOf(body)
		if !sure {
			return nil, false
		}
		both := make(map[string]bool)
		for before := range made {
			for after := range inner {
				both[before+after] = true
			}
		}
		made = both
	}
	return made, true
}

// callee returns the function that a call calls, also through a local variable; nil if that is not
// known.
func (m *model) callee(c *ssa.CallCommon) *ssa.Function {
	if c.IsInvoke() {
		return nil
	}
	if callee := c.StaticCallee(); callee != nil {
		return function(callee)
	}
	return function(m.resolve(c.Value))
}

// has reports whether a function is of this package.
func (m *model) has(fn *ssa.Function) bool { return m.all[fn] }
