package main

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// fagusPath is the package whose use is looked at.
const fagusPath = "github.com/fagus-dsm/fagus/fagus"

// call is what a call of package fagus is, by the name of the method or function.
type call string

// The calls that the rules know.
const (
	callAcquire  call = "Acquire"
	callRelease  call = "Release"
	callUpdate   call = "Update"
	callBarrier  call = "Barrier"
	callBind     call = "Bind"
	callSet      call = "Set"
	callRank     call = "Rank"
	callNodes    call = "Nodes"
	callMode     call = "Mode"
	callNewArray call = "NewArray"
	callWant     call = "Want"
	callRun      call = "Run"
	callWriting  call = "Writing"
	callSlice    call = "Slice"
	callAll      call = "All"
	callRange    call = "Range"
	callReduce   call = "Reduce"

	callOther call = "other" // of the package, but none of these
	callNone  call = ""      // not of the package, or not known before it runs
)

// receivers says what the calls are methods of; "" stands for functions.
func (c call) receiver() string {
	switch c {
	case callAcquire, callRelease, callUpdate, callBarrier, callBind, callSet, callRank, callNodes, callMode:
		return "Node"
	case callSlice, callAll, callRange:
		return "Array"
	case callWriting:
		return "Request"
	}
	return ""
}

// fagusCall says which call of package fagus c is.
func fagusCall(c *ssa.CallCommon) call {
	callee := c.StaticCallee()
	if callee == nil {
		return callNone
	}
	if origin := callee.Origin(); origin != nil {
		callee = origin
	}
	f, ok := callee.Object().(*types.Func)
	if !ok || f.Pkg() == nil || f.Pkg().Path() != fagusPath {
		return callNone
	}
	switch name := call(f.Name()); name {
	case callAcquire, callRelease, callUpdate, callBarrier, callBind, callSet, callRank, callNodes, callMode,
		callNewArray, callWant, callRun, callWriting, callSlice, callAll, callRange, callReduce:
		if receiverName(f) == name.receiver() {
			return name
		}
	}
	return callOther
}

// receiverName is the name of the type that f is a method of, or "".
func receiverName(f *types.Func) string {
	recv := f.Signature().Recv()
	if recv == nil {
		return ""
	}
	t := recv.Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if named, ok := t.(*types.Named); ok {
		return named.Obj().Name()
	}
	return ""
}

// callOf says which call of package fagus an instruction makes there and then: not one
// that it defers, or starts in a goroutine.
func callOf(instr ssa.Instruction) call {
	if c, ok := instr.(*ssa.Call); ok {
		return fagusCall(&c.Call)
	}
	return callNone
}

// results of package fagus: resultOf takes the call from which v comes as result number
// index, and says which call it is.
func resultOf(v ssa.Value, index int) (*ssa.Call, call) {
	if e, ok := v.(*ssa.Extract); ok && e.Index == index {
		v = e.Tuple
	} else if ok || index > 0 {
		return nil, callNone
	}
	c, ok := v.(*ssa.Call)
	if !ok {
		return nil, callNone
	}
	return c, fagusCall(&c.Call)
}

// fagusError says whether v is the error that a call of package fagus has returned.
// Such an error means that the run has failed, or is about to.
func fagusError(v ssa.Value) bool {
	if c, ok := v.(*ssa.Call); ok {
		return fagusCall(&c.Call) != callNone && types.Identical(c.Type(), errorType())
	}
	if e, ok := v.(*ssa.Extract); ok {
		c, ok := e.Tuple.(*ssa.Call)
		return ok && fagusCall(&c.Call) != callNone && types.Identical(e.Type(), errorType())
	}
	return false
}

func errorType() types.Type { return types.Universe.Lookup("error").Type() }

// constantText is the value of a constant, or "" if there is no such constant.
func constantText(o types.Object) string {
	c, ok := o.(*types.Const)
	if !ok {
		return ""
	}
	return c.Val().String()
}
