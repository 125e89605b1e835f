package main

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// fagusPath is the package whose callers are checked.
const fagusPath = "github.com/fagus-dsm/fagus/fagus"

type call string

// The calls that the rules know.
const (
	callAcquire  call = "Acquire"
	callRelease  call = "Release"
	callUpdate   call = "Update"
	callBarrier  call = "Barrier"
	callFence    call = "Fence"
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

	callOther call = "other" // another function of the package
	callNone  call = ""      // not of the package, or a dynamic call
)

func (c call) receiver() string {
	switch c {
	case callAcquire, callRelease, callUpdate, callBarrier, callFence, callBind, callSet, callRank, callNodes, callMode:
		return "Node"
	case callSlice, callAll, callRange:
		return "Array"
	case callWriting:
		return "Request"
	}
	return ""
}

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
	case callAcquire, callRelease, callUpdate, callBarrier, callFence, callBind, callSet, callRank, callNodes, callMode,
		callNewArray, callWant, callRun, callWriting, callSlice, callAll, callRange, callReduce:
		if receiverName(f) == name.receiver() {
			return name
		}
	}
	return callOther
}

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

// callOf returns the call of package fagus that instr makes at once, not by defer or go.
func callOf(instr ssa.Instruction) call {
	if c, ok := instr.(*ssa.Call); ok {
		return fagusCall(&c.Call)
	}
	return callNone
}

// resultOf returns the call of package fagus that has v as result number index.
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

// fagusError reports whether v is the error result of a call of package fagus. A non-nil error
// means that the run has failed or is about to fail.
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

func constantText(o types.Object) string {
	c, ok := o.(*types.Const)
	if !ok {
		return ""
	}
	return c.Val().String()
}
