package rules

import (
	"go/ast"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// model is what the rules know of a package.
type model struct {
	pkg *types.Package
	// fact is Pass.ImportObjectFact.
	fact  func(types.Object, analysis.Fact) bool
	own   string                 // the path of the main module, "" if it is not known
	funcs []*ssa.Function        // empty if the package uses neither fagus nor parts
	all   map[*ssa.Function]bool // the same
	roots map[*ssa.Function]bool // programs, which start with nothing held
	// programs says how the roots are run, and launches where.
	programs map[*ssa.Function]manyRuns
	launches []launch
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
	differs  *differing
	abilities
}

// abilities is what functions of the package do, also through functions that they call.
type abilities struct {
	exiting map[*ssa.Function]string       // they end the process, at a place
	calling map[*ssa.Function]map[int]bool // parameters through which they make calls of a Node
	made    map[*ssa.Function]map[string]bool
	taken   map[*ssa.Function][]taking // what they do with parameters that are functions
	// serialized says that several goroutines make the calls of a Node, one at a time.
	serialized bool
}

func modelAnalyzer() *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:       "fagusmodel",
		Doc:        "build the facts that the other rules share",
		ResultType: reflect.TypeFor[*model](),
		FactTypes:  []analysis.Fact{new(summary)},
		Run: func(pass *analysis.Pass) (any, error) {
			uses := slices.ContainsFunc(pass.Pkg.Imports(), func(p *types.Package) bool { return p.Path() == fagusPath || p.Path() == partsPath })
			tells := described(pass)
			if !uses && !tells {
				return new(model), nil
			}
			m := newModel(pass)
			if tells {
				m.describe(pass)
			}
			if !uses {
				return new(model), nil
			}
			return m, nil
		},
	}
}

func newModel(pass *analysis.Pass) *model {
	m := &model{pkg: pass.Pkg, fact: pass.ImportObjectFact}
	if pass.Module != nil {
		m.own = pass.Module.Path
	}
	m.funcs, m.all = functions(pass), make(map[*ssa.Function]bool)
	for _, fn := range m.funcs {
		m.all[fn] = true
	}
	m.fields = assignments(m.funcs)
	m.findClosures()
	m.findRoots()
	m.findBodies()
	m.findPassed()
	m.findTouching()
	m.differs = newDiffering(m)
	m.findElements()
	m.findTaken()
	m.findExiting()
	m.findCalling()
	m.findMade()
	return m
}

// functions builds a package and returns all its functions, including function literals in package
// variables, which belong to the synthetic init function. It does by itself what the analyzer
// buildssa does, because that one needs facts about all packages of the standard library.
func functions(pass *analysis.Pass) []*ssa.Function {
	program := ssa.NewProgram(pass.Fset, 0)
	program.SetNoReturn(func(f *types.Func) bool { return f.Pkg() != nil && ends(f.Pkg().Path()+"."+f.Name()) })
	for _, p := range pass.Pkg.Imports() {
		program.CreatePackage(p, nil, nil, true)
	}
	pkg := program.CreatePackage(pass.Pkg, pass.Files, pass.TypesInfo, false)
	pkg.Build()
	var list []*ssa.Function
	var add func(fn *ssa.Function)
	add = func(fn *ssa.Function) {
		list = append(list, fn)
		for _, f := range fn.AnonFuncs {
			add(f)
		}
	}
	for _, file := range pass.Files {
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.FuncDecl); ok {
				add(program.FuncValue(pass.TypesInfo.Defs[decl.Name].(*types.Func)))
			}
		}
	}
	for _, f := range pkg.Func("init").AnonFuncs {
		add(f)
	}
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
	return name == callRelease || name.is(free) || m.mayTouch(c)
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
		return c.Method.Pkg() != nil && !m.standard(c.Method.Pkg())
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
	foreign := callee.Pkg == nil || !m.standard(callee.Pkg.Pkg)
	return slices.ContainsFunc(c.Args, func(arg ssa.Value) bool {
		if _, isFunc := arg.Type().Underlying().(*types.Signature); isFunc {
			f := function(m.resolve(arg))
			return f == nil || f.Blocks == nil || m.touching[f]
		}
		return foreign && reachesNode(arg.Type(), make(map[types.Type]bool))
	})
}

// standard reports whether a package is of the standard library, and not of the main module.
func (m *model) standard(p *types.Package) bool {
	return standard(p) && (m.own == "" || !strings.HasPrefix(p.Path()+"/", m.own+"/"))
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
