package rules

import (
	"cmp"
	"go/token"
	"go/types"
	"maps"
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
n.Rank() (a loop over the items of a rank is no such condition), and writes in a function passed to sync.Once.Do, sync.OnceFunc or sync.OnceValue. A map
that a function looks up, and fills where nothing is found, under a lock is a cache, and right.

Where only fagus.Run with a Config without Net runs the program, ranks are goroutines for sure: then
it reports only writes that are a data race, not those under a mutex, by sync/atomic or to a channel,
and none with Nodes: 1. With a Config that is not a literal, and in tests, it is unsure.

It knows writes of functions of the main module in other packages, and of some of the standard
library (sync/atomic, fmt.Fprint to a buffer, json.Unmarshal, slices.Sort). It misses other writes
in other modules, through interfaces, and through values that a call returns.`

func variableAnalyzer(knowledge *analysis.Analyzer) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "variable", Doc: variableDoc, Requires: []*analysis.Analyzer{knowledge},
		Run: func(pass *analysis.Pass) (any, error) {
			newOutside(pass.ResultOf[knowledge].(*model)).report(newReporter(pass))
			return nil, nil
		},
	}
}

// newRanks returns the functions that every rank runs, or with some also those that only some run,
// and how the programs that reach them are run.
func newRanks(m *model, some bool) ranks {
	found := make(ranks)
	for fn, how := range m.programs {
		found.reach(m, fn, how, some)
	}
	for _, fn := range m.funcs {
		_, known := found[fn]
		if !known && slices.ContainsFunc(fn.Params, func(p *ssa.Parameter) bool { return isNode(p.Type()) }) {
			found.reach(m, fn, manyRuns{processes: !inTest(fn), here: true, many: !inTest(fn)}, some)
		}
	}
	return found
}

type ranks map[*ssa.Function]manyRuns

func inTest(fn *ssa.Function) bool {
	return strings.HasSuffix(fn.Prog.Fset.Position(fn.Pos()).Filename, "_test.go")
}

// outside finds writes to variables that are not a rank's own.
type outside struct {
	m      *model
	ranks  ranks                          // functions that every rank runs
	writes map[*ssa.Function]map[int]bool // parameters through which a function writes
}

func newOutside(m *model) *outside {
	o := &outside{m: m, ranks: newRanks(m, false), writes: make(map[*ssa.Function]map[int]bool)}
	for grown := true; grown; {
		grown = false
		for _, fn := range m.funcs {
			for instr := range instructions(fn) {
				for _, at := range o.written(instr) {
					p, ok := o.m.base(at).(*ssa.Parameter)
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

// reach adds fn and the functions that it uses; without some, not those that only some ranks use.
func (found ranks) reach(m *model, fn *ssa.Function, how manyRuns, some bool) {
	was, again := found[fn]
	how = was.join(how)
	if again && how == was || !m.has(fn) {
		return
	}
	found[fn] = how
	for instr := range instructions(fn) {
		if _, debug := instr.(*ssa.DebugRef); debug || !some && m.someRanks(instr.Block()) {
			continue
		}
		if c, ok := instr.(ssa.CallInstruction); ok && onceOnly(c.Common()) {
			continue
		}
		for _, x := range instr.Operands(nil) {
			f := function(*x)
			if _, program := m.programs[f]; f != nil && !program {
				found.reach(m, f, how, some)
			}
		}
	}
}

// onceOnly reports whether a call runs a function once in a process: with sync.Once, sync.OnceFunc,
// sync.OnceValue or sync.OnceValues.
func onceOnly(c *ssa.CallCommon) bool {
	callee := c.StaticCallee()
	if callee == nil {
		return false
	}
	object := function(callee).Object()
	return object != nil && object.Pkg() != nil && object.Pkg().Path() == "sync" && (object.Name() == "Do" || strings.HasPrefix(object.Name(), "Once"))
}

func receiverType(fn *ssa.Function) *types.Named {
	if recv := fn.Signature.Recv(); recv != nil {
		return namedType(recv.Type())
	}
	return nil
}

// someRanks reports whether a condition that chooses between ranks leads to b: one that is computed
// from the rank, but not from what a loop counts; of these, only an equality, such as i == 8.
func (m *model) someRanks(b *ssa.BasicBlock) bool {
	return m.leads(b, func(cond ssa.Value, holds bool) bool {
		if !m.ofRank(cond) {
			return false
		}
		op, compares := cond.(*ssa.BinOp)
		return !m.differs.counted(cond) || compares && (m.counts(op.X) || m.counts(op.Y)) && (op.Op == token.EQL && holds || op.Op == token.NEQ && !holds)
	})
}

// counts reports whether v is what a loop counts, or a parameter, perhaps with something added.
func (m *model) counts(v ssa.Value) bool {
	switch v := m.resolve(v).(type) {
	case *ssa.Phi, *ssa.Parameter:
		return true
	case *ssa.BinOp:
		return (v.Op == token.ADD || v.Op == token.SUB) && (m.counts(v.X) || m.counts(v.Y))
	}
	return false
}

// leads reports whether is returns true for a condition that leads to b. The condition that ends a
// loop does not lead to what follows the loop.
func (m *model) leads(b *ssa.BasicBlock, is func(cond ssa.Value, holds bool) bool) bool {
	for at := b; at.Idom() != nil; at = at.Idom() {
		from := at.Idom()
		branch, ok := from.Instrs[len(from.Instrs)-1].(*ssa.If)
		if !ok || len(at.Preds) != 1 || at == from.Succs[1] && slices.ContainsFunc(from.Preds, from.Dominates) {
			continue
		}
		if is(branch.Cond, at == from.Succs[0]) {
			return true
		}
	}
	return false
}

// write is the first write of a variable.
type write struct {
	instr ssa.Instruction
	text  string // what is wrong with it
}

const (
	raced = "%s is written by every rank: ranks that are goroutines share it, ranks that are processes have one each; " +
		"make it an array (fagus.NewGuarded), or a local variable of the program"
	ordered = "%s is written by every rank: a lock orders ranks that are goroutines, but ranks that are processes have one each; " +
		"make it an array (fagus.NewGuarded), or combine values of the ranks by fagus.Reduce"
	local = "%s is written by every rank without a lock: the ranks are goroutines, and share it; " +
		"lock a mutex, or let each rank write an element of its own, such as x[n.Rank()]"
)

// report reports the first write of each variable.
func (o *outside) report(r *reporter) {
	first := make(map[ssa.Value]write)
	for fn, how := range o.ranks {
		for instr := range instructions(fn) {
			if !how.many || !instr.Pos().IsValid() || len(o.written(instr)) == 0 && !isCall(instr) || o.m.someRanks(instr.Block()) {
				continue
			}
			w := write{instr, raced}
			switch synchronous := o.synchronous(instr, maxDeep); {
			case synchronous && (!how.processes || caches(fn, instr)):
				continue
			case synchronous:
				w.text = ordered
			case !how.processes:
				w.text = local
			}
			for _, at := range o.written(instr) {
				v := o.shared(o.m.base(at))
				if v != nil && (first[v].instr == nil || instr.Pos() < first[v].instr.Pos()) {
					first[v] = w
				}
			}
			if c, ok := instr.(*ssa.Call); ok && how.processes {
				o.reportCall(r, c)
			}
		}
	}
	found := slices.SortedFunc(maps.Keys(first), func(a, b ssa.Value) int { return cmp.Compare(first[a].instr.Pos(), first[b].instr.Pos()) })
	for _, v := range found {
		r.reportf(first[v].instr.Pos(), first[v].text, v.Name())
	}
}

func isCall(instr ssa.Instruction) bool {
	_, ok := instr.(*ssa.Call)
	return ok
}

// reportCall reports a call of another package that writes its variables.
func (o *outside) reportCall(r *reporter, c *ssa.Call) {
	callee := c.Call.StaticCallee()
	if callee == nil {
		return
	}
	if s := o.m.summaryOf(callee); s != nil && len(s.Globals) > 0 {
		r.reportf(c.Pos(), "%s writes %s on every rank: ranks that are goroutines share it, ranks that are processes have one each; "+
			"keep the value in a variable of the program, and pass it", callee.Name(), s.Globals[0])
	}
}

// globals returns the package variables that fn, and what it calls in the package, writes without a
// lock, with the name of the package.
func (o *outside) globals(fn *ssa.Function) (names []string) {
	reached := make(ranks)
	reached.reach(o.m, fn, manyRuns{processes: true}, false)
	for fn := range reached {
		for instr := range instructions(fn) {
			if len(o.written(instr)) == 0 || o.synchronous(instr, maxDeep) || o.m.someRanks(instr.Block()) {
				continue
			}
			for _, at := range o.written(instr) {
				if g, ok := o.m.base(at).(*ssa.Global); ok && !strings.HasPrefix(g.Name(), "init$") {
					names = append(names, g.Pkg.Pkg.Name()+"."+g.Name())
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
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
			if _, rank := o.ranks[fn.Parent()]; o.m.roots[fn] || !rank {
				return x
			}
			made := o.m.closures[fn]
			if made == nil {
				return nil
			}
			v = o.m.base(made.Bindings[slices.Index(fn.FreeVars, x)])
		default:
			return nil
		}
	}
	return nil
}
