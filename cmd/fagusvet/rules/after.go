package rules

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

const afterDoc = `find values of a run that are used after the run

Arrays, slices of them, and Nodes live until the program has returned: then the memory is unmapped,
and a read of a slice crashes. This rule reports uses of them after fagus.Run, cluster.Run or
program.Main, if the program has left them in a variable that it captures, or in a package variable:

	program.Main(func(n *fagus.Node) error {
		...
		all = counts.Slice()
		return n.Barrier()
	})
	fmt.Println(all[0]) // after: all is memory of the run ...

It also reports a variable that some rank writes (each its own element, or rank 0 the variable) if
program.Main or cluster.Run runs the program, and the caller reads it afterwards. That is right on
goroutines only. With --net shm or tcp each rank writes the copy of its own process, and the process
that reads may have none of them. (The rule variable reports variables that every rank writes.)
After fagus.Run such reads are right.

It looks at the function that runs the program, and misses what functions read that it calls.`

func afterAnalyzer(knowledge *analysis.Analyzer) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "after", Doc: afterDoc, Requires: []*analysis.Analyzer{knowledge},
		Run: func(pass *analysis.Pass) (any, error) {
			m, r := pass.ResultOf[knowledge].(*model), newReporter(pass)
			if len(m.launches) > 0 {
				o := newOutside(m)
				for _, l := range m.launches {
					o.reportAfter(r, l)
				}
			}
			return nil, nil
		},
	}
}

// launch is a call that runs a program.
type launch struct {
	call    *ssa.Call
	program *ssa.Function
	how     manyRuns
}

// left is a variable outside of a program in which ranks leave something.
type left struct {
	at      ssa.Instruction
	mapped  bool // memory of the run, or an array or a Node
	results bool // a value that only some ranks write
}

func (o *outside) reportAfter(r *reporter, l launch) {
	all := make(ranks)
	all.reach(o.m, l.program, l.how, true)
	variables := make(map[ssa.Value]left)
	for fn := range all {
		for instr := range instructions(fn) {
			o.findLeft(variables, instr)
		}
	}
	for _, instr := range following(l.call) {
		for _, x := range instr.Operands(nil) {
			v, ok := variables[*x]
			if store, isStore := instr.(*ssa.Store); !ok || isStore && store.Addr == *x {
				continue
			}
			if _, closure := instr.(*ssa.MakeClosure); closure {
				continue
			}
			name, line := variableName(*x), r.line(v.at.Pos())
			at := positionOf(instr)
			switch {
			case !at.IsValid():
			case v.mapped && used(instr):
				r.reportf(at, "%s is of the run, which has ended: line %d has set it to memory or a handle of a rank; copy the data in the program, for example by Array.Copy", name, line)
				delete(variables, *x)
			case v.results && l.how.processes && !inTest(instr.Parent()) && !guarded(l, instr):
				r.reportf(at, "%s is read after the run, and written by ranks (line %d): ranks that are processes have one each, and this process may have none; "+
					"gather it on rank 0 (fagus.Reduce, fagus.Gather), and print it in the program", name, line)
				delete(variables, *x)
			}
		}
	}
}

// findLeft adds the variables outside of the program that an instruction of a rank writes.
func (o *outside) findLeft(variables map[ssa.Value]left, instr ssa.Instruction) {
	for _, at := range o.written(instr) {
		base, chosen := o.m.anyBase(at)
		var v ssa.Value
		switch b := base.(type) {
		case *ssa.Global:
			v = b
		case *ssa.FreeVar:
			if alloc := o.m.variable(b); alloc != nil {
				if _, rank := o.ranks[alloc.Parent()]; !rank || o.m.outsideOf(alloc.Parent(), instr.Parent()) {
					v = alloc
				}
			}
		}
		if v == nil {
			continue
		}
		is := variables[v]
		if store, ok := instr.(*ssa.Store); ok && o.m.ofRun(store.Val, maxResolve) {
			is.mapped, is.at = true, instr
		} else if _, every := o.ranks[instr.Parent()]; chosen || !every || o.m.someRanks(instr.Block()) {
			is.results = true
		}
		if is.at == nil {
			is.at = instr
		}
		variables[v] = is
	}
}

// outsideOf reports whether a program is between fn and inner, which is within fn.
func (m *model) outsideOf(fn, inner *ssa.Function) bool {
	for ; inner != nil && inner != fn; inner = inner.Parent() {
		if m.roots[inner] {
			return true
		}
	}
	return false
}

// ofRun reports whether v lives no longer than the run: a Node, an array, what has one, or a slice
// of an array.
func (m *model) ofRun(v ssa.Value, depth int) bool {
	if depth == 0 {
		return false
	}
	if named := namedType(v.Type()); named != nil && (isOf(fagusPath, named) || isOf(partsPath, named)) {
		switch named.Obj().Name() {
		case "Node", "Array", "Guarded", "SyncSet", "Pair", "Grid", "Blocks", "Vectors", "Table", "Whole", "Queue", "Pool", "Sums", "AllToAll":
			return true
		}
	}
	if _, slice := v.Type().Underlying().(*types.Slice); !slice {
		return false
	}
	switch v := m.resolve(v).(type) {
	case *ssa.Slice:
		return m.ofRun(v.X, depth-1)
	case *ssa.ChangeType:
		return m.ofRun(v.X, depth-1)
	case *ssa.Phi:
		return slices.ContainsFunc(v.Edges, func(e ssa.Value) bool { return m.ofRun(e, depth-1) })
	case *ssa.Call:
		callee := v.Call.StaticCallee()
		if callee == nil || fagusCall(&v.Call) == callNone {
			return false
		}
		return slices.Contains([]string{"Slice", "Part", "Mine", "Of", "Row"}, function(callee).Name()) && receiverName(function(callee).Object().(*types.Func)) != "Table"
	}
	return false
}

// following returns the instructions that can follow a call in its function.
func following(c *ssa.Call) (list []ssa.Instruction) {
	b := c.Block()
	list = append(list, b.Instrs[slices.Index(b.Instrs, ssa.Instruction(c))+1:]...)
	seen := make(map[*ssa.BasicBlock]bool)
	var add func(b *ssa.BasicBlock)
	add = func(b *ssa.BasicBlock) {
		for _, succ := range b.Succs {
			if !seen[succ] && succ != c.Block() && succ.Index > b.Index || !seen[succ] && c.Block().Dominates(succ) && succ != c.Block() {
				seen[succ] = true
				list = append(list, succ.Instrs...)
				add(succ)
			}
		}
	}
	add(b)
	return list
}

// used reports whether an instruction that loads a variable has a use other than a comparison.
func used(instr ssa.Instruction) bool {
	load, ok := instr.(*ssa.UnOp)
	if !ok {
		return true
	}
	return slices.ContainsFunc(*load.Referrers(), func(use ssa.Instruction) bool {
		switch use := use.(type) {
		case *ssa.BinOp, *ssa.DebugRef, *ssa.Store:
			return false
		case *ssa.Call:
			if b, ok := use.Call.Value.(*ssa.Builtin); ok {
				return b.Name() != "len" && b.Name() != "cap"
			}
			callee := use.Call.StaticCallee()
			return callee == nil || !isOf(fagusPath, namedType(load.Type())) || fagusCall(&use.Call) == callNone || fagusCall(&use.Call) != callOther && !slices.Contains([]call{callRank, callNodes, callMode}, fagusCall(&use.Call))
		}
		return true
	})
}

// guarded reports whether the caller of cluster.Run looks first whether it has the result: a
// condition that is not about an error leads from the run to the read.
func guarded(l launch, instr ssa.Instruction) bool {
	if callee := l.call.Call.StaticCallee(); callee == nil || callee.Pkg == nil || callee.Pkg.Pkg.Path() != clusterPath {
		return false
	}
	if load, ok := instr.(*ssa.UnOp); ok && !slices.ContainsFunc(*load.Referrers(), func(use ssa.Instruction) bool {
		_, compares := use.(*ssa.BinOp)
		return !compares
	}) {
		return true
	}
	for at := instr.Block(); at != l.call.Block() && at.Idom() != nil; at = at.Idom() {
		branch, ok := at.Idom().Instrs[len(at.Idom().Instrs)-1].(*ssa.If)
		if !ok || len(at.Preds) != 1 {
			continue
		}
		if what, _, isNil := compared(branch.Cond); !isNil || !types.Identical(what.Type(), errorType()) {
			return true
		}
	}
	return false
}

func variableName(v ssa.Value) string {
	if alloc, ok := v.(*ssa.Alloc); ok && alloc.Comment != "" {
		return alloc.Comment
	}
	return v.Name()
}

// positionOf returns the position of an instruction, or of its first use that has one.
func positionOf(instr ssa.Instruction) token.Pos {
	if v, ok := instr.(ssa.Value); ok && !instr.Pos().IsValid() && v.Referrers() != nil {
		for _, use := range *v.Referrers() {
			if at := positionOf(use); at.IsValid() {
				return at
			}
		}
	}
	return instr.Pos()
}
