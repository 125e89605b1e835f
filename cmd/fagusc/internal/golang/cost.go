package golang

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/loops"
)

// choice writes the choice between one rank and all, if the cost of both can be predicted: rank 0
// calls the sequential function, and tells the others its results.
func (e *emitter) choice() {
	if !e.Choosable() {
		return
	}
	cost, alone := e.unique("cost"), e.unique("alone")
	e.printf("\n// Small problems are faster on one rank.\n%s := region.NewCost(%s)\n", cost, e.prog)
	for _, a := range e.arrays {
		if !a.Local {
			rows := ""
			if a.Columns != nil {
				rows = "Rows"
			}
			e.printf("region.Copied%s(%s, %s, %t)\n", rows, cost, a.Name, e.Output(a.Array))
		}
	}
	e.Count(costWriter{e, cost})
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

// callable reports whether rank 0 can call the sequential function where the output chooses, and
// send its results to the others.
func (f *Function) callable() bool {
	signature := f.file.pkg.TypesInfo.Defs[f.decl.Name].Type().(*types.Signature)
	for v := range signature.Results().Variables() {
		if !typeOf(v.Type()).Folds("+") {
			return false
		}
	}
	for _, o := range f.file.pkg.TypesInfo.Defs {
		if v, ok := o.(*types.Var); ok && f.decl.Recv == nil && v.Name() == f.Name && f.decl.Pos() <= v.Pos() && v.Pos() < f.decl.End() {
			return false // hides the function
		}
	}
	return !f.changesParameter()
}

// changesParameter reports whether a statement before the loops may change a parameter.
func (f *Function) changesParameter() (changes bool) {
	change := func(x ast.Expr) {
		id, ok := ast.Unparen(x).(*ast.Ident)
		if ok {
			o := cmp.Or(f.file.pkg.TypesInfo.Defs[id], f.file.pkg.TypesInfo.Uses[id])
			ok = o == nil || o.Pos() < f.decl.Pos() || f.decl.Type.Params.End() <= o.Pos()
		}
		changes = changes || !ok
	}
	for _, s := range f.preamble {
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

// costWriter writes statements that count steps and work.
type costWriter struct {
	*emitter
	name string // of the region.Cost
}

func (c costWriter) Meets() { c.printf("%s.Step()\n", c.name) }

func (c costWriter) Works(s *loops.Step, w loops.Work) {
	parts := "0"
	if s.Kind == loops.Parallel {
		parts = count(s.Node.Loop)
	}
	times, ends := nest(c.out, w, nil, "")
	c.printf("%s.Works(%s, %d, %s)\n%s", c.name, parts, w.Accesses, cmp.Or(times, "1"), ends)
}

func (c costWriter) Scatters(w loops.Work) {
	times, ends := nest(c.out, w, nil, "")
	c.printf("%s.Scatters(%s)\n%s", c.name, cmp.Or(times, "1"), ends)
}

func (c costWriter) Each(l *loops.Loop, inside func()) {
	c.printf("%s {\nif %s.Settled() {\nbreak\n}\n", c.unrolled(l), c.name)
	inside()
	c.printf("}\n")
}

func (c costWriter) Repeats(l *loops.Loop, known bool, inside func()) {
	times := "-1"
	if known {
		times = count(l)
	}
	c.printf("%s.Repeat(%s)\n", c.name, times)
	inside()
	c.printf("%s.End()\n", c.name)
}

func (c costWriter) Under(cond *loops.Cond, inside func()) {
	c.printf("if %s {\n", condition(cond))
	inside()
	c.printf("}\n")
}
