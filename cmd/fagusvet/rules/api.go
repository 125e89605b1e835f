package rules

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// fagusPath is the package whose callers are checked. partsPath has calls of its own.
const (
	fagusPath = "github.com/fagus-dsm/fagus/fagus"
	partsPath = fagusPath + "/parts"
)

// Packages that run programs, as package fagus does.
const (
	clusterPath = fagusPath + "/cluster"
	programPath = fagusPath + "/program"
)

// call is a known function or method. Methods of package parts begin with their type, because some
// have the same name.
type call string

// String returns the name by which a program calls it.
func (c call) String() string {
	_, name, method := strings.Cut(string(c), ".")
	if !method {
		return string(c)
	}
	return name
}

// The calls that the rules know.
const (
	callAcquire    call = "Acquire"
	callRelease    call = "Release"
	callUpdate     call = "Update"
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
	callGather     call = "Gather"
	callMeasure    call = "Measure"
	callDo         call = "Do"
	callDuring     call = "During"

	callAcquireWhen call = "AcquireWhen"
	callDoWhen      call = "DoWhen"

	// Of package parts.
	callNewBlocks     call = "NewBlocks"
	callNewGrid       call = "NewGrid"
	callNewList       call = "NewList"
	callListRead      call = "List.Read"
	callListWrite     call = "List.Write"
	callSend          call = "Channel.Send"
	callReceive       call = "Channel.Receive"
	callClose         call = "Channel.Close"
	callReceiveAll    call = "Channel.All"
	callTimed         call = "Timed"
	callVectorsGather call = "Vectors.Gather"
	callVectorsReduce call = "Vectors.Reduce"
	callExchange      call = "AllToAll.Exchange"
	callQueueEach     call = "Queue.Each"
	callPoolEach      call = "Pool.Each"

	callOther call = "other" // another function of package fagus or parts
	callNone  call = ""      // none of these, or a dynamic call
)

// traits is what the rules know of a call.
type traits uint8

const (
	plain      traits = 1 << iota // none of these
	free                          // the rank must hold no set
	collective                    // all ranks make the call, in both modes
	tenure                        // it runs functions while it holds a set
	alike                         // all ranks pass the same arguments
	ownCall                       // only the goroutine of the rank makes the call
)

func (c call) is(t traits) bool { return c.traits()&t != 0 }

// traits returns the traits of a call; none for calls that the rules do not know.
func (c call) traits() traits {
	switch c {
	case callSet, callRank, callNodes, callMode, callWant, callRead, callWrite, callWriting, callReporting, callUnordered,
		callSlice, callCopy, callAll, callRange, callMeasure, callListRead, callListWrite,
		"List.At", "List.All", "List.Len", "List.Append", "List.Set", "List.Truncate":
		return plain
	case callRelease, "Wrote":
		return ownCall
	case callAcquire, callSend, callReceive, callClose, callReceiveAll:
		return free | ownCall
	case callDo, callDuring, callDoWhen, callAcquireWhen:
		return free | tenure | ownCall
	case "Steps", "Rounds", "NewQueue", "NewPool":
		return alike | ownCall
	case callNewArray, callNewGuarded, callBind, "Rebind", callNewBlocks, callNewGrid, callNewList, "NewLists", "NewPair", "NewVectors",
		"NewSums", "NewExactSums", "NewAllToAll", "NewTable", "NewWhole", "NewChannel":
		return collective | alike | ownCall
	case "Checkpoint", "Resume", "Fold", "Whole.Keep":
		return collective | ownCall
	case callUpdate, "Barrier", "Fence", callReduce, callGather, callTimed, "Sums.Add", "ExactSums.Add", "Table.Merge":
		return free | collective | ownCall
	case "Broadcast", "Table.Collect":
		return free | collective | alike | ownCall
	case "Pair.Fill", "Pair.Step", "Fields.Fill", "Fields.Step", "Whole.Fill", "Whole.Next", "Whole.Read",
		callVectorsGather, callVectorsReduce, callExchange, callQueueEach, callPoolEach:
		return free | collective | tenure | ownCall
	}
	return 0
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
	name, receiver := call(f.Name()), receiverName(f)
	if f.Pkg().Path() == partsPath && receiver != "" {
		name = call(receiver) + "." + name
	}
	switch name {
	case "Queue.EachInRounds":
		name = callQueueEach
	case "Pool.EachInRounds":
		name = callPoolEach
	}
	if name.traits() == 0 {
		return callOther
	}
	return name
}

// arguments returns the arguments of a known call. The first is the receiver of a method, also if
// the call is of a method value.
func arguments(c *ssa.CallCommon) []ssa.Value {
	if value, ok := c.Value.(*ssa.MakeClosure); ok && value.Fn.(*ssa.Function).Synthetic != "" {
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
	return isOf(fagusPath, named) && named.Obj().Name() == "Guarded"
}

// isList reports whether t is parts.List or a pointer to it.
func isList(t types.Type) bool { return isOfParts(t) && namedType(t).Obj().Name() == "List" }

// isOfParts reports whether t is a type of package parts or a pointer to it.
func isOfParts(t types.Type) bool { return isOf(partsPath, namedType(t)) }

func isOf(path string, named *types.Named) bool {
	return named != nil && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == path
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
