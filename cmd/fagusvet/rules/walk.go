package rules

import (
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// maxSteps bounds the blocks visited in one walk. Leaks beyond that are not reported.
const maxSteps = 5000

// walk follows the paths from a point where a set is held to a call that needs nothing held.
type walk struct {
	m        *model
	returns  bool // also find a return
	released bool // nothing is held: find only a return before the next Acquire
	seen     map[string]bool
	steps    int
}

// way is a path to a block: the conditions decided on it, and the values of phis.
type way struct {
	facts map[string]fact
	bound map[*ssa.Phi]ssa.Value
}

// after starts behind a call.
func (w *walk) after(c *ssa.Call) ssa.Instruction {
	b := c.Block()
	return w.from(b, slices.Index(b.Instrs, ssa.Instruction(c))+1)
}

func (w *walk) from(b *ssa.BasicBlock, from int) ssa.Instruction {
	w.seen = make(map[string]bool)
	return w.block(b, from, way{facts: w.m.facts(b), bound: make(map[*ssa.Phi]ssa.Value)})
}

func (w *walk) block(b *ssa.BasicBlock, from int, on way) ssa.Instruction {
	if w.steps++; w.steps > maxSteps {
		return nil
	}
	for _, instr := range b.Instrs[from:] {
		switch instr := instr.(type) {
		case *ssa.Call:
			switch name := fagusCall(&instr.Call); {
			case name == callRelease && !w.released, (name == callAcquire || name == callAcquireWhen) && w.released:
				return nil
			case name.is(free) && !w.released:
				return instr
			case w.m.mayTouch(&instr.Call):
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

func (w *walk) end(ret *ssa.Return, on way) ssa.Instruction {
	if !w.returns {
		return nil
	}
	if err := errorResult(ret); err != nil && w.nilOn(err, on) != isNil {
		return nil
	}
	return ret
}

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

// all continues at successors of b. It visits a successor once for paths with equal keys.
func (w *walk) all(b *ssa.BasicBlock, succs []*ssa.BasicBlock, on way) ssa.Instruction {
	for _, succ := range succs {
		next := way{facts: maps.Clone(on.facts), bound: maps.Clone(on.bound)}
		if succ.Dominates(b) { // a back edge: forget conditions decided inside the loop
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

// dependsOn reports whether v is computed from phi: v is then of the previous iteration.
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

// key returns a text for the path. Paths with equal texts are equivalent from b on.
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

func returnPos(ret *ssa.Return) token.Pos {
	if ret.Pos().IsValid() {
		return ret.Pos()
	}
	if syntax := ret.Parent().Syntax(); syntax != nil {
		return syntax.End() - 1
	}
	return ret.Parent().Pos()
}
