package rules

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Some calls hold a set while they run a function, their body: Do and During, and some of package
// parts. Comments of this command name only Do and During.

// findBodies finds functions that only calls of Do and During use: a set is held whenever they run.
// It also finds functions that only calls such as Each and Timed use: no set is held then.
func (m *model) findBodies() {
	m.bodies = make(map[*ssa.Function][]*ssa.Call)
	m.idle = make(map[*ssa.Function][]*ssa.Call)
	unsure := make(map[*ssa.Function]bool)
	invoked := make(map[string]bool) // names of methods called through interfaces
	via := make(map[ssa.Instruction]bool)
	for _, fn := range m.funcs {
		for instr := range instructions(fn) {
			if c, ok := instr.(ssa.CallInstruction); ok && c.Common().IsInvoke() {
				invoked[c.Common().Method.Name()] = true
			}
			if c, ok := instr.(*ssa.Call); ok {
				m.findRuns(c, unsure, via)
			}
		}
	}
	for _, fn := range m.funcs {
		for instr := range instructions(fn) {
			if !via[instr] {
				findUses(instr, unsure)
			}
		}
	}
	for _, found := range []map[*ssa.Function][]*ssa.Call{m.bodies, m.idle} {
		for body := range found {
			if unsure[body] || body.Parent() == nil && (m.usedOutside(body) || invoked[body.Name()]) {
				delete(found, body)
			}
		}
	}
}

// findRuns adds a call to the calls of the functions that it runs. It adds to via the instructions
// that lead the functions to the call.
func (m *model) findRuns(c *ssa.Call, unsure map[*ssa.Function]bool, via map[ssa.Instruction]bool) {
	for _, r := range runs(&c.Call) {
		body := function(r.value)
		if body == nil {
			continue
		}
		for _, instr := range r.via {
			via[instr] = true
		}
		to, other := m.bodies, m.idle
		if r.manner != inTenure {
			to, other = other, to
		}
		to[body] = append(to[body], c)
		unsure[body] = unsure[body] || r.manner == inline || other[body] != nil
	}
}

// findUses adds the functions that an instruction uses to unsure, except those that it runs as Do
// and During do.
func findUses(instr ssa.Instruction, unsure map[*ssa.Function]bool) {
	if _, debug := instr.(*ssa.DebugRef); debug {
		return
	}
	operands := instr.Operands(nil)
	run := make(map[*ssa.Function]bool)
	switch instr := instr.(type) {
	case *ssa.MakeClosure:
		operands = operands[1:] // the first is the function; the closure's uses count
	case *ssa.Call:
		for _, r := range runs(&instr.Call) {
			run[function(r.value)] = true
		}
	}
	for _, x := range operands {
		if f := function(*x); f != nil && !run[f] {
			unsure[f] = true
		}
	}
}

// usedOutside reports whether other packages may use a declared function.
func (m *model) usedOutside(fn *ssa.Function) bool {
	return fn.Object() == nil || fn.Object().Exported() && m.pkg.Name() != "main"
}

// body returns the function that r runs, if the function is of this package.
func (m *model) body(r run) *ssa.Function {
	f := function(m.resolve(r.value))
	if f == nil || !m.has(f) {
		return nil
	}
	return f
}

// brings reports whether a function that a call runs may call Update.
func (m *model) brings(c *ssa.CallCommon) bool {
	return slices.ContainsFunc(runs(c), func(r run) bool {
		body := m.body(r)
		return body == nil || m.touching[body]
	})
}
