package main

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// fagusPath is the package whose callers are checked. A few methods of partsPath, which hold a set
// while they run a function, are known as well.
const (
	fagusPath = "github.com/fagus-dsm/fagus/fagus"
	partsPath = fagusPath + "/parts"
)

// Packages that run programs, as package fagus does.
const (
	clusterPath = fagusPath + "/cluster"
	programPath = fagusPath + "/program"
)

type call string

// The calls that the rules know.
const (
	callAcquire    call = "Acquire"
	callRelease    call = "Release"
	callUpdate     call = "Update"
	callBarrier    call = "Barrier"
	callFence      call = "Fence"
	callBind       call = "Bind"
	callSet        call = "Set"
	callRank       call = "Rank"
	callNodes      call = "Nodes"
	callMode       call = "Mode"
	callNewArray   call = "NewArray"
	callNewGuarded call = "NewGuarded"
	callWant       call = "Want"
	callRead       call = "Read"
	callWrite      call = "Write"
	callWriting    call = "Writing"
	callReporting  call = "Reporting"
	callUnordered  call = "Unordered"
	callSlice      call = "Slice"
	callCopy       call = "Copy"
	callAll        call = "All"
	callRange      call = "Range"
	callReduce     call = "Reduce"
	callDo         call = "Do"
	callDuring     call = "During"
	callFill       call = "Fill" // of parts.Pair, as Step
	callStep       call = "Step"
	callNext       call = "Next" // of parts.Queue

	callOther call = "other" // another function of package fagus
	callNone  call = ""      // none of these, or a dynamic call
)

// of reports whether c is a method of the named type of a package, or a function if the name of
// the type is empty.
func (c call) of(path, receiver string) bool {
	if path == partsPath {
		return receiver == "Pair" && (c == callFill || c == callStep) || receiver == "Queue" && c == callNext
	}
	switch c {
	case callNewArray, callNewGuarded, callWant, callReduce:
		return receiver == ""
	case callAcquire, callRelease, callUpdate, callBarrier, callFence, callBind, callSet, callRank, callNodes, callMode,
		callDuring:
		return receiver == "Node"
	case callDo:
		return receiver == "SyncSet"
	case callSlice, callCopy, callAll, callRange:
		return receiver == "Array"
	case callRead, callWrite:
		return receiver == "SyncVar" || receiver == "Guarded"
	case callWriting, callReporting, callUnordered:
		return receiver == "Request"
	}
	return false
}

// needsNothingHeld reports whether a rank that makes the call must hold no set.
func (c call) needsNothingHeld() bool {
	switch c {
	case callAcquire, callUpdate, callBarrier, callFence, callReduce:
		return true
	}
	return c.runs()
}

// runs reports whether the call holds a set while it runs a function.
func (c call) runs() bool {
	switch c {
	case callDo, callDuring, callFill, callStep, callNext:
		return true
	}
	return false
}

// fagusCall returns which of the known calls c is.
func fagusCall(c *ssa.CallCommon) call {
	callee := c.StaticCallee()
	if callee == nil {
		return callNone
	}
	if origin := callee.Origin(); origin != nil {
		callee = origin
	}
	f, ok := callee.Object().(*types.Func)
	if !ok || f.Pkg() == nil || f.Pkg().Path() != fagusPath && f.Pkg().Path() != partsPath {
		return callNone
	}
	switch name := call(f.Name()); {
	case name.of(f.Pkg().Path(), receiverName(f)):
		return name
	case f.Pkg().Path() == fagusPath:
		return callOther
	}
	return callNone
}

// arguments returns the arguments of a known call. The first is the receiver of a method, also if
// the call is of a method value.
func arguments(c *ssa.CallCommon) []ssa.Value {
	if value, ok := c.Value.(*ssa.MakeClosure); ok {
		return slices.Concat(value.Bindings, c.Args)
	}
	return c.Args
}

func receiverName(f *types.Func) string {
	recv := f.Signature().Recv()
	if recv == nil {
		return ""
	}
	if named := namedType(recv.Type()); named != nil {
		return named.Obj().Name()
	}
	return ""
}

// namedType returns t, or the type to which t points, if it has a name; else nil.
func namedType(t types.Type) *types.Named {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	named, _ := t.(*types.Named)
	return named
}

// isGuarded reports whether t is fagus.Guarded or a pointer to it.
func isGuarded(t types.Type) bool {
	named := namedType(t)
	return named != nil && named.Obj().Name() == "Guarded" && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == fagusPath
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
