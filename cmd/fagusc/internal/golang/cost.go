package golang

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/loops"
)

// choice writes the choice between one rank and all, if the cost of both can be predicted: rank 0
// calls the sequential function, and tells the others its results.
func (e *emitter) choice() {
	if !e.choosable() {
		return
	}
	cost, alone := e.unique("cost"), e.unique("alone")
	e.printf("\n// Small problems are faster on one rank.\n%s := region.NewCost(%s)\n", cost, e.prog)
	for _, a := range e.arrays {
		if !a.Local {
			rows := ""
			if a.columns != "" {
				rows = "Rows"
			}
			e.printf("region.Copied%s(%s, %s, %t)\n", rows, cost, a.Name, e.Written[a.Array])
		}
	}
	e.costs(costWriter{e, cost}, e.Body)
	e.printf("var %[1]s bool\nif %[1]s, %[2]s = %[3]s.Alone(); %[2]s != nil {\nreturn\n} else if %[1]s {\n%[4]s.Close()\n", alone, e.err, cost, e.prog)
	e.printf("if %s.Rank() == 0 {\n", e.node)
	if len(e.results) > 0 {
		e.printf("%s = ", strings.Join(e.results, ", "))
	}
	if e.decl.Recv != nil {
		e.printf("%s.", e.decl.Recv.List[0].Names[0].Name)
	}
	e.printf("%s(%s)\n}\n", e.decl.Name.Name, strings.Join(e.arguments(), ", "))
	for _, r := range e.results {
		e.printf("if %[1]s, %[2]s = region.Tell(%[3]s, %[1]s); %[2]s != nil {\nreturn\n}\n", r, e.err, e.node)
	}
	e.printf("return\n}\n")
}

// choosable reports whether there is a choice. Otherwise the function always runs on all ranks: its
// cost is unknown, or other ranks cannot be told its results.
func (e *emitter) choosable() bool {
	for _, s := range e.Steps {
		if _, known := s.Work(); !known {
			return false
		}
	}
	signature := e.file.pkg.TypesInfo.Defs[e.decl.Name].Type().(*types.Signature)
	for v := range signature.Results().Variables() {
		if !foldable(v.Type(), "+") {
			return false
		}
	}
	for _, o := range e.file.pkg.TypesInfo.Defs {
		if v, ok := o.(*types.Var); ok && e.decl.Recv == nil && v.Name() == e.Name && e.decl.Pos() <= v.Pos() && v.Pos() < e.decl.End() {
			return false // hides the function
		}
	}
	return !e.changesParameter()
}

// changesParameter reports whether a statement before the loops may change a parameter.
func (e *emitter) changesParameter() (changes bool) {
	change := func(x ast.Expr) {
		id, ok := ast.Unparen(x).(*ast.Ident)
		if ok {
			o := cmp.Or(e.file.pkg.TypesInfo.Defs[id], e.file.pkg.TypesInfo.Uses[id])
			ok = o == nil || o.Pos() < e.decl.Pos() || e.decl.Type.Params.End() <= o.Pos()
		}
		changes = changes || !ok
	}
	for _, s := range e.preamble {
		ast.Inspect(s, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, x := range n.Lhs {
					change(x)
				}
			case *ast.IncDecStmt:
				change(n.X)
			case *ast.UnaryExpr:
				changes = changes || n.Op == token.AND
			}
			return true
		})
	}
	return changes
}

// arguments returns the arguments of a call of the sequential function.
func (e *emitter) arguments() (all []string) {
	for _, field := range e.decl.Type.Params.List {
		more := ""
		if _, variadic := field.Type.(*ast.Ellipsis); variadic {
			more = "..."
		}
		for _, id := range field.Names {
			all = append(all, id.Name+more)
		}
	}
	return all
}

// costing is told how often steps and work take place in a function.
type costing interface {
	step()
	works(s *loops.Step, w loops.Work)
	scatters(w loops.Work)
	unrolled(l *loops.Loop, inside func())
	// repeated is told of a loop that is planned once; known: its bounds are known before.
	repeated(l *loops.Loop, known bool, inside func())
	under(c *loops.Cond, inside func())
}

// costs tells c how often steps and work take place.
func (e *emitter) costs(c costing, nodes []*loops.Node) {
	for _, n := range nodes {
		e.costOf(c, n)
		for range e.Folds[n] {
			c.step()
		}
	}
}

func (e *emitter) costOf(c costing, n *loops.Node) {
	inside := func() { e.costs(c, n.Children) }
	switch step := e.Steps[n]; {
	case step != nil:
		c.step()
		if step.FoldedArray().Array != nil {
			c.step()
		}
		for range step.Elements() {
			c.step()
			c.step()
		}
		work, _ := step.Work()
		for _, w := range work {
			c.works(step, w)
		}
		for _, w := range step.Scattered() {
			c.scatters(w)
		}
	case !e.hasSteps(n):
	case n.Loop != nil && e.Unrolled[n]:
		c.unrolled(n.Loop, inside)
	case n.Loop != nil:
		c.repeated(n.Loop, n.Loop.Affine() && e.evaluable(n, slices.Concat(n.Loop.Lo, n.Loop.Hi)), inside)
	case n.Cond != nil && !n.Cond.Always() && e.known(n):
		c.under(n.Cond, inside)
	default:
		inside()
	}
}

// costWriter writes statements that count steps and work.
type costWriter struct {
	*emitter
	name string // of the region.Cost
}

func (c costWriter) step() { c.printf("%s.Step()\n", c.name) }

func (c costWriter) works(s *loops.Step, w loops.Work) {
	parts := "0"
	if s.Kind == loops.Parallel {
		parts = count(s.Node.Loop)
	}
	times, ends := nest(c.out, w, nil, "")
	c.printf("%s.Works(%s, %d, %s)\n%s", c.name, parts, w.Accesses, cmp.Or(times, "1"), ends)
}

func (c costWriter) scatters(w loops.Work) {
	times, ends := nest(c.out, w, nil, "")
	c.printf("%s.Scatters(%s)\n%s", c.name, cmp.Or(times, "1"), ends)
}

func (c costWriter) unrolled(l *loops.Loop, inside func()) {
	c.printf("%s {\nif %s.Settled() {\nbreak\n}\n", c.emitter.unrolled(l), c.name)
	inside()
	c.printf("}\n")
}

func (c costWriter) repeated(l *loops.Loop, known bool, inside func()) {
	times := "-1"
	if known {
		times = count(l)
	}
	c.printf("%s.Repeat(%s)\n", c.name, times)
	inside()
	c.printf("%s.End()\n", c.name)
}

func (c costWriter) under(cond *loops.Cond, inside func()) {
	c.printf("if %s {\n", condition(cond))
	inside()
	c.printf("}\n")
}
