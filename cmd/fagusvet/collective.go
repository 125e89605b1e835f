package main

import (
	"go/token"
	"maps"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

const collectiveDoc = `find collective calls that only some ranks make

All ranks call NewArray, NewGuarded, Bind, Update, Barrier, Fence, Reduce and Gather, and the
collective functions of package parts (such as NewTable, Vectors.Gather, AllToAll.Exchange,
Table.Merge, Queue.Each), in the same order. This rule reports such a call under a condition
computed from n.Rank() if ranks with the other outcome do not make the same calls:

	if n.Rank() == 0 {
		if err := n.Barrier(); err != nil { // collective: Barrier depends on the rank ...
			return err
		}
	}

It also reports such a call in a function that Each of parts.Queue or parts.Pool calls for a
batch or a task: ranks work on different numbers of them.

The rule does not report Acquire: in threaded mode a rank acquires on its own, and in
phase mode a rank that waits or has returned serves the others.

It follows the rank through the variables of one function, not through calls, fields,
slices or maps, and sees only calls that the function makes directly, or in a function that
it passes to Do, During, Measure or parts.Timed.`

func collectiveAnalyzer(knowledge *analysis.Analyzer) *analysis.Analyzer {
	return newRule("collective", collectiveDoc, knowledge, reportCollective)
}

// collective reports whether all ranks must make the call, in both modes.
func collective(c call) bool {
	switch c {
	case callNewArray, callNewGuarded, callBind, callUpdate, callBarrier, callFence, callReduce, callGather:
		return true
	}
	return c.ofParts()
}

// collectives returns the calls that all ranks must make among those that an instruction makes: the
// call itself, and the calls in the function that Do, During, Timed or Measure runs.
func (m *model) collectives(instr ssa.Instruction) []*ssa.Call {
	c, ok := instr.(*ssa.Call)
	if !ok {
		return nil
	}
	var list []*ssa.Call
	if collective(fagusCall(&c.Call)) {
		list = append(list, c)
	}
	for _, r := range runs(&c.Call) {
		if body := m.body(r); body != nil && r.manner != alone {
			list = append(list, collectivesIn(body)...)
		}
	}
	return list
}

func collectivesIn(fn *ssa.Function) (list []*ssa.Call) {
	for instr := range instructions(fn) {
		if collective(callOf(instr)) {
			list = append(list, instr.(*ssa.Call))
		}
	}
	return list
}

// counted returns the name of a collective call. One rank may call Gather while another calls
// Reduce.
func counted(c *ssa.Call) string {
	name := fagusCall(&c.Call)
	if name == callGather {
		name = callReduce
	}
	return string(name)
}

// reportAlone reports collective calls in functions that ranks run different numbers of times.
func reportAlone(r *reporter, m *model, fn *ssa.Function) {
	for instr := range instructions(fn) {
		each, ok := instr.(*ssa.Call)
		if !ok {
			continue
		}
		for _, run := range runs(&each.Call) {
			body := m.body(run)
			if body == nil || run.manner != alone {
				continue
			}
			for inner := range instructions(body) {
				for _, c := range m.collectives(inner) {
					r.reportf(c.Pos(), "%s is called in a function that the %s of line %d calls on each rank another number of times",
						fagusCall(&c.Call), fagusCall(&each.Call), r.line(each.Pos()))
				}
			}
		}
	}
}

func reportCollective(r *reporter, m *model, fn *ssa.Function) {
	reportAlone(r, m, fn)
	calls := false
	for instr := range instructions(fn) {
		calls = calls || len(m.collectives(instr)) > 0
	}
	if !calls {
		return
	}
	g := newGraph(m, fn)
	for _, b := range fn.Blocks {
		branch, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok || len(g.succs[b]) != 2 || !ofRank(branch.Cond, make(map[ssa.Value]bool)) {
			continue
		}
		then, otherwise := g.ways(b.Succs[0], g.join(b)), g.ways(b.Succs[1], g.join(b))
		if then == nil || otherwise == nil || maps.Equal(then.sequences, otherwise.sequences) {
			continue
		}
		if c := firstOnly(then, otherwise); c != nil {
			r.reportf(c.Pos(), "%s depends on the rank (line %d): the other ranks do not make the same calls",
				fagusCall(&c.Call), r.line(conditionPos(branch)))
		}
	}
}

func firstOnly(a, b *side) *ssa.Call {
	var only []*ssa.Call
	for c := range a.calls {
		if !b.calls[c] {
			only = append(only, c)
		}
	}
	for c := range b.calls {
		if !a.calls[c] {
			only = append(only, c)
		}
	}
	if len(only) == 0 {
		return nil
	}
	return slices.MinFunc(only, func(x, y *ssa.Call) int { return int(x.Pos() - y.Pos()) })
}

func ofRank(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return false
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.BinOp:
		return ofRank(v.X, seen) || ofRank(v.Y, seen)
	case *ssa.Convert:
		return ofRank(v.X, seen)
	case *ssa.ChangeType:
		return ofRank(v.X, seen)
	case *ssa.Phi:
		return slices.ContainsFunc(v.Edges, func(e ssa.Value) bool { return ofRank(e, seen) })
	case *ssa.UnOp:
		if alloc, ok := v.X.(*ssa.Alloc); ok && v.Op == token.MUL {
			return slices.ContainsFunc(*alloc.Referrers(), func(use ssa.Instruction) bool {
				store, ok := use.(*ssa.Store)
				return ok && store.Addr == alloc && ofRank(store.Val, seen)
			})
		}
		return v.Op != token.MUL && v.Op != token.ARROW && ofRank(v.X, seen)
	case *ssa.Call:
		if f, ok := v.Call.Value.(*ssa.Builtin); ok && (f.Name() == "min" || f.Name() == "max") {
			return slices.ContainsFunc(v.Call.Args, func(arg ssa.Value) bool { return ofRank(arg, seen) })
		}
		return fagusCall(&v.Call) == callRank
	}
	return false
}

func conditionPos(branch *ssa.If) token.Pos {
	if branch.Cond.Pos().IsValid() {
		return branch.Cond.Pos()
	}
	return branch.Parent().Pos()
}
