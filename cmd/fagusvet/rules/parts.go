package rules

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// manner is how a call runs a function that it is given.
type manner uint8

const (
	inTenure manner = iota // while the rank holds a set
	alone                  // while it holds nothing, on each rank another number of times
	together               // while it holds nothing, once on each rank
	inline                 // while it holds what the caller holds
)

// run is a function that a call runs.
type run struct {
	value  ssa.Value // the function, or nil if it is not known
	manner manner
	wants  bool              // it returns the requests of what the call acquires
	via    []ssa.Instruction // the instructions that lead the function to the call
}

// runs returns the functions that a call of package fagus or parts runs. It leaves out functions
// that are certainly nil.
func runs(c *ssa.CallCommon) (list []run) {
	how := inTenure
	switch name := fagusCall(c); {
	case name == callTimed:
		how = together
	case name == callMeasure:
		how = inline
	case name == callQueueEach, name == callPoolEach:
		how = alone // but a field of the last argument
	case !name.is(tenure):
		return nil
	}
	for _, arg := range c.Args {
		switch u := arg.Type().Underlying().(type) {
		case *types.Signature:
			list = appendRun(list, arg, run{manner: how})
		case *types.Struct:
			list = append(list, runsIn(arg, u)...)
		}
	}
	return list
}

// runsIn returns the functions in fields of a parts.Results or parts.Exchange.
func runsIn(v ssa.Value, of *types.Struct) (list []run) {
	fields, ok := literal(v)
	for i := range of.NumFields() {
		r := run{manner: inTenure}
		if of.Field(i).Name() == "Want" {
			r = run{manner: alone, wants: true}
		}
		switch store := fields[i]; {
		case !ok:
			list = append(list, r)
		case store != nil:
			r.via = []ssa.Instruction{store}
			list = appendRun(list, store.Val, r)
		}
	}
	return list
}

// appendRun adds the function v, which may be nil on some ranks.
func appendRun(list []run, v ssa.Value, r run) []run {
	r.value = v
	if phi, ok := v.(*ssa.Phi); ok {
		r.value = nil
		for _, edge := range phi.Edges {
			if c, constant := edge.(*ssa.Const); constant && c.IsNil() {
				continue
			}
			if r.value != nil && r.value != edge || !onlyUsed(phi) {
				return append(list, run{manner: r.manner, wants: r.wants})
			}
			r.value = edge
		}
		r.via = append(r.via, phi)
	}
	if c, constant := r.value.(*ssa.Const); r.value == nil || constant && c.IsNil() {
		return list
	}
	return append(list, r)
}

// onlyUsed reports whether v has one use.
func onlyUsed(v ssa.Value) bool {
	uses := 0
	for _, use := range *v.Referrers() {
		if _, debug := use.(*ssa.DebugRef); !debug {
			uses++
		}
	}
	return uses == 1
}

// literal returns the assignments to the fields of a struct that is written as a literal, by the
// number of the field. ok is false for other structs.
func literal(v ssa.Value) (fields map[int]*ssa.Store, ok bool) {
	if c, constant := v.(*ssa.Const); constant {
		return nil, c.Value == nil // all fields are zero
	}
	load, isLoad := v.(*ssa.UnOp)
	if !isLoad || load.Op != token.MUL {
		return nil, false
	}
	alloc, isAlloc := load.X.(*ssa.Alloc)
	if !isAlloc {
		return nil, false
	}
	fields = make(map[int]*ssa.Store)
	for _, use := range *alloc.Referrers() {
		switch use := use.(type) {
		case *ssa.UnOp:
			if use != load {
				return nil, false
			}
		case *ssa.DebugRef:
		case *ssa.FieldAddr:
			for _, use2 := range *use.Referrers() {
				store, isStore := use2.(*ssa.Store)
				if !isStore || fields[use.Field] != nil {
					return nil, false
				}
				fields[use.Field] = store
			}
		default:
			return nil, false
		}
	}
	return fields, true
}

// findPassed finds the parameters by which functions get vectors in shared memory.
func (m *model) findPassed() {
	m.passedTo = make(map[*ssa.Parameter]*ssa.Function)
	for body, calls := range m.bodies {
		switch fagusCall(&calls[0].Call) {
		case callVectorsGather, callExchange:
			if len(body.Params) == 0 {
				continue
			}
			last := body.Params[len(body.Params)-1]
			if outer, ok := last.Type().Underlying().(*types.Slice); ok {
				if _, ok := outer.Elem().Underlying().(*types.Slice); ok {
					m.passedTo[last] = body
				}
			}
		}
	}
}

// passed returns the function that gets a, vectors in shared memory, from Gather or Exchange; nil
// for other arrays.
func (m *model) passed(a array) *ssa.Function {
	p, _ := a.(*ssa.Parameter)
	return m.passedTo[p]
}

// sends reports whether body may write the vectors that it gets.
func (m *model) sends(holder *ssa.Call, body *ssa.Function) bool {
	if fagusCall(&holder.Call) != callExchange {
		return false
	}
	list := runs(&holder.Call)
	return len(list) == 0 || m.body(list[0]) == body
}
