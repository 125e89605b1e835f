package rules

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

type assignment struct {
	stored []ssa.Value
	hidden bool // the address of the field escapes, so it may have other values
}

func assignments(funcs []*ssa.Function) map[*types.Var]*assignment {
	fields := make(map[*types.Var]*assignment)
	for _, fn := range funcs {
		for instr := range instructions(fn) {
			at, ok := instr.(*ssa.FieldAddr)
			if !ok {
				continue
			}
			field := fieldOf(at)
			a := fields[field]
			if a == nil {
				a = new(assignment)
				fields[field] = a
			}
			for _, use := range *at.Referrers() {
				switch use := use.(type) {
				case *ssa.UnOp, *ssa.DebugRef:
				case *ssa.Store:
					if use.Addr == at {
						a.stored = append(a.stored, use.Val)
					} else {
						a.hidden = true
					}
				default:
					a.hidden = true
				}
			}
		}
	}
	return fields
}

func instructions(fn *ssa.Function) func(yield func(ssa.Instruction) bool) {
	return func(yield func(ssa.Instruction) bool) {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				if !yield(instr) {
					return
				}
			}
		}
	}
}

// fieldOf returns the addressed field; for an instance of a generic type, the field of the generic
// type. It returns nil if the struct is a type parameter.
func fieldOf(at *ssa.FieldAddr) *types.Var {
	return fieldNumber(at.X.Type().Underlying().(*types.Pointer).Elem(), at.Field)
}

func fieldNumber(of types.Type, i int) *types.Var {
	s, ok := of.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	return s.Field(i).Origin()
}

// maxResolve bounds the steps in which a value is followed.
const maxResolve = 20

// resolve follows v back to its origin, through variables and fields that are assigned once. It
// stops at the first value whose origin is unknown.
func (m *model) resolve(v ssa.Value) ssa.Value {
	for range maxResolve {
		next := m.source(v)
		if next == nil {
			break
		}
		v = next
	}
	return v
}

// source returns the value of which v is a copy, or nil if the value is unknown.
func (m *model) source(v ssa.Value) ssa.Value {
	switch v := v.(type) {
	case *ssa.ChangeType:
		return v.X
	case *ssa.Field:
		return m.onlyValue(fieldNumber(v.X.Type(), v.Field))
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return nil
		}
		if at, ok := v.X.(*ssa.FieldAddr); ok {
			return m.onlyValue(fieldOf(at))
		}
		if alloc := m.variable(v.X); alloc != nil {
			return m.onlyStore(alloc)
		}
	}
	return nil
}

// onlyValue returns the only value ever assigned to a field of the package, or nil.
func (m *model) onlyValue(field *types.Var) ssa.Value {
	a := m.fields[field]
	if field == nil || field.Pkg() != m.pkg || a == nil || a.hidden || len(a.stored) != 1 || field.Exported() && m.pkg.Name() != "main" {
		return nil
	}
	return a.stored[0]
}

// variable returns the local variable at an address, possibly of an enclosing function, or nil.
func (m *model) variable(at ssa.Value) *ssa.Alloc {
	for range maxResolve {
		switch v := at.(type) {
		case *ssa.Alloc:
			return v
		case *ssa.FreeVar:
			if at = m.captured(v); at == nil {
				return nil
			}
		default:
			return nil
		}
	}
	return nil
}

func (m *model) captured(v *ssa.FreeVar) ssa.Value {
	made := m.closures[v.Parent()]
	if made == nil {
		return nil
	}
	for i, free := range v.Parent().FreeVars {
		if free == v {
			return made.Bindings[i]
		}
	}
	return nil
}

// onlyStore returns the only value stored to a variable, closures included, or nil.
func (m *model) onlyStore(alloc *ssa.Alloc) ssa.Value {
	if stored, ok := m.stored(alloc); ok && len(stored) == 1 {
		return stored[0].Val
	}
	return nil
}

// stored returns the stores to a variable, closures included. ok is false if its address
// has other uses than loads and stores.
func (m *model) stored(alloc *ssa.Alloc) (stores []*ssa.Store, ok bool) {
	uses := *alloc.Referrers()
	for i := 0; i < len(uses); i++ {
		switch use := uses[i].(type) {
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.Store:
			if use.Val == alloc || m.variable(use.Addr) != alloc {
				return nil, false
			}
			stores = append(stores, use)
		case *ssa.MakeClosure:
			for j, binding := range use.Bindings {
				if m.variable(binding) == alloc {
					uses = append(uses[:len(uses):len(uses)], *use.Fn.(*ssa.Function).FreeVars[j].Referrers()...)
				}
			}
		default:
			return nil, false
		}
	}
	return stores, true
}

// array identifies a shared array: its call of NewArray or NewGuarded, or the field or parameter
// that holds the array or its Guarded. Equal values are the same array; nil is an unknown array.
type array any

// arrayOf returns the array that v, an Array or a Guarded, is.
func (m *model) arrayOf(v ssa.Value) array {
	v = m.resolve(v)
	if c, name := resultOf(v, 0); name == callNewArray || name == callNewGuarded || name == callNewBlocks || name == callNewGrid || name == callNewList {
		return c
	}
	switch v := v.(type) {
	case *ssa.Parameter:
		return v
	case *ssa.Field:
		return m.arrayIn(v.X, fieldNumber(v.X.Type(), v.Field))
	case *ssa.FieldAddr:
		if field := fieldOf(v); field == nil || !field.Embedded() || !isOf(fagusPath, namedType(v.X.Type())) {
			return known(field) // a Guarded that is itself a field
		}
		return m.arrayOf(v.X) // what an array of any type has
	case *ssa.UnOp:
		if at, ok := v.X.(*ssa.FieldAddr); ok && v.Op == token.MUL {
			return m.arrayIn(at.X, fieldOf(at))
		}
	}
	return nil
}

// arrayIn returns the array in a field of holder. All Guarded values have the same field, so holder
// identifies the array of a Guarded; so it is with Blocks and Grid of package parts.
func (m *model) arrayIn(holder ssa.Value, field *types.Var) array {
	if isGuarded(holder.Type()) || isOfParts(holder.Type()) && field != nil && field.Name() == "Array" {
		return m.arrayOf(holder)
	}
	return known(field)
}

func known(field *types.Var) array {
	if field == nil {
		return nil
	}
	return field
}

func arrayName(a array) string {
	switch a := a.(type) {
	case *ssa.Call:
		if name, ok := a.Call.Args[1].(*ssa.Const); ok && name.Value != nil {
			return name.Value.ExactString()
		}
	case *types.Var:
		return a.Name()
	case *ssa.Parameter:
		return a.Name()
	}
	return "a shared array"
}
