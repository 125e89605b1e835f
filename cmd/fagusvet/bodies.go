package main

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Some calls hold a set while they run a function, their body: Do and During, and in package parts
// Fill, Step and Next. Comments of this command name only Do and During.

// heldSet returns the set that a call acquires; nil if a method of package parts makes the set.
func heldSet(c *ssa.CallCommon) ssa.Value {
	switch fagusCall(c) {
	case callDo:
		return arguments(c)[0]
	case callAcquire, callDuring:
		return arguments(c)[1]
	}
	return nil
}

// runs returns the function value that a call of Do or During runs while the rank holds the set.
// It returns nil for other calls.
func runs(c *ssa.CallCommon) ssa.Value {
	if !fagusCall(c).runs() {
		return nil
	}
	i := slices.IndexFunc(c.Args, func(arg ssa.Value) bool {
		_, is := arg.Type().Underlying().(*types.Signature)
		return is
	})
	if i < 0 {
		return nil
	}
	return c.Args[i]
}

// findBodies finds the functions that only calls of Do and During use, so that a set is held
// whenever they run.
func (m *model) findBodies() {
	m.bodies = make(map[*ssa.Function][]*ssa.Call)
	unsure := make(map[*ssa.Function]bool)
	invoked := make(map[string]bool) // names of methods called through interfaces
	for _, fn := range m.funcs {
		for instr := range instructions(fn) {
			if c, ok := instr.(ssa.CallInstruction); ok && c.Common().IsInvoke() {
				invoked[c.Common().Method.Name()] = true
			}
			m.findUses(instr, unsure)
		}
	}
	for body := range m.bodies {
		if unsure[body] || body.Parent() == nil && (m.usedOutside(body) || invoked[body.Name()]) {
			delete(m.bodies, body)
		}
	}
}

// findUses adds an instruction to the calls of a body if it is a call of Do or During, and adds the
// other functions that it uses to unsure.
func (m *model) findUses(instr ssa.Instruction, unsure map[*ssa.Function]bool) {
	if _, debug := instr.(*ssa.DebugRef); debug {
		return
	}
	operands := instr.Operands(nil)
	var body *ssa.Function
	switch instr := instr.(type) {
	case *ssa.MakeClosure:
		operands = operands[1:] // the first is the function; the closure's uses count
	case *ssa.Call:
		if body = function(runs(&instr.Call)); body != nil {
			m.bodies[body] = append(m.bodies[body], instr)
		}
	}
	for _, x := range operands {
		if f := function(*x); f != nil && f != body {
			unsure[f] = true
		}
	}
}

// usedOutside reports whether other packages may use a declared function.
func (m *model) usedOutside(fn *ssa.Function) bool {
	return fn.Object() == nil || fn.Object().Exported() && m.pkg.Name() != "main"
}

// body returns the function that a call of Do or During runs, if the function is of this package.
func (m *model) body(c *ssa.CallCommon) *ssa.Function {
	f := function(m.resolve(runs(c)))
	if f == nil || !slices.Contains(m.funcs, f) {
		return nil
	}
	return f
}
