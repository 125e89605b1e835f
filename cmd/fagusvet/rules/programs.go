package rules

import (
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// manyRuns says how programs are run: each field is true if some call does it so.
type manyRuns struct {
	processes bool // perhaps one process for each rank: program.Main, cluster.Run
	here      bool // all ranks in this process: fagus.Run
	many      bool // perhaps several ranks at the same time
}

// findRoots finds the programs: functions that calls of Run or Main get, directly or through the
// parameter of a function of the package.
func (m *model) findRoots() {
	m.programs = make(map[*ssa.Function]manyRuns)
	passes := make(map[*ssa.Parameter]manyRuns)
	launched := make(map[launch]bool)
	for grown := true; grown; {
		grown = false
		note := func(v ssa.Value, how manyRuns, by ssa.Instruction) {
			switch v := m.resolve(v).(type) {
			case *ssa.Parameter:
				if both := passes[v].join(how); both != passes[v] {
					passes[v], grown = both, true
				}
			default:
				if f := function(v); f != nil {
					m.programs[f] = m.programs[f].join(how)
					for _, c := range launchCalls(by) {
						launched[launch{c, f, how}] = true
					}
				}
			}
		}
		for _, fn := range m.funcs {
			for instr := range instructions(fn) {
				if v, how := m.programOf(instr); v != nil {
					note(v, how, instr)
				}
				if c, ok := instr.(ssa.CallInstruction); ok && c.Common().StaticCallee() != nil {
					callee := function(c.Common().StaticCallee())
					for i, arg := range c.Common().Args {
						if i < len(callee.Params) && passes[callee.Params[i]] != (manyRuns{}) {
							note(arg, passes[callee.Params[i]], instr)
						}
					}
				}
			}
		}
	}
	m.launches = slices.SortedFunc(maps.Keys(launched), func(a, b launch) int { return int(a.call.Pos() - b.call.Pos()) })
	m.roots = make(map[*ssa.Function]bool)
	for fn := range m.programs {
		m.roots[fn] = true
	}
}

// launchCalls returns the calls that run a program which an instruction passes on: itself, or the
// calls of Main and Execute of a program.App in whose literal it stores the program.
func launchCalls(instr ssa.Instruction) (list []*ssa.Call) {
	if c, ok := instr.(*ssa.Call); ok {
		return []*ssa.Call{c}
	}
	if _, ok := instr.(*ssa.Store); !ok {
		return nil
	}
	for other := range instructions(instr.Parent()) {
		if c, ok := other.(*ssa.Call); ok && c.Call.StaticCallee() != nil && isOf(programPath, receiverType(c.Call.StaticCallee())) {
			list = append(list, c)
		}
	}
	return list
}

func (r manyRuns) join(s manyRuns) manyRuns {
	return manyRuns{r.processes || s.processes, r.here || s.here, r.many || s.many}
}

// programOf returns the function that an instruction passes to fagus.Run, cluster.Run or
// program.Main, or stores in program.App; nil for other instructions.
func (m *model) programOf(instr ssa.Instruction) (ssa.Value, manyRuns) {
	processes := manyRuns{processes: true, many: true}
	if inTest(instr.Parent()) { // which knows the network
		processes = manyRuns{here: true}
	}
	switch instr := instr.(type) {
	case *ssa.Call:
		callee := instr.Call.StaticCallee()
		if callee == nil || callee.Pkg == nil || callee.Signature.Recv() != nil || len(instr.Call.Args) == 0 {
			return nil, manyRuns{}
		}
		program := programArgument(instr.Call.Args)
		switch callee.Pkg.Pkg.Path() + "." + callee.Name() {
		case fagusPath + ".Run":
			return program, manyRuns{here: true, many: concurrent(instr.Call.Args[1])}
		case clusterPath + ".Run", programPath + ".Main":
			return program, processes
		}
	case *ssa.Store:
		if at, ok := instr.Addr.(*ssa.FieldAddr); ok {
			if f := fieldOf(at); f != nil && f.Name() == "Run" && f.Pkg() != nil && f.Pkg().Path() == programPath {
				return instr.Val, processes
			}
		}
	}
	return nil, manyRuns{}
}

// programArgument returns the last argument that is a function, or nil.
func programArgument(args []ssa.Value) ssa.Value {
	for _, arg := range slices.Backward(args) {
		if _, ok := arg.Type().Underlying().(*types.Signature); ok {
			return arg
		}
	}
	return nil
}

// concurrent reports whether a Config certainly has several ranks that run at the same time in one
// process: a literal without a network, such as a simulated one, and without one node.
func concurrent(config ssa.Value) bool {
	fields, ok := literal(config)
	if !ok {
		return false
	}
	for _, store := range fields {
		f := fieldOf(store.Addr.(*ssa.FieldAddr))
		if f == nil || f.Name() == "Net" {
			return false
		}
		if c, isConst := store.Val.(*ssa.Const); f.Name() == "Nodes" && isConst && c.Value != nil {
			return constant.Compare(c.Value, token.NEQ, constant.MakeInt64(1))
		}
	}
	return true
}
