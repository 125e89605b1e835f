package rules

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// element is a place where elements of a shared array are read or written.
type element struct {
	instr ssa.Instruction
	pos   token.Pos
	array array
	write bool
}

// findElements finds the uses of elements of slices from Array.Slice, and the calls of Array.Copy
// and of methods of List, in every function.
func (m *model) findElements() {
	m.elements = make(map[*ssa.Function][]element)
	for _, fn := range m.funcs {
		for instr := range instructions(fn) {
			switch name := callOf(instr); name {
			case callSlice:
				m.findUsesOf(instr.(*ssa.Call))
			case callCopy, "List.At", "List.All", "List.Len", "List.Append", "List.Set", "List.Truncate":
				c, writes := instr.(*ssa.Call), name == "List.Append" || name == "List.Set" || name == "List.Truncate"
				m.elements[fn] = append(m.elements[fn], element{instr: c, pos: c.Pos(), array: m.arrayOf(arguments(&c.Call)[0]), write: writes})
			}
		}
	}
	for from, body := range m.passedTo {
		u := uses{m: m, deep: maxDeep, nested: true}
		u.slice(from)
		m.addElements(u.found, from, body, body.Pos())
	}
	for fn, list := range m.elements {
		sortElements(fn.Prog.Fset, list)
	}
}

// findUsesOf finds the uses of a call of Array.Slice, also in closures.
func (m *model) findUsesOf(slice *ssa.Call) {
	u := uses{m: m, deep: maxDeep}
	u.slice(slice)
	m.addElements(u.found, m.arrayOf(arguments(&slice.Call)[0]), slice.Parent(), slice.Pos())
}

// addElements adds uses of an array. Uses without a position get the position of their origin, if
// they are in its function.
func (m *model) addElements(found []element, of array, origin *ssa.Function, pos token.Pos) {
	for _, e := range found {
		e.array = of
		fn := e.instr.Parent()
		if !e.pos.IsValid() {
			e.pos = pos
			if fn != origin {
				e.pos = near(e.instr)
			}
		}
		m.elements[fn] = append(m.elements[fn], e)
	}
}

// near returns the position of the first instruction from instr on that has one in its block, or
// the position of its function.
func near(instr ssa.Instruction) token.Pos {
	b := instr.Block()
	for _, next := range b.Instrs[slices.Index(b.Instrs, instr):] {
		if next.Pos().IsValid() {
			return next.Pos()
		}
	}
	return instr.Parent().Pos()
}

// sortElements sorts by source order, but puts writes before reads of the same line, so that x++ is
// reported as a write.
func sortElements(fset *token.FileSet, list []element) {
	slices.SortStableFunc(list, func(a, b element) int {
		if a.write != b.write && fset.Position(a.pos).Line == fset.Position(b.pos).Line {
			if a.write {
				return -1
			}
			return 1
		}
		return int(a.pos - b.pos)
	})
}

// maxDeep bounds the call depth to which a slice argument is followed.
const maxDeep = 3

// uses follows a slice, and the addresses of its elements, through a function.
type uses struct {
	m      *model
	deep   int
	nested bool // the elements are slices of shared arrays
	found  []element
}

func (u *uses) add(instr ssa.Instruction, pos token.Pos, write bool) {
	u.found = append(u.found, element{instr: instr, pos: pos, write: write})
}

// slice collects the uses of v. It ignores values that may also be another slice.
func (u *uses) slice(v ssa.Value) {
	for _, use := range *v.Referrers() {
		switch use := use.(type) {
		case *ssa.IndexAddr:
			if u.nested {
				u.inner(use)
			} else {
				u.address(use, use.Pos())
			}
		case *ssa.Slice:
			u.slice(use)
		case *ssa.ChangeType:
			u.slice(use)
		case *ssa.MakeInterface:
			u.add(use, use.Pos(), false) // for example an argument of fmt.Println
		case *ssa.Store:
			if alloc := u.m.variable(use.Addr); alloc != nil && use.Val == v && u.m.onlyStore(alloc) == v {
				u.loads(alloc)
			}
		case *ssa.Call:
			u.argument(use, v)
		}
	}
}

// inner collects the uses of a slice in a slice. What a rank sends to itself is not shared, and is
// left out.
func (u *uses) inner(at *ssa.IndexAddr) {
	if u.m.ofRank(at.Index) {
		return
	}
	in := uses{m: u.m, deep: u.deep}
	in.loads(at)
	u.found = append(u.found, in.found...)
}

// loads collects the uses of the variable at an address, also in closures that capture it.
func (u *uses) loads(at ssa.Value) {
	for _, use := range *at.Referrers() {
		switch use := use.(type) {
		case *ssa.UnOp:
			u.slice(use)
		case *ssa.MakeClosure:
			for i, binding := range use.Bindings {
				if binding == at {
					u.loads(use.Fn.(*ssa.Function).FreeVars[i])
				}
			}
		}
	}
}

func (u *uses) argument(c *ssa.Call, v ssa.Value) {
	if f, builtin := c.Call.Value.(*ssa.Builtin); builtin {
		switch f.Name() {
		case "copy":
			if c.Call.Args[1] == v {
				u.add(c, c.Pos(), false)
			}
			if c.Call.Args[0] == v {
				u.add(c, c.Pos(), true)
			}
		case "append":
			if c.Call.Args[0] != v {
				u.add(c, c.Pos(), false)
			}
		case "clear":
			u.add(c, c.Pos(), true)
		}
		return
	}
	callee := c.Call.StaticCallee()
	if callee == nil || u.m.mayTouch(&c.Call) {
		return
	}
	if origin := callee.Origin(); origin != nil {
		callee = origin
	}
	if callee.Blocks == nil {
		if callee.Pkg != nil && u.m.standard(callee.Pkg.Pkg) {
			u.add(c, c.Pos(), false)
		}
		return
	}
	if u.deep == 0 || len(callee.Params) != len(c.Call.Args) {
		return
	}
	for i, arg := range c.Call.Args {
		if arg != v {
			continue
		}
		inner := uses{m: u.m, deep: u.deep - 1, nested: u.nested}
		inner.slice(callee.Params[i])
		if len(inner.found) > 0 {
			writes := slices.ContainsFunc(inner.found, func(e element) bool { return e.write })
			u.add(c, c.Pos(), writes)
		}
	}
}

// address collects the uses of the address of an element or of a part of an element.
func (u *uses) address(v ssa.Value, pos token.Pos) {
	for _, use := range *v.Referrers() {
		at := use.Pos()
		if !at.IsValid() {
			at = pos
		}
		switch use := use.(type) {
		case *ssa.UnOp:
			u.add(use, at, false)
		case *ssa.Store:
			if use.Addr == v {
				u.add(use, at, true)
			}
		case *ssa.FieldAddr:
			u.address(use, at)
		case *ssa.IndexAddr:
			u.address(use, at)
		}
	}
}
