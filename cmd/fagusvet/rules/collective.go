package rules

import (
	"go/token"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

const collectiveDoc = `find collective calls that only some ranks make

All ranks call NewArray, NewGuarded, Bind, Update, Barrier, Fence, Reduce and Gather, and the
collective functions of package parts (such as NewTable, NewList, parts.Gather, Vectors.Gather,
AllToAll.Exchange, Table.Merge, Queue.Each), and Rebind, Checkpoint, Resume and Fold, in the same
order. This rule reports such a call under a condition computed from n.Rank() if ranks with the other outcome do not make the same calls:

	if n.Rank() == 0 {
		if err := n.Barrier(); err != nil { // collective: Barrier depends on the rank ...
			return err
		}
	}

It also reports such a call in a function that Each of parts.Queue or parts.Pool calls for a
batch or a task: ranks work on different numbers of them.

The rule does not report Acquire, AcquireWhen, and the methods of parts.Channel: in threaded mode a rank acquires on its own, and in
phase mode a rank that waits or has returned serves the others.

The same holds for a condition that is computed from a clock, or from random numbers that no seed
makes equal. The rule follows such values through variables, parameters, results, and fields that
are only assigned such values, and collective calls through functions of the main module, also in
other packages, and functions that they get and call. It misses calls through interfaces and through
function values in fields and slices, and in functions that make
collective calls on some ways only, unless the condition is computed from n.Rank() beside it.`

func collectiveAnalyzer(knowledge *analysis.Analyzer) *analysis.Analyzer {
	return newRule("collective", collectiveDoc, knowledge, reportCollective)
}

// collecting returns the calls that make collective calls among those that an instruction makes:
// the call itself, and calls in the functions that Do, During, Timed or Measure runs.
func (m *model) collecting(instr ssa.Instruction) (list []ssa.CallInstruction) {
	c, ok := instr.(ssa.CallInstruction)
	if _, isGo := instr.(*ssa.Go); !ok || isGo {
		return nil
	}
	callee := m.callee(c.Common())
	if fagusCall(c.Common()).is(collective) || fagusCall(c.Common()) == callNone && callee != nil && m.collects(callee) {
		list = append(list, c)
	}
	for _, r := range m.runs(c.Common()) {
		if body := m.body(r); body != nil && r.manner != alone {
			for inner := range instructions(body) {
				list = append(list, m.collecting(inner)...)
			}
		}
	}
	return list
}

// counted returns the name of a collective call. One rank may call Gather while another calls
// Reduce.
func counted(c *ssa.CallCommon) string {
	name := fagusCall(c)
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
		name := fagusCall(&each.Call)
		if callee := each.Call.StaticCallee(); name == callNone && callee != nil {
			name = call(callee.Name())
		}
		for _, run := range m.runs(&each.Call) {
			body := m.body(run)
			if c := m.methodValue(run.value); c != nil && run.manner == alone && fagusCall(c).is(collective) {
				r.reportf(each.Pos(), "%s is called by %s on each rank another number of times", fagusCall(c), name)
			}
			if body == nil || run.manner != alone {
				continue
			}
			for inner := range instructions(body) {
				for _, c := range m.collecting(inner) {
					r.reportf(c.Pos(), "%s is called in a function that the %s of line %d calls on each rank another number of times",
						m.called(c.Common()), name, r.line(each.Pos()))
				}
			}
		}
	}
}

func reportCollective(r *reporter, m *model, fn *ssa.Function) {
	reportAlone(r, m, fn)
	if !m.collects(fn) {
		return
	}
	g := newGraph(m, fn)
	for _, b := range fn.Blocks {
		branch, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok || len(g.succs[b]) != 2 {
			continue
		}
		on := m.differs.on(branch.Cond)
		if on == "" {
			continue
		}
		then, otherwise := g.ways(b.Succs[0], g.join(b)), g.ways(b.Succs[1], g.join(b))
		if then == nil || otherwise == nil || maps.Equal(then.sequences, otherwise.sequences) {
			continue
		}
		if c := firstOnly(then, otherwise); c != nil && !(m.mayMakeNone(c.Common()) && !ofPlainRank(branch.Cond, maxResolve)) {
			r.reportf(c.Pos(), "%s depends on %s (line %d): the other ranks do not make the same calls",
				m.called(c.Common()), on, r.line(conditionPos(branch)))
		}
	}
}

// mayMakeNone reports whether a call is of a function that makes collective calls or none. Whether
// it does may depend on what the condition that leads to it depends on.
func (m *model) mayMakeNone(c *ssa.CallCommon) bool {
	made, _ := m.waysThrough(c)
	return fagusCall(c) == callNone && made[""]
}

// ofPlainRank reports whether v is computed from a call of Rank in the same function, without calls
// of other functions.
func ofPlainRank(v ssa.Value, depth int) bool {
	if depth <= 0 {
		return false
	}
	switch v := v.(type) {
	case *ssa.BinOp:
		return ofPlainRank(v.X, depth-1) || ofPlainRank(v.Y, depth-1)
	case *ssa.Convert:
		return ofPlainRank(v.X, depth-1)
	case *ssa.UnOp:
		return v.Op == token.NOT && ofPlainRank(v.X, depth-1)
	case *ssa.Phi:
		return slices.ContainsFunc(v.Edges, func(e ssa.Value) bool { return ofPlainRank(e, depth-8) })
	case *ssa.Call:
		return fagusCall(&v.Call) == callRank
	}
	return false
}

// called returns the name of a collective call, or of a function and the first such call in it.
func (m *model) called(c *ssa.CallCommon) string {
	if name := fagusCall(c); name != callNone {
		return name.String()
	}
	made, _ := m.waysThrough(c)
	name := "a function"
	if callee := m.callee(c); callee != nil && callee.Parent() == nil {
		name = callee.Name()
	}
	for _, sequence := range slices.Sorted(maps.Keys(made)) {
		if first, _, ok := strings.Cut(sequence, " "); ok {
			return name + " (which calls " + call(first).String() + ")"
		}
	}
	return name
}

func firstOnly(a, b *side) ssa.CallInstruction {
	var only []ssa.CallInstruction
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
	return slices.MinFunc(only, func(x, y ssa.CallInstruction) int { return int(x.Pos() - y.Pos()) })
}

// ofRank reports whether v is computed from the rank.
func (m *model) ofRank(v ssa.Value) bool { return m.differs != nil && m.differs.on(v) == fromRank }

func conditionPos(branch *ssa.If) token.Pos {
	if branch.Cond.Pos().IsValid() {
		return branch.Cond.Pos()
	}
	return branch.Parent().Pos()
}
