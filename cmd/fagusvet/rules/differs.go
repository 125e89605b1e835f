package rules

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// origin says from what a value comes that ranks have differently; "" for other values.
type origin string

const (
	fromRank    origin = "the rank"
	fromClock   origin = "the clock"
	fromRandom  origin = "a random number"
	fromProcess origin = "the process"
)

// dependence says whether a value of a function differs between ranks: in itself, or because an
// argument does. Bit i of Params is argument i.
type dependence struct {
	On     origin
	Params uint64
}

func (d dependence) join(e dependence) dependence {
	return dependence{cmp.Or(d.On, e.On), d.Params | e.Params}
}

// differing finds the values that ranks compute differently. Data of shared arrays, and what
// Reduce, Gather and other calls of package fagus return, are alike on all ranks.
type differing struct {
	m       *model
	params  map[*ssa.Parameter]origin // parameters to which some call passes such a value
	always  map[*ssa.Parameter]origin // parameters to which every call does
	steps   map[*ssa.Parameter]bool   // parameters that get what a loop counts
	results map[*ssa.Function][]dependence
	places  map[any]origin             // fields and variables that get only such values
	stores  map[ssa.Value][]*ssa.Store // assignments to a variable, if known
}

// maxRounds bounds how far such a value is followed, in calls and fields.
const maxRounds = 8

func newDiffering(m *model) *differing {
	d := &differing{
		m: m, params: make(map[*ssa.Parameter]origin), always: make(map[*ssa.Parameter]origin),
		steps: make(map[*ssa.Parameter]bool), results: make(map[*ssa.Function][]dependence),
		places: make(map[any]origin), stores: make(map[ssa.Value][]*ssa.Store),
	}
	for _, fn := range m.funcs {
		d.results[fn] = make([]dependence, fn.Signature.Results().Len())
		for instr := range instructions(fn) {
			switch instr := instr.(type) {
			case *ssa.Store:
				if global, ok := instr.Addr.(*ssa.Global); ok {
					d.stores[global] = append(d.stores[global], instr)
				}
			case *ssa.Alloc:
				// A jump$1 says how a loop over a function ends.
				if stored, ok := m.stored(instr); ok && !strings.HasPrefix(instr.Comment, "jump$") {
					d.stores[instr] = stored
				}
			}
		}
	}
	for range maxRounds {
		if !d.grow() {
			break
		}
	}
	return d
}

// grow goes once through all functions, and reports whether it has found more.
func (d *differing) grow() (grown bool) {
	for _, fn := range d.m.funcs {
		for i, was := range d.results[fn] {
			if is := d.returned(fn, i); is != was {
				d.results[fn][i], grown = is, true
			}
		}
	}
	grown = d.growParameters() || grown
	for field, a := range d.m.fields {
		if field != nil && field.Pkg() == d.m.pkg && !a.hidden && d.places[field] == "" {
			if on := d.onlyOn(a.stored); on != "" {
				d.places[field], grown = on, true
			}
		}
	}
	for variable, stored := range d.stores {
		if d.places[variable] != "" {
			continue
		}
		if on := d.onlyAssigned(stored); on != "" {
			d.places[variable], grown = on, true
		}
	}
	return grown
}

// growParameters looks at what calls pass.
func (d *differing) growParameters() (grown bool) {
	alike := make(map[*ssa.Parameter]bool) // some call passes a value that does not differ
	for _, fn := range d.m.funcs {
		for instr := range instructions(fn) {
			c, ok := instr.(ssa.CallInstruction)
			if !ok || c.Common().StaticCallee() == nil {
				continue
			}
			callee := function(c.Common().StaticCallee())
			if d.results[callee] == nil || len(callee.Params) != len(c.Common().Args) {
				continue
			}
			for i, p := range callee.Params {
				on := d.on(c.Common().Args[i])
				alike[p] = alike[p] || on == ""
				if on != "" && d.params[p] == "" {
					d.params[p], grown = on, true
				}
				if on != "" && !d.steps[p] && d.counted(c.Common().Args[i]) {
					d.steps[p], grown = true, true
				}
			}
		}
	}
	for p, on := range d.params {
		if !alike[p] && d.always[p] == "" {
			d.always[p], grown = on, true
		}
	}
	return grown
}

// on returns why v differs between ranks, "" if it does not.
func (d *differing) on(v ssa.Value) origin {
	return origination(v, d.of(v, make(map[ssa.Value]bool)), d.params)
}

// origination returns the origin of a dependence of v, with what calls pass to the function of v.
func origination(v ssa.Value, dep dependence, passed map[*ssa.Parameter]origin) origin {
	if dep.On != "" || v.Parent() == nil {
		return dep.On
	}
	for i, p := range v.Parent().Params {
		if dep.Params&(1<<i) != 0 && passed[p] != "" {
			return passed[p]
		}
	}
	return ""
}

// onlyOn returns why values differ, if all but constants do.
func (d *differing) onlyOn(values []ssa.Value) (on origin) {
	for _, v := range values {
		if fixed(v) {
			continue
		}
		is := origination(v, d.of(v, make(map[ssa.Value]bool)), d.always)
		if is == "" {
			return ""
		}
		on = cmp.Or(on, is)
	}
	return on
}

// onlyAssigned returns why assignments differ, if all but those of constants do: in their values,
// or because only some ranks make them.
func (d *differing) onlyAssigned(stores []*ssa.Store) (on origin) {
	for _, s := range stores {
		is := d.onlyOn([]ssa.Value{s.Val})
		d.m.leads(s.Block(), func(cond ssa.Value, _ bool) bool {
			if _, _, isNil := compared(cond); !isNil {
				is = cmp.Or(is, origination(cond, d.of(cond, make(map[ssa.Value]bool)), d.always))
			}
			return false
		})
		if is == "" && !fixed(s.Val) {
			return ""
		}
		on = cmp.Or(on, is)
	}
	return on
}

// fixed reports whether v is a constant, or computed from constants by package math.
func fixed(v ssa.Value) bool {
	if c, ok := v.(*ssa.Call); ok {
		callee := c.Call.StaticCallee()
		return callee != nil && callee.Pkg != nil && callee.Pkg.Pkg.Path() == "math" && all(c.Call.Args, fixed)
	}
	_, ok := v.(*ssa.Const)
	return ok
}

// of returns the dependence of v. The values in seen are being examined; with nil among them,
// differences do not cancel.
func (d *differing) of(v ssa.Value, seen map[ssa.Value]bool) (dep dependence) {
	if v == nil || seen[v] || types.Identical(v.Type(), errorType()) {
		return dep
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Parameter:
		return dependence{Params: 1 << max(0, slices.Index(v.Parent().Params, v))}
	case *ssa.BinOp:
		dep = d.of(v.X, seen).join(d.of(v.Y, seen))
		if v.Op == token.SUB && dep != (dependence{}) && !seen[nil] && d.cancels(v) {
			return dependence{}
		}
		return dep
	case *ssa.UnOp:
		switch v.Op {
		case token.MUL:
			return d.loaded(v.X, seen)
		case token.ARROW:
			return dep
		}
		return d.of(v.X, seen)
	case *ssa.Phi:
		return d.chosen(v, seen)
	case *ssa.Extract:
		if c, ok := v.Tuple.(*ssa.Call); ok {
			return d.result(c, v.Index, seen)
		}
	case *ssa.Call:
		return d.result(v, 0, seen)
	case *ssa.Slice:
		if list, ok := listed(v); ok {
			return d.any(list, seen)
		}
		return d.any([]ssa.Value{v.X, v.Low, v.High}, seen)
	case *ssa.Lookup:
		return d.any([]ssa.Value{v.X, v.Index}, seen)
	case *ssa.Index:
		return d.any([]ssa.Value{v.X, v.Index}, seen)
	case *ssa.Field:
		return dependence{On: d.places[fieldNumber(v.X.Type(), v.Field)]}
	case *ssa.MakeSlice:
		return d.of(v.Len, seen)
	case *ssa.Convert, *ssa.ChangeType, *ssa.MakeInterface, *ssa.TypeAssert, *ssa.MultiConvert:
		return d.of(*v.(ssa.Instruction).Operands(nil)[0], seen)
	}
	return dep
}

func (d *differing) any(values []ssa.Value, seen map[ssa.Value]bool) (dep dependence) {
	for _, v := range values {
		dep = dep.join(d.of(v, seen))
	}
	return dep
}

// chosen returns the dependence of a phi: of its values, and of the branch that decides between
// them.
func (d *differing) chosen(phi *ssa.Phi, seen map[ssa.Value]bool) dependence {
	dep := d.any(phi.Edges, seen)
	b := phi.Block()
	loop := slices.ContainsFunc(b.Preds, b.Dominates)
	alike := !slices.ContainsFunc(phi.Edges, func(e ssa.Value) bool { return e != phi.Edges[0] })
	if b.Idom() == nil || loop || alike {
		return dep
	}
	if branch, ok := b.Idom().Instrs[len(b.Idom().Instrs)-1].(*ssa.If); ok {
		dep = dep.join(d.of(branch.Cond, seen))
	}
	return dep
}

// loaded returns the dependence of what is stored at an address.
func (d *differing) loaded(at ssa.Value, seen map[ssa.Value]bool) dependence {
	switch at := at.(type) {
	case *ssa.FieldAddr:
		return dependence{On: d.places[fieldOf(at)]}
	case *ssa.IndexAddr:
		if _, number := at.Type().(*types.Pointer).Elem().Underlying().(*types.Basic); !number {
			return d.of(at.X, seen) // such as a table of what each rank does
		}
		return d.any([]ssa.Value{at.X, at.Index}, seen)
	case *ssa.Global:
		return dependence{On: d.places[at]}
	}
	if variable := d.m.variable(at); variable != nil {
		return dependence{On: d.places[variable]}
	}
	return dependence{}
}

// returned returns the dependence of result i of a function.
func (d *differing) returned(fn *ssa.Function, i int) (dep dependence) {
	var returns []*ssa.Return
	for _, b := range fn.Blocks {
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && i < len(ret.Results) && !d.m.fails(ret) {
			returns = append(returns, ret)
			dep = dep.join(d.of(ret.Results[i], make(map[ssa.Value]bool)))
		}
	}
	if len(returns) < 2 || types.Identical(returns[0].Results[i].Type(), errorType()) {
		return dep
	}
	n := names{m: d.m}
	if first := n.text(returns[0].Results[i]); !slices.ContainsFunc(returns, func(r *ssa.Return) bool { return n.text(r.Results[i]) != first }) {
		return dep
	}
	for _, ret := range returns { // one of several: the branches decide
		for at := ret.Block(); at.Idom() != nil; at = at.Idom() {
			branch, ok := at.Idom().Instrs[len(at.Idom().Instrs)-1].(*ssa.If)
			if _, _, isNil := comparedIn(branch); ok && !isNil && len(at.Preds) == 1 {
				dep = dep.join(d.of(branch.Cond, make(map[ssa.Value]bool)))
			}
		}
	}
	return dep
}

func comparedIn(branch *ssa.If) (what ssa.Value, equal, ok bool) {
	if branch == nil {
		return nil, false, false
	}
	return compared(branch.Cond)
}

// counted reports whether v is computed from a value that changes in a loop, also of a caller.
func (d *differing) counted(v ssa.Value) bool {
	seen := make(map[ssa.Value]bool)
	var is func(v ssa.Value) bool
	is = func(v ssa.Value) bool {
		v = d.m.resolve(v)
		if seen[v] {
			return false
		}
		seen[v] = true
		switch v := v.(type) {
		case *ssa.Phi:
			return slices.ContainsFunc(v.Block().Preds, v.Block().Dominates) || slices.ContainsFunc(v.Edges, is)
		case *ssa.Parameter:
			return d.steps[v]
		case *ssa.Call, *ssa.BinOp, *ssa.UnOp, *ssa.Convert, *ssa.Extract, *ssa.IndexAddr, *ssa.Index, *ssa.Lookup, *ssa.Slice:
			return slices.ContainsFunc(v.(ssa.Instruction).Operands(nil), func(x *ssa.Value) bool { return *x != nil && is(*x) })
		}
		return false
	}
	return is(v)
}

// result returns the dependence of a result of a call.
func (d *differing) result(c *ssa.Call, i int, seen map[ssa.Value]bool) dependence {
	results := c.Call.Signature().Results()
	if i < results.Len() && types.Identical(results.At(i).Type(), errorType()) {
		return dependence{}
	}
	if on, known := source(&c.Call, i); known {
		return dependence{On: on}
	}
	if callee := c.Call.StaticCallee(); callee != nil {
		if list, ok := d.summarized(callee); ok {
			if i >= len(list) {
				return dependence{}
			}
			dep := dependence{On: list[i].On}
			for j, arg := range arguments(&c.Call) {
				if list[i].Params&(1<<j) != 0 {
					dep = dep.join(d.of(arg, seen))
				}
			}
			return dep
		}
	}
	if c.Call.IsInvoke() {
		return d.of(c.Call.Value, seen).join(d.any(c.Call.Args, seen))
	}
	return d.any(c.Call.Args, seen)
}

// summarized returns the dependences of the results of a function of the main module.
func (d *differing) summarized(callee *ssa.Function) ([]dependence, bool) {
	if list, ok := d.results[function(callee)]; ok {
		return list, true
	}
	if s := d.m.summaryOf(callee); s != nil {
		return s.Results, true
	}
	return nil, false
}

// source returns the origin of result i of a call that has its own. known is true also for calls of
// package fagus whose results are alike on all ranks.
func source(c *ssa.CallCommon, i int) (on origin, known bool) {
	if _, builtin := c.Value.(*ssa.Builtin); builtin {
		return "", false
	}
	callee := c.StaticCallee()
	if callee == nil {
		return "", false
	}
	f, ok := function(callee).Object().(*types.Func)
	if !ok || f.Pkg() == nil {
		return "", false
	}
	name := f.Name()
	plain := f.Signature().Recv() == nil
	switch path := f.Pkg().Path(); {
	case path == fagusPath && name == "Rank" || path == partsPath && name == "Mine":
		return fromRank, true
	case path == fagusPath && name == "Now", path == "time" && plain && slices.Contains([]string{"Now", "Since", "Until"}, name):
		return fromClock, true
	case path == partsPath && slices.Contains([]string{"Block", "Cyclic", "CyclicFrom", "Owner", "Items", "Of", "Row", "Batch", "Members"}, name),
		path == fagusPath && slices.Contains([]string{"Part", "Range"}, name):
		return "", false // as the arguments
	case path == fagusPath || path == partsPath:
		return "", true
	case path == "math/rand" || path == "math/rand/v2":
		return fromRandom, plain && !strings.HasPrefix(name, "New")
	case path == "crypto/rand":
		return fromRandom, true
	case path == "os" && name == "Getpid", path == "os" && name == "Hostname" && i == 0:
		return fromProcess, true
	case path == "os" && (name == "Getenv" || name == "LookupEnv"):
		return fromRank, ofRankVariable(c.Args[0])
	}
	return "", false
}

// ofRankVariable reports whether v is the name of a variable by which launchers number processes.
func ofRankVariable(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value != nil &&
		slices.Contains([]string{"FAGUS_RANK", "PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"}, strings.Trim(c.Value.ExactString(), `"`))
}

// cancels reports whether a difference is the same on all ranks: the operands grow by as much from
// rank to rank, as in (rank+1)*rows - rank*rows.
func (d *differing) cancels(v *ssa.BinOp) bool {
	x, okX := d.slope(v.X, maxResolve)
	y, okY := d.slope(v.Y, maxResolve)
	return okX && okY && x == y
}

// slope returns by how much v grows from rank to rank, as a text; "" if v is alike on all ranks. ok
// is false if it does not grow evenly.
func (d *differing) slope(v ssa.Value, depth int) (text string, ok bool) {
	v = d.m.resolve(v)
	if origination(v, d.of(v, map[ssa.Value]bool{nil: true}), d.params) == "" {
		return "", true
	}
	if depth == 0 {
		return "", false
	}
	switch v := v.(type) {
	case *ssa.Call:
		return "1", fagusCall(&v.Call) == callRank
	case *ssa.Parameter:
		return v.Name(), true
	case *ssa.Convert:
		return d.slope(v.X, depth-1)
	case *ssa.BinOp:
		x, okX := d.slope(v.X, depth-1)
		y, okY := d.slope(v.Y, depth-1)
		switch {
		case !okX || !okY:
		case v.Op == token.MUL && y == "":
			return x + "*" + names{m: d.m}.text(v.Y), true
		case v.Op == token.MUL && x == "":
			return y + "*" + names{m: d.m}.text(v.X), true
		case v.Op == token.ADD && (x == "" || y == ""):
			return x + y, true
		case v.Op == token.SUB && y == "":
			return x, true
		case v.Op == token.SUB && x == y:
			return "", true
		}
	}
	return "", false
}
