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
	e.costs(cost, e.Body)
	e.printf("var %[1]s bool\nif %[1]s, %[2]s = %[3]s.Alone(); %[2]s != nil {\nreturn\n} else if %[1]s {\n%[4]s.Close()\n", alone, e.err, cost, e.prog)
	e.printf("if %s.Rank() == 0 {\n", e.node)
	if len(e.results) > 0 {
		e.printf("%s = ", strings.Join(e.results, ", "))
	}
	e.printf("%s(%s)\n}\n", e.Name, strings.Join(e.arguments(), ", "))
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
		if b, ok := v.Type().Underlying().(*types.Basic); !ok || b.Info()&(types.IsInteger|types.IsFloat) == 0 {
			return false
		}
	}
	for _, o := range e.file.pkg.TypesInfo.Defs {
		if v, ok := o.(*types.Var); ok && v.Name() == e.Name && e.decl.Pos() <= v.Pos() && v.Pos() < e.decl.End() {
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
			ok = o == nil || o.Pos() < e.decl.Type.Params.Pos() || e.decl.Type.Params.End() <= o.Pos()
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

// costs writes how often steps and work take place.
func (e *emitter) costs(cost string, nodes []*loops.Node) {
	for _, n := range nodes {
		e.costOf(cost, n)
		for range e.Folds[n] {
			e.printf("%s.Step()\n", cost)
		}
	}
}

func (e *emitter) costOf(cost string, n *loops.Node) {
	step := e.Steps[n]
	switch {
	case step != nil:
		e.costOfStep(cost, step)
	case !e.hasSteps(n):
	case n.Loop != nil && e.Unrolled[n]:
		e.printf("%s {\n", e.unrolled(n.Loop))
		e.costs(cost, n.Children)
		e.printf("}\n")
	case n.Loop != nil:
		times := "-1"
		if n.Loop.Affine() && e.evaluable(n, slices.Concat(n.Loop.Lo, n.Loop.Hi)) {
			times = count(n.Loop)
		}
		e.printf("%s.Repeat(%s)\n", cost, times)
		e.costs(cost, n.Children)
		e.printf("%s.End()\n", cost)
	case n.Cond != nil && !n.Cond.Always() && e.known(n):
		e.printf("if %s {\n", condition(n.Cond))
		e.costs(cost, n.Children)
		e.printf("}\n")
	default:
		e.costs(cost, n.Children)
	}
}

func (e *emitter) costOfStep(cost string, s *loops.Step) {
	e.printf("%s.Step()\n", cost)
	if s.FoldedArray().Array != nil {
		e.printf("%s.Step()\n", cost)
	}
	work, _ := s.Work()
	for _, w := range work {
		times, ends := nest(e.out, w, nil, "")
		e.printf("%s.Works(%t, %d, %s)\n%s", cost, s.Kind == loops.Parallel, w.Accesses, cmp.Or(times, "1"), ends)
	}
}
