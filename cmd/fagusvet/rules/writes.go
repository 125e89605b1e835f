package rules

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// written returns the addresses, maps and channels that an instruction writes to.
func (o *outside) written(instr ssa.Instruction) []ssa.Value {
	switch instr := instr.(type) {
	case *ssa.Store:
		return []ssa.Value{instr.Addr}
	case *ssa.MapUpdate:
		return []ssa.Value{instr.Map}
	case *ssa.Send:
		if !isNode(instr.X.Type()) { // else handed to a goroutine that runs the rank
			return []ssa.Value{instr.Chan}
		}
	case *ssa.UnOp:
		// An element struct{} is a signal.
		if c, ok := instr.X.Type().Underlying().(*types.Chan); ok && c.Elem().Underlying().String() != "struct{}" {
			return []ssa.Value{instr.X}
		}
	case ssa.CallInstruction:
		return o.writtenBy(instr.Common())
	}
	return nil
}

func (o *outside) writtenBy(c *ssa.CallCommon) (at []ssa.Value) {
	if b, ok := c.Value.(*ssa.Builtin); ok {
		if slices.Contains([]string{"copy", "delete", "clear", "close"}, b.Name()) {
			return c.Args[:1]
		}
		return nil
	}
	callee := c.StaticCallee()
	if callee == nil {
		return nil
	}
	if i, ok := standardWrite(c, callee); ok {
		return c.Args[i : i+1]
	}
	callee = function(callee)
	args := arguments(c)
	if s := o.m.summaryOf(callee); s != nil {
		for _, i := range s.Writes {
			if i < len(args) {
				at = append(at, args[i])
			}
		}
		return at
	}
	for i, arg := range args {
		if o.writes[callee][i] {
			at = append(at, arg)
		}
	}
	return at
}

// synchronous reports whether an instruction writes under a lock, or by sync/atomic or a channel,
// also if a function that it calls does so with its parameters.
func (o *outside) synchronous(instr ssa.Instruction, depth int) bool {
	c, ok := instr.(ssa.CallInstruction)
	if locked(instr) || synchronizes(instr) || !ok || c.Common().StaticCallee() == nil {
		return locked(instr) || synchronizes(instr)
	}
	callee := function(c.Common().StaticCallee())
	if s := o.m.summaryOf(callee); s != nil {
		return s.Locks
	}
	return depth > 0 && o.m.has(callee) && o.locks(callee, depth-1)
}

// locks reports whether a function writes through its parameters only so.
func (o *outside) locks(fn *ssa.Function, depth int) bool {
	for instr := range instructions(fn) {
		for _, at := range o.written(instr) {
			if _, passed := o.m.base(at).(*ssa.Parameter); passed && !o.synchronous(instr, depth) {
				return false
			}
		}
	}
	return true
}

// base returns the value that an address, map, slice or pointer is computed from: a global or
// captured variable, a parameter, or what else v is; nil for an element that the rank chooses.
func (m *model) base(v ssa.Value) ssa.Value {
	b, chosen := m.anyBase(v)
	if chosen {
		return nil // every rank has its own element
	}
	return b
}

// anyBase returns the base also of an element that the rank chooses.
func (m *model) anyBase(v ssa.Value) (base ssa.Value, chosen bool) {
	for range maxResolve {
		switch x := v.(type) {
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.IndexAddr:
			chosen = chosen || m.ownElement(x.Index)
			v = x.X
		case *ssa.UnOp:
			v = x.X
		case *ssa.Slice:
			chosen = chosen || x.Low != nil && m.ofRank(x.Low)
			v = x.X
		case *ssa.ChangeType:
			v = x.X
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.Lookup:
			chosen = chosen || m.ownElement(x.Index)
			v = x.X
		case *ssa.Alloc: // a local variable that holds a pointer, or a reference
			only := onlyAssigned(x)
			if only == nil {
				return x, chosen
			}
			v = only
		default:
			return v, chosen
		}
	}
	return v, chosen
}

// ownElement reports whether each rank has another value of an index. What a loop counts, modulo a
// number, is the same on several ranks.
func (m *model) ownElement(index ssa.Value) bool {
	if c, ok := m.resolve(index).(*ssa.Convert); ok {
		index = c.X
	}
	op, ok := m.resolve(index).(*ssa.BinOp)
	folds := ok && (op.Op == token.AND || op.Op == token.REM && !strings.HasSuffix(names{m: m}.text(op.Y), string(callNodes)+"()"))
	return m.ofRank(index) && !(folds && m.differs.counted(index))
}

// onlyAssigned returns the single reference that is stored in a local variable, or nil.
func onlyAssigned(a *ssa.Alloc) (value ssa.Value) {
	switch a.Type().(*types.Pointer).Elem().Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Slice, *types.Chan:
	default:
		return nil
	}
	for _, use := range *a.Referrers() {
		if s, ok := use.(*ssa.Store); ok && s.Addr == a {
			if value != nil {
				return nil
			}
			value = s.Val
		}
	}
	return value
}

// locked reports whether a mutex is certainly locked at an instruction: the function has locked one
// on every path to it, and has not unlocked one since.
func locked(instr ssa.Instruction) bool {
	b := instr.Block()
	for i := slices.Index(b.Instrs, instr) - 1; ; i-- {
		if i < 0 {
			if b = b.Idom(); b == nil {
				return false
			}
			i = len(b.Instrs)
			continue
		}
		c, ok := b.Instrs[i].(*ssa.Call)
		if !ok {
			continue
		}
		switch callee := c.Call.StaticCallee(); {
		case callee == nil || !isOf("sync", receiverType(callee)):
		case callee.Name() == "Lock":
			return true
		case callee.Name() == "Unlock":
			return false
		}
	}
}

// synchronizes reports whether an instruction writes by sync/atomic, sync.Map or a channel.
func synchronizes(instr ssa.Instruction) bool {
	switch instr := instr.(type) {
	case *ssa.Send:
		return true
	case *ssa.UnOp:
		return instr.Op == token.ARROW
	case ssa.CallInstruction:
		callee := instr.Common().StaticCallee()
		if b, ok := instr.Common().Value.(*ssa.Builtin); ok {
			return b.Name() == "close"
		}
		return callee != nil && callee.Pkg != nil && (callee.Pkg.Pkg.Path() == "sync/atomic" || callee.Pkg.Pkg.Path() == "sync")
	}
	return false
}

// caches reports whether an instruction keeps what the function has looked up before in the same
// map, and not found: every process has a right copy.
func caches(fn *ssa.Function, instr ssa.Instruction) bool {
	var into ssa.Value
	switch instr := instr.(type) {
	case *ssa.MapUpdate:
		into = instr.Map
	case *ssa.Call:
		if callee := instr.Call.StaticCallee(); callee != nil && callee.Name() == "Store" && isOf("sync", receiverType(callee)) {
			into = instr.Call.Args[0]
		}
	}
	if into == nil {
		return false
	}
	for other := range instructions(fn) {
		switch other := other.(type) {
		case *ssa.Lookup:
			if other.CommaOk && sameVariable(other.X, into) {
				return true
			}
		case *ssa.Call:
			if callee := other.Call.StaticCallee(); callee != nil && callee.Name() == "Load" && len(other.Call.Args) > 0 && sameVariable(other.Call.Args[0], into) {
				return true
			}
		}
	}
	return false
}

// sameVariable reports whether two values are equal, or loaded from the same variable.
func sameVariable(a, b ssa.Value) bool {
	x, okX := a.(*ssa.UnOp)
	y, okY := b.(*ssa.UnOp)
	return a == b || okX && okY && x.Op == y.Op && x.X == y.X
}

// standardWrite returns through which argument a function of the standard library writes.
func standardWrite(c *ssa.CallCommon, callee *ssa.Function) (argument int, ok bool) {
	object, isFunc := function(callee).Object().(*types.Func)
	if !isFunc || object.Pkg() == nil || len(c.Args) == 0 {
		return 0, false
	}
	begins := func(prefixes ...string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(object.Name(), p) })
	}
	switch receiver := receiverName(object); object.Pkg().Path() {
	case "sync/atomic":
		return 0, !begins("Load")
	case "sync":
		return 0, receiver == "Map" && begins("Store", "Swap", "Delete", "CompareAnd")
	case "strings", "bytes":
		return 0, (receiver == "Builder" || receiver == "Buffer") && begins("Write", "Reset", "ReadFrom", "Truncate")
	case "container/list":
		return 0, receiver == "List" && begins("Push", "Insert", "Remove", "Move", "Init")
	case "container/heap":
		return 0, begins("Push", "Pop", "Init", "Fix", "Remove")
	case "math/rand", "math/rand/v2":
		return 0, receiver == "Rand" && !begins("New")
	case "slices", "sort":
		return 0, begins("Sort", "Reverse", "Slice", "Stable", "Ints", "Float64s", "Strings") && !begins("Sorted", "SliceIsSorted")
	case "encoding/json":
		return 1, object.Name() == "Unmarshal"
	case "fmt":
		buffer, isBuffer := c.Args[0].(*ssa.MakeInterface)
		return 0, begins("Fprint") && isBuffer && (isOf("strings", namedType(buffer.X.Type())) || isOf("bytes", namedType(buffer.X.Type())))
	}
	return 0, false
}
