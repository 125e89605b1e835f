package rules

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

const goroutineDoc = `find calls of a Node that another goroutine makes

A Node belongs to the goroutine that runs the program of its rank: only this one may acquire,
release, make arrays, and make collective calls, also by types of package parts. Other goroutines
may work on slices, and ask for Rank and Nodes. This rule reports calls in functions that a go
statement, sync.WaitGroup.Go, errgroup.Group.Go, time.AfterFunc, context.AfterFunc or an HTTP server
runs:

	go func() {
		n.Set(sum.Write()).Do(func() { sum.Slice()[0]++ }) // goroutine: Do is called by another goroutine ...
	}()

It follows the Node into functions of the main module that get it, or what has it in a field, and
functions, such as n.Update, into those that start what they get. It reports nothing in a package
that calls Node.Serialized, and misses function values in fields and slices, interfaces, and Nodes in
slices and maps.`

func goroutineAnalyzer(knowledge *analysis.Analyzer) *analysis.Analyzer {
	return newRule("goroutine", goroutineDoc, knowledge, reportGoroutines)
}

const anotherGoroutine = "%s is called by another goroutine than the rank's: a Node belongs to one goroutine; " +
	"make its calls in the one that runs the program"

func reportGoroutines(r *reporter, m *model, fn *ssa.Function) {
	if m.serialized {
		return
	}
	for instr := range instructions(fn) {
		if c, ok := instr.(*ssa.Go); ok && c.Call.StaticCallee() != nil && c.Call.StaticCallee().Parent() == nil {
			if name := m.callsNode(&c.Call); name != "" && slices.ContainsFunc(arguments(&c.Call), m.hasOuter) {
				r.reportf(c.Pos(), anotherGoroutine, name)
			}
			continue
		}
		for _, v := range m.started(instr) {
			if c := m.methodValue(v); c != nil && m.callsNode(c) != "" && m.hasOuter(arguments(c)[0]) {
				r.reportf(instr.Pos(), anotherGoroutine, m.callsNode(c))
			}
			if f := function(m.resolve(v)); f != nil && m.has(f) && !m.roots[f] {
				m.reportStarted(r, f, f, r.line(instr.Pos()))
			}
		}
	}
}

// reportStarted reports the calls of a Node from outside in a function that is within start, which
// the goroutine of line runs.
func (m *model) reportStarted(r *reporter, fn, start *ssa.Function, line int) {
	within := func(f *ssa.Function) bool {
		for ; f != nil && f != start; f = f.Parent() {
		}
		return f == start
	}
	fromOutside := func(arg ssa.Value) bool {
		at := m.outer(arg)
		if at == nil || !m.hasNode(arg) {
			return false
		}
		p, isParameter := at.(*ssa.Parameter)
		return !within(at.Parent()) || isParameter && p.Parent() == start
	}
	for instr := range instructions(fn) {
		c, ok := instr.(ssa.CallInstruction)
		if _, isGo := instr.(*ssa.Go); !ok || isGo {
			continue
		}
		if name := m.callsNode(c.Common()); name != "" && slices.ContainsFunc(arguments(c.Common()), fromOutside) {
			r.reportf(c.Pos(), "%s is called by the goroutine that line %d starts: a Node belongs to one goroutine; "+
				"make its calls in the one that runs the program", name, line)
		}
	}
	for _, inner := range fn.AnonFuncs {
		if !m.roots[inner] {
			m.reportStarted(r, inner, start, line)
		}
	}
}

func (m *model) hasOuter(arg ssa.Value) bool { return m.hasNode(arg) && m.outer(arg) != nil }

// hasNode reports whether a Node is reachable from v, or v is a set or an array, which have one.
func (m *model) hasNode(v ssa.Value) bool {
	named := namedType(v.Type())
	return isOf(fagusPath, named) || isOf(partsPath, named) || reachesNode(v.Type(), make(map[types.Type]bool))
}

// outer returns the parameter, the variable, or the call that makes an array, from which v comes;
// nil if that is not known.
func (m *model) outer(v ssa.Value) ssa.Value {
	for range maxResolve {
		if c, name := resultOf(v, 0); name == callSet { // a set has the Node
			v = arguments(&c.Call)[0]
			continue
		}
		switch x := v.(type) {
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.Field:
			v = x.X
		case *ssa.UnOp:
			if x.Op != token.MUL {
				return nil
			}
			v = x.X
		case *ssa.ChangeType:
			v = x.X
		case *ssa.FreeVar:
			variable := m.variable(x)
			if variable == nil {
				return x
			}
			if only := m.onlyStore(variable); only != nil {
				v = only
				continue
			}
			return variable
		case *ssa.Alloc:
			only := m.onlyStore(x)
			if only == nil {
				return x
			}
			v = only
		case *ssa.Parameter:
			return x
		case *ssa.Call, *ssa.Extract:
			if _, name := resultOf(v, 0); name == callNone {
				return nil
			}
			return v
		default:
			return nil
		}
	}
	return nil
}

// started returns the functions that an instruction lets other goroutines run.
func (m *model) started(instr ssa.Instruction) (list []ssa.Value) {
	c, ok := instr.(ssa.CallInstruction)
	if !ok {
		return nil
	}
	if start, ok := instr.(*ssa.Go); ok {
		return []ssa.Value{start.Call.Value}
	}
	for i, how := range m.takes(c.Common()) {
		if how&starts != 0 && i < len(c.Common().Args) {
			list = append(list, c.Common().Args[i])
		}
	}
	callee := c.Common().StaticCallee()
	if callee == nil || callee.Object() == nil || callee.Object().Pkg() == nil {
		return list
	}
	switch callee.Object().Pkg().Path() + "." + callee.Name() {
	case "sync.Go", "golang.org/x/sync/errgroup.Go", "golang.org/x/sync/errgroup.TryGo", "time.AfterFunc", "context.AfterFunc", "net/http.HandleFunc":
		return c.Common().Args
	}
	return list
}

// callsNode returns the name of a call that only the goroutine of the rank may make; "" for others.
func (m *model) callsNode(c *ssa.CallCommon) string {
	if name := fagusCall(c); name.is(ownCall) {
		return name.String()
	}
	callee := m.callee(c)
	if callee == nil {
		return ""
	}
	for i, arg := range arguments(c) {
		s := m.summaryOf(callee)
		if (m.calling[callee][i] || s != nil && slices.Contains(s.Calls, i)) && m.hasNode(arg) {
			return callee.Name() + " (which makes calls of the Node)"
		}
	}
	return ""
}

// findCalling finds the parameters through which functions make calls of a Node.
func (m *model) findCalling() {
	m.calling = make(map[*ssa.Function]map[int]bool)
	for grown := true; grown; {
		grown = false
		for _, fn := range m.funcs {
			for instr := range instructions(fn) {
				c, ok := instr.(ssa.CallInstruction)
				if !ok {
					continue
				}
				if _, isGo := instr.(*ssa.Go); isGo || m.callsNode(c.Common()) == "" {
					m.serialized = m.serialized || isSerialized(c.Common())
					continue
				}
				for _, arg := range arguments(c.Common()) {
					p, ok := m.outer(arg).(*ssa.Parameter)
					if !ok || !m.hasNode(arg) {
						continue
					}
					in, i := p.Parent(), slices.Index(p.Parent().Params, p)
					if i >= 0 && !m.calling[in][i] {
						if m.calling[in] == nil {
							m.calling[in] = make(map[int]bool)
						}
						m.calling[in][i], grown = true, true
					}
				}
			}
		}
	}
}

func isSerialized(c *ssa.CallCommon) bool {
	callee := c.StaticCallee()
	return callee != nil && callee.Name() == "Serialized" && isOf(fagusPath, receiverType(callee))
}
