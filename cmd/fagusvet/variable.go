package main

import (
	"cmp"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

const variableDoc = `find Go variables that ranks write, and that are not the rank's own

A package variable, a variable that the program captures, and what these point to, are one for
ranks that are goroutines, and one for each rank that is a process: so a program that writes them
races on goroutines, and has other results with --net shm or tcp:

	total++ // variable: total is written by every rank ...

The rule reports the first write, send or receive of each variable in functions that a program (the
function passed to program.Main, for example) or a function with a *fagus.Node reaches.

It does not report a write that depends on the rank, such as one under n.Rank() == 0 or to element
n.Rank(), writes in a function passed to sync.Once.Do, or, in tests and where only fagus.Run runs the
program, writes in a function that locks a mutex. It misses writes in other packages, except
sync/atomic, and those through interfaces and through values that a call returns.`

func variableAnalyzer(knowledge *analysis.Analyzer) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "variable", Doc: variableDoc, Requires: []*analysis.Analyzer{knowledge},
		Run: func(pass *analysis.Pass) (any, error) {
			newOutside(pass.ResultOf[knowledge].(*model)).report(newReporter(pass))
			return nil, nil
		},
	}
}

// newRanks returns the functions that every rank runs, or with some also those that only some run.
func newRanks(m *model, some bool) ranks {
	found := make(ranks)
	for fn := range m.roots {
		found.reach(m, fn, some)
	}
	for _, fn := range m.funcs {
		if slices.ContainsFunc(fn.Params, func(p *ssa.Parameter) bool { return isNode(p.Type()) }) {
			found.reach(m, fn, some)
		}
	}
	return found
}

type ranks map[*ssa.Function]bool

// outside finds writes to variables that are not a rank's own.
type outside struct {
	m      *model
	ranks  ranks                          // functions that every rank runs
	inProc map[*ssa.Function]bool         // programs that only fagus.Run runs
	writes map[*ssa.Function]map[int]bool // parameters through which a function writes
}

func newOutside(m *model) *outside {
	o := &outside{m: m, ranks: newRanks(m, false), inProc: m.onlyRun(), writes: make(map[*ssa.Function]map[int]bool)}
	for grown := true; grown; {
		grown = false
		for _, fn := range m.funcs {
			for instr := range instructions(fn) {
				for _, at := range o.written(instr) {
					p, ok := base(at).(*ssa.Parameter)
					if i := slices.Index(fn.Params, p); ok && i >= 0 && !o.writes[fn][i] {
						if o.writes[fn] == nil {
							o.writes[fn] = make(map[int]bool)
						}
						o.writes[fn][i], grown = true, true
					}
				}
			}
		}
	}
	return o
}

func isNode(t types.Type) bool {
	p, ok := t.(*types.Pointer)
	return ok && isOf(fagusPath, namedType(p.Elem())) && namedType(p.Elem()).Obj().Name() == "Node"
}

// onlyRun returns the programs that nothing but fagus.Run runs.
func (m *model) onlyRun() map[*ssa.Function]bool {
	only := make(map[*ssa.Function]bool)
	for _, fn := range m.funcs {
		for instr := range instructions(fn) {
			program := function(m.resolve(programOf(instr)))
			if program == nil {
				continue
			}
			c, ok := instr.(*ssa.Call)
			before, known := only[program]
			only[program] = ok && c.Call.StaticCallee().Pkg.Pkg.Path() == fagusPath && (before || !known)
		}
	}
	return only
}

// reach adds fn and the functions that it uses; without some, not those that only some ranks use.
func (found ranks) reach(m *model, fn *ssa.Function, some bool) {
	if found[fn] || !slices.Contains(m.funcs, fn) {
		return
	}
	found[fn] = true
	for instr := range instructions(fn) {
		if _, debug := instr.(*ssa.DebugRef); debug || !some && someRanks(instr.Block()) {
			continue
		}
		if c, ok := instr.(ssa.CallInstruction); ok {
			if callee := c.Common().StaticCallee(); callee != nil && isOf("sync", receiverType(callee)) && callee.Name() == "Do" {
				continue // of a sync.Once
			}
		}
		for _, x := range instr.Operands(nil) {
			if f := function(*x); f != nil {
				found.reach(m, f, some)
			}
		}
	}
}

func receiverType(fn *ssa.Function) *types.Named {
	if recv := fn.Signature.Recv(); recv != nil {
		return namedType(recv.Type())
	}
	return nil
}

// someRanks reports whether a condition that is computed from the rank leads to b.
func someRanks(b *ssa.BasicBlock) bool {
	for at := b; at.Idom() != nil; at = at.Idom() {
		if branch, ok := at.Idom().Instrs[len(at.Idom().Instrs)-1].(*ssa.If); ok && len(at.Preds) == 1 && ofRank(branch.Cond, make(map[ssa.Value]bool)) {
			return true
		}
	}
	return false
}

// written returns the addresses, maps and channels that an instruction writes to.
func (o *outside) written(instr ssa.Instruction) []ssa.Value {
	switch instr := instr.(type) {
	case *ssa.Store:
		return []ssa.Value{instr.Addr}
	case *ssa.MapUpdate:
		return []ssa.Value{instr.Map}
	case *ssa.Send:
		return []ssa.Value{instr.Chan}
	case *ssa.UnOp:
		if _, ok := instr.X.Type().Underlying().(*types.Chan); ok {
			return []ssa.Value{instr.X}
		}
	case ssa.CallInstruction:
		return o.writtenBy(instr.Common())
	}
	return nil
}

func (o *outside) writtenBy(c *ssa.CallCommon) (at []ssa.Value) {
	if b, ok := c.Value.(*ssa.Builtin); ok {
		if slices.Contains([]string{"copy", "delete", "clear", "close"}, b.Name()) {
			return c.Args[:1]
		}
		return nil
	}
	callee := c.StaticCallee()
	if callee == nil {
		return nil
	}
	if callee.Pkg != nil && callee.Pkg.Pkg.Path() == "sync/atomic" && !strings.HasPrefix(callee.Name(), "Load") && len(c.Args) > 0 {
		return c.Args[:1]
	}
	callee = function(callee)
	for i, arg := range c.Args {
		if o.writes[callee][i] {
			at = append(at, arg)
		}
	}
	return at
}

// base returns the value that an address, map, slice or pointer is computed from: a global or
// captured variable, a parameter, or what else v is.
func base(v ssa.Value) ssa.Value {
	for range maxResolve {
		switch x := v.(type) {
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.IndexAddr:
			if ofRank(x.Index, make(map[ssa.Value]bool)) {
				return nil // every rank has its own element
			}
			v = x.X
		case *ssa.UnOp:
			v = x.X
		case *ssa.Slice:
			v = x.X
		case *ssa.ChangeType:
			v = x.X
		case *ssa.Lookup:
			v = x.X
		case *ssa.Alloc: // a local variable that holds a pointer, or a reference
			only := onlyAssigned(x)
			if only == nil {
				return x
			}
			v = only
		default:
			return v
		}
	}
	return v
}

// onlyAssigned returns the single reference that is stored in a local variable, or nil.
func onlyAssigned(a *ssa.Alloc) (value ssa.Value) {
	switch a.Type().(*types.Pointer).Elem().Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Slice, *types.Chan:
	default:
		return nil
	}
	for _, use := range *a.Referrers() {
		if s, ok := use.(*ssa.Store); ok && s.Addr == a {
			if value != nil {
				return nil
			}
			value = s.Val
		}
	}
	return value
}

// report reports the first write of each variable.
func (o *outside) report(r *reporter) {
	first := make(map[ssa.Value]ssa.Instruction)
	for fn := range o.ranks {
		deliberate := locks(fn) && (o.local(fn) || strings.HasSuffix(r.pass.Fset.Position(fn.Pos()).Filename, "_test.go"))
		for instr := range instructions(fn) {
			if deliberate || !instr.Pos().IsValid() || someRanks(instr.Block()) {
				continue
			}
			for _, at := range o.written(instr) {
				v := o.shared(base(at))
				if v != nil && (first[v] == nil || instr.Pos() < first[v].Pos()) {
					first[v] = instr
				}
			}
		}
	}
	found := make([]ssa.Value, 0, len(first))
	for v := range first {
		found = append(found, v)
	}
	slices.SortFunc(found, func(a, b ssa.Value) int { return cmp.Compare(first[a].Pos(), first[b].Pos()) })
	for _, v := range found {
		r.reportf(first[v].Pos(), "%s is written by every rank: ranks that are goroutines share it, ranks that are processes have one each; "+
			"make it an array (fagus.NewGuarded), or a local variable of the program", v.Name())
	}
}

// locks reports whether a function locks a mutex.
func locks(fn *ssa.Function) bool {
	for instr := range instructions(fn) {
		if c, ok := instr.(ssa.CallInstruction); ok {
			if callee := c.Common().StaticCallee(); callee != nil && callee.Name() == "Lock" && isOf("sync", receiverType(callee)) {
				return true
			}
		}
	}
	return false
}

// local reports whether fn is in a program that only fagus.Run runs.
func (o *outside) local(fn *ssa.Function) bool {
	for ; fn != nil; fn = fn.Parent() {
		if o.inProc[fn] {
			return true
		}
	}
	return false
}

// shared returns the variable that v, the base of an address, is if ranks that are goroutines share
// it; else nil.
func (o *outside) shared(v ssa.Value) ssa.Value {
	for range maxResolve {
		switch x := v.(type) {
		case *ssa.Global:
			if strings.HasPrefix(x.Name(), "init$") {
				return nil
			}
			return x
		case *ssa.Parameter:
			if o.m.roots[x.Parent()] && x == x.Parent().Params[0] && !isNode(x.Type()) {
				return x // the receiver of a program
			}
			return nil
		case *ssa.FreeVar:
			fn := x.Parent()
			if o.m.roots[fn] || !o.ranks[fn.Parent()] {
				return x
			}
			made := o.m.closures[fn]
			if made == nil {
				return nil
			}
			v = base(made.Bindings[slices.Index(fn.FreeVars, x)])
		default:
			return nil
		}
	}
	return nil
}
