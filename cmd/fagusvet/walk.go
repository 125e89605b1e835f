package main

import (
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// maxSteps bounds how many blocks are gone through for one Acquire. What is beyond is
// not reported.
const maxSteps = 5000

// walk goes all ways on from an Acquire, and looks for one where the set stays held.
type walk struct {
	m       *model
	acquire *ssa.Call
	returns bool // whether to report returns
	seen    map[string]bool
	steps   int
}

// way is one way to a block: the conditions that were decided on it, and what phis are.
type way struct {
	facts map[string]fact
	bound map[*ssa.Phi]ssa.Value
}

// start returns the instruction where the set is still held, or nil.
func (w *walk) start() ssa.Instruction {
	b := w.acquire.Block()
	from := slices.Index(b.Instrs, ssa.Instruction(w.acquire)) + 1
	return w.block(b, from, way{facts: w.m.facts(b), bound: make(map[*ssa.Phi]ssa.Value)})
}

// block goes on from an instruction of b.
func (w *walk) block(b *ssa.BasicBlock, from int, on way) ssa.Instruction {
	if w.steps++; w.steps > maxSteps {
		return nil
	}
	for _, instr := range b.Instrs[from:] {
		switch instr := instr.(type) {
		case *ssa.Call:
			switch fagusCall(&instr.Call) {
			case callRelease:
				return nil
			case callAcquire, callUpdate, callBarrier, callReduce:
				return instr
			}
			if w.m.mayTouch(&instr.Call) {
				return nil
			}
		case *ssa.Return:
			return w.end(instr, on)
		case *ssa.If:
			return w.branch(instr, on)
		}
	}
	return w.all(b, b.Succs, on)
}

// end is a return on a way: only one without an error is of interest.
func (w *walk) end(ret *ssa.Return, on way) ssa.Instruction {
	if !w.returns {
		return nil
	}
	if err := errorResult(ret); err != nil && w.nilOn(err, on) != isNil {
		return nil
	}
	return ret
}

// nilOn is what is known of an error on a way.
func (w *walk) nilOn(err ssa.Value, on way) nilness {
	n := names{m: w.m, bound: on.bound}
	if known := n.nilOf(err); known != nilUnknown {
		return known
	}
	if f, ok := on.facts["("+n.text(err)+" == nil:error)"]; ok {
		if f.holds {
			return isNil
		}
		return notNil
	}
	return nilUnknown
}

// branch goes on where the condition may lead.
func (w *walk) branch(branch *ssa.If, on way) ssa.Instruction {
	b := branch.Block()
	n := names{m: w.m, bound: on.bound}
	cond := n.value(branch.Cond)
	if c, ok := cond.(*ssa.Const); ok {
		return w.all(b, only(b, c.Value.String() == "true"), on)
	}
	if what, equal, ok := compared(cond); ok && what.Type().String() == "error" {
		if known := w.nilOn(what, on); known != nilUnknown {
			return w.all(b, only(b, equal == (known == isNil)), on)
		}
	}
	c := n.of(cond)
	if f, ok := on.facts[c.key]; ok {
		return w.all(b, only(b, f.holds != c.negate), on)
	}
	for i, succ := range b.Succs {
		decided := way{facts: maps.Clone(on.facts), bound: on.bound}
		decided.facts[c.key] = fact{holds: (i == 0) != c.negate, at: b}
		if leak := w.all(b, []*ssa.BasicBlock{succ}, decided); leak != nil {
			return leak
		}
	}
	return nil
}

// all enters the successors of b, each once for the same facts.
func (w *walk) all(b *ssa.BasicBlock, succs []*ssa.BasicBlock, on way) ssa.Instruction {
	for _, succ := range succs {
		next := way{facts: maps.Clone(on.facts), bound: maps.Clone(on.bound)}
		if succ.Dominates(b) { // round a loop: what was decided in it is open again
			maps.DeleteFunc(next.facts, func(_ string, f fact) bool { return succ.Dominates(f.at) })
		}
		old := names{m: w.m, bound: on.bound}
		for _, instr := range succ.Instrs {
			phi, ok := instr.(*ssa.Phi)
			if !ok {
				break
			}
			delete(next.bound, phi)
			if v := old.value(phi.Edges[slices.Index(succ.Preds, b)]); v != phi && !dependsOn(v, phi) {
				next.bound[phi] = v
			}
		}
		if key := next.key(succ); !w.seen[key] {
			w.seen[key] = true
			if leak := w.block(succ, 0, next); leak != nil {
				return leak
			}
		}
	}
	return nil
}

// dependsOn says whether v is computed from phi: then it belongs to the round before,
// and cannot stand for it.
func dependsOn(v ssa.Value, phi *ssa.Phi) bool {
	seen := make(map[ssa.Value]bool)
	var from func(v ssa.Value) bool
	from = func(v ssa.Value) bool {
		if v == phi {
			return true
		}
		instr, ok := v.(ssa.Instruction)
		if !ok || seen[v] {
			return false
		}
		seen[v] = true
		return slices.ContainsFunc(instr.Operands(nil), func(x *ssa.Value) bool { return *x != nil && from(*x) })
	}
	return from(v)
}

// key is the same for ways that cannot be told apart in b.
func (on way) key(b *ssa.BasicBlock) string {
	var parts []string
	for key, f := range on.facts {
		parts = append(parts, fmt.Sprint(key, f.holds))
	}
	for phi, v := range on.bound {
		parts = append(parts, phi.Name()+"="+v.Name())
	}
	slices.Sort(parts)
	return fmt.Sprint(b.Index, " ", strings.Join(parts, ";"))
}

// returnPos is where a return is, or where its function ends if it is not written.
func returnPos(ret *ssa.Return) token.Pos {
	if ret.Pos().IsValid() {
		return ret.Pos()
	}
	if syntax := ret.Parent().Syntax(); syntax != nil {
		return syntax.End() - 1
	}
	return ret.Parent().Pos()
}
