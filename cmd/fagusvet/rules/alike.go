package rules

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

const alikeDoc = `find arguments that must be alike on all ranks, and are not

All ranks make the same arrays and bindings, with the same names, lengths and ranges, in the same
order. This rule reports an argument of NewArray, NewGuarded, Bind, Rebind, Steps, Rounds, and of
the New functions, Broadcast and Collect of package parts, if it is computed from what ranks have
differently: n.Rank(), a clock, random numbers that no seed makes equal, the number of the process:

	lo, hi := parts.Block(size, n.Nodes(), n.Rank())
	mine := fagus.NewGuarded[int](n, "mine", hi-lo) // alike: length of NewGuarded depends on the rank ...

It also reports a name or length that a loop over a map gives, because each rank has another order.

It follows values through variables, fields that are only assigned such values, parameters and
results, also of functions of the main module in other packages. What Reduce, Gather and
Broadcast return is alike, and so are elements of shared arrays. It does not look into files and
the environment, and takes ranges of equal length, as in (rank+1)*rows - rank*rows, for equal.`

func alikeAnalyzer(knowledge *analysis.Analyzer) *analysis.Analyzer {
	return newRule("alike", alikeDoc, knowledge, reportUnlike)
}

func reportUnlike(r *reporter, m *model, fn *ssa.Function) {
	for instr := range instructions(fn) {
		c, ok := instr.(ssa.CallInstruction)
		if !ok || !fagusCall(c.Common()).is(alike) {
			continue
		}
		name := fagusCall(c.Common()).String()
		args := arguments(c.Common())[1:]
		params := c.Common().StaticCallee().Signature.Params()
		args = args[max(0, len(args)-params.Len()):]
		for i, arg := range args {
			what := "an argument"
			if i+params.Len()-len(args) < params.Len() {
				what = params.At(i + params.Len() - len(args)).Name()
			}
			if _, isFunc := arg.Type().Underlying().(*types.Signature); isFunc || isNode(arg.Type()) || what == "x" {
				continue
			}
			if on := m.unlike(arg); on != "" {
				r.reportf(c.Pos(), "%s of %s depends on %s: all ranks must pass the same; compute it from what all ranks have, or share it by fagus.Reduce or parts.Broadcast",
					what, name, on)
				break
			}
			if m.ofOrder(arg, maxResolve) {
				r.reportf(c.Pos(), "%s of %s comes from a loop over a map, whose order differs from rank to rank: loop over sorted keys", what, name)
				break
			}
		}
	}
}

// unlike returns from what an argument comes if it differs from rank to rank. A field of a struct
// that is written as a literal counts.
func (m *model) unlike(arg ssa.Value) origin {
	if fields, ok := literal(arg); ok {
		for _, i := range sortedFields(fields) {
			if on := m.differs.on(fields[i].Val); on != "" {
				return on
			}
		}
	}
	return m.differs.on(arg)
}

func sortedFields(fields map[int]*ssa.Store) (list []int) {
	for i := range fields {
		list = append(list, i)
	}
	slices.Sort(list)
	return list
}

// ofOrder reports whether v is made of the key or the element of a loop over a map.
func (m *model) ofOrder(v ssa.Value, depth int) bool {
	if depth == 0 {
		return false
	}
	of := func(v ssa.Value) bool { return m.ofOrder(v, depth-1) }
	switch v := m.resolve(v).(type) {
	case *ssa.Extract:
		next, ok := v.Tuple.(*ssa.Next)
		return ok && !next.IsString && v.Index > 0
	case *ssa.BinOp:
		return of(v.X) || of(v.Y)
	case *ssa.Convert:
		return of(v.X)
	case *ssa.MakeInterface:
		return of(v.X)
	case *ssa.Slice:
		list, ok := listed(v)
		return ok && slices.ContainsFunc(list, of)
	case *ssa.Call:
		name := fagusCall(&v.Call)
		if b, builtin := v.Call.Value.(*ssa.Builtin); builtin {
			return b.Name() == "len" && of(v.Call.Args[0])
		}
		callee := v.Call.StaticCallee()
		text := callee != nil && callee.Pkg != nil && slices.Contains([]string{"fmt", "strconv"}, callee.Pkg.Pkg.Path())
		return (text || name == callRange) && slices.ContainsFunc(v.Call.Args, of)
	}
	return false
}
