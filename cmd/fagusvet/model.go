package main

import (
	"go/types"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/buildssa"
	"golang.org/x/tools/go/ssa"
)

type model struct {
	pkg   *types.Package
	funcs []*ssa.Function        // empty if the package uses neither fagus nor parts
	roots map[*ssa.Function]bool // programs, which start with nothing held
	// touching are the functions that may change which set the rank holds or which data it has.
	touching map[*ssa.Function]bool
	closures map[*ssa.Function]*ssa.MakeClosure // nil for a function made at several places
	// bodies maps functions that only Do and During call to those calls.
	bodies map[*ssa.Function][]*ssa.Call
	// idle maps functions that only run while nothing is held to the calls that run them.
	idle     map[*ssa.Function][]*ssa.Call
	passedTo map[*ssa.Parameter]*ssa.Function // see findPassed
	fields   map[*types.Var]*assignment
	elements map[*ssa.Function][]element // in source order
}

func modelAnalyzer() *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:       "fagusmodel",
		Doc:        "build the facts that the other rules share",
		Requires:   []*analysis.Analyzer{buildssa.Analyzer},
		ResultType: reflect.TypeFor[*model](),
		Run: func(pass *analysis.Pass) (any, error) {
			m := &model{pkg: pass.Pkg}
			if !slices.ContainsFunc(pass.Pkg.Imports(), func(p *types.Package) bool { return p.Path() == fagusPath || p.Path() == partsPath }) {
				return m, nil
			}
			m.funcs = functions(pass.ResultOf[buildssa.Analyzer].(*buildssa.SSA))
			m.fields = assignments(m.funcs)
			m.findClosures()
			m.findRoots()
			m.findBodies()
			m.findPassed()
			m.findTouching()
			m.findElements()
			return m, nil
		},
	}
}

// functions returns all functions of a package, including function literals in package variables,
// which belong to the synthetic init function.
func functions(program *buildssa.SSA) []*ssa.Function {
	list := slices.Clone(program.SrcFuncs)
	var literals func(fn *ssa.Function)
	literals = func(fn *ssa.Function) {
		for _, f := range fn.AnonFuncs {
			list = append(list, f)
			literals(f)
		}
	}
	literals(program.Pkg.Func("init"))
	return list
}

func (m *model) findClosures() {
	m.closures = make(map[*ssa.Function]*ssa.MakeClosure)
	for _, fn := range m.funcs {
		for instr := range instructions(fn) {
			if made, ok := instr.(*ssa.MakeClosure); ok {
				of := made.Fn.(*ssa.Function)
				if _, again := m.closures[of]; again {
					m.closures[of] = nil
				} else {
					m.closures[of] = made
				}
			}
		}
	}
}

func (m *model) findRoots() {
	m.roots = make(map[*ssa.Function]bool)
	for _, fn := range m.funcs {
		for instr := range instructions(fn) {
			if program := function(m.resolve(programOf(instr))); program != nil {
				m.roots[program] = true
			}
		}
	}
}

// programOf returns the function that an instruction passes to fagus.Run, cluster.Run or
// program.Main, or stores in program.App; nil for other instructions.
func programOf(instr ssa.Instruction) ssa.Value {
	switch instr := instr.(type) {
	case *ssa.Call:
		callee := instr.Call.StaticCallee()
		if callee == nil || callee.Pkg == nil || callee.Signature.Recv() != nil || len(instr.Call.Args) == 0 {
			return nil
		}
		switch callee.Pkg.Pkg.Path() + "." + callee.Name() {
		case fagusPath + ".Run", clusterPath + ".Run", programPath + ".Main":
			return instr.Call.Args[len(instr.Call.Args)-1]
		}
	case *ssa.Store:
		if at, ok := instr.Addr.(*ssa.FieldAddr); ok {
			if f := fieldOf(at); f != nil && f.Name() == "Run" && f.Pkg() != nil && f.Pkg().Path() == programPath {
				return instr.Val
			}
		}
	}
	return nil
}

// function returns the function that v is, as declared: the generic function for an instance, and
// the method for a method value. It returns nil if v is computed.
func function(v ssa.Value) *ssa.Function {
	var f *ssa.Function
	switch v := v.(type) {
	case *ssa.Function:
		f = v
	case *ssa.MakeClosure:
		f = v.Fn.(*ssa.Function)
	default:
		return nil
	}
	if of, ok := f.Object().(*types.Func); ok && f.Synthetic != "" {
		if declared := f.Prog.FuncValue(of.Origin()); declared != nil {
			return declared
		}
	}
	return f
}

// findTouching starts from the calls of package fagus and propagates to their callers.
func (m *model) findTouching() {
	m.touching = make(map[*ssa.Function]bool)
	for grown := true; grown; {
		grown = false
		for _, fn := range m.funcs {
			if !m.touching[fn] && m.touchingBody(fn) {
				m.touching[fn], grown = true, true
			}
		}
	}
}

func (m *model) touchingBody(fn *ssa.Function) bool {
	for instr := range instructions(fn) {
		switch instr := instr.(type) {
		case *ssa.Call:
			if m.changes(&instr.Call) {
				return true
			}
		case *ssa.Defer:
			if m.changes(&instr.Call) {
				return true
			}
		}
	}
	return false
}

// changes reports whether a call may change which set the rank holds or which data it has.
func (m *model) changes(c *ssa.CallCommon) bool {
	name := fagusCall(c)
	return name == callRelease || name.needsNothingHeld() || m.mayTouch(c)
}

// mayTouch reports whether a call outside package fagus may change which set the rank holds or
// which data it has. A function of another package can do so only if an argument gives it a Node.
func (m *model) mayTouch(c *ssa.CallCommon) bool {
	if fagusCall(c) == callMeasure {
		return m.brings(c)
	}
	if _, builtin := c.Value.(*ssa.Builtin); builtin || fagusCall(c) != callNone {
		return false
	}
	if c.IsInvoke() {
		return c.Method.Pkg() != nil && !standard(c.Method.Pkg())
	}
	callee := c.StaticCallee()
	if callee == nil {
		add, ok := m.resolve(c.Value).(*ssa.Parameter) // by which work adds a task to a Pool
		return !ok || m.idle[add.Parent()] == nil
	}
	if origin := callee.Origin(); origin != nil {
		callee = origin
	}
	if callee.Blocks != nil {
		return m.touching[callee]
	}
	foreign := callee.Pkg == nil || !standard(callee.Pkg.Pkg)
	return slices.ContainsFunc(c.Args, func(arg ssa.Value) bool {
		if _, isFunc := arg.Type().Underlying().(*types.Signature); isFunc {
			f := function(m.resolve(arg))
			return f == nil || f.Blocks == nil || m.touching[f]
		}
		return foreign && reachesNode(arg.Type(), make(map[types.Type]bool))
	})
}

func standard(p *types.Package) bool {
	first, _, _ := strings.Cut(p.Path(), "/")
	return !strings.Contains(first, ".")
}

// reachesNode reports whether a Node is reachable from a value of type t.
func reachesNode(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	if named, ok := t.(*types.Named); ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == fagusPath {
		return named.Obj().Name() == "Node"
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return reachesNode(u.Elem(), seen)
	case *types.Slice:
		return reachesNode(u.Elem(), seen)
	case *types.Array:
		return reachesNode(u.Elem(), seen)
	case *types.Map:
		return reachesNode(u.Elem(), seen)
	case *types.Signature:
		return true // a function value, which may have captured a Node
	case *types.Struct:
		for field := range u.Fields() {
			if reachesNode(field.Type(), seen) {
				return true
			}
		}
	}
	return false
}
