package rules

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// want is a variable in a set, with its access if the access is known.
type want struct {
	variable ssa.Value // the SyncVar, or its Guarded
	shared   bool      // certainly shared
}

// wants returns the variables of arrays of the program that a call acquires.
func (m *model) wants(holder *ssa.Call) (list []want, ok bool) {
	s := search{m: m, seen: make(map[ssa.Value]bool)}
	switch fagusCall(&holder.Call) {
	case callVectorsGather, callVectorsReduce, callExchange: // variables of their own
		return nil, true
	case callQueueEach, callPoolEach:
		ok = s.wanted(&holder.Call)
	case callDo, callDoWhen:
		ok = s.set(arguments(&holder.Call)[0])
	case callAcquire, callAcquireWhen, callDuring:
		ok = s.set(arguments(&holder.Call)[1])
	}
	return s.wants, ok
}

// search collects the requests that a value may contain. Its methods report whether they found all.
type search struct {
	m     *model
	seen  map[ssa.Value]bool
	wants []want
}

func (s *search) again(v ssa.Value) bool {
	was := s.seen[v]
	s.seen[v] = true
	return was
}

// wanted collects the requests that the Want of an Each returns.
func (s *search) wanted(each *ssa.CallCommon) bool {
	return all(runs(each), func(r run) bool {
		if r.value == nil {
			return false
		}
		if !r.wants {
			return true
		}
		body := s.m.body(r)
		return body != nil && all(body.Blocks, func(b *ssa.BasicBlock) bool {
			ret, returns := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
			switch {
			case !returns:
				return true
			case fagusCall(each) == callQueueEach:
				return s.request(ret.Results[0])
			}
			return s.requests(ret.Results[0])
		})
	})
}

func (s *search) set(v ssa.Value) bool {
	v = s.m.resolve(v)
	if s.again(v) {
		return true
	}
	if phi, ok := v.(*ssa.Phi); ok {
		return all(phi.Edges, s.set)
	}
	c, name := resultOf(v, 0)
	return name == callSet && s.requests(arguments(&c.Call)[1])
}

func (s *search) requests(v ssa.Value) bool {
	v = s.m.resolve(v)
	if s.again(v) {
		return true
	}
	if !onlyListed(v) {
		return false
	}
	switch v := v.(type) {
	case *ssa.Const:
		return v.IsNil()
	case *ssa.Phi:
		return all(v.Edges, s.requests)
	case *ssa.Slice:
		stored, ok := listed(v)
		return ok && all(stored, s.request)
	case *ssa.Call:
		f, builtin := v.Call.Value.(*ssa.Builtin)
		return builtin && f.Name() == "append" && all(v.Call.Args, s.requests)
	}
	return false
}

func (s *search) request(v ssa.Value) bool {
	v = s.m.resolve(v)
	c, name := resultOf(v, 0)
	switch name {
	case callWriting, callReporting, callUnordered:
		return s.request(arguments(&c.Call)[0])
	case callRead, callWrite, callListRead, callListWrite:
		s.wants = append(s.wants, want{variable: arguments(&c.Call)[0], shared: name == callRead || name == callListRead})
		return true
	case callWant:
		access, ok := c.Call.Args[1].(*ssa.Const)
		s.wants = append(s.wants, want{variable: c.Call.Args[0], shared: ok && access.Value != nil && access.Value.String() == s.m.sharedAccess()})
		return true
	}
	return false
}

// all reports whether holds is true for each value. It calls holds for every value.
func all[T any](values []T, holds func(T) bool) bool {
	ok := true
	for _, v := range values {
		ok = holds(v) && ok
	}
	return ok
}

// onlyListed reports whether v is only sliced, appended to, returned, or passed to a call of
// package fagus, so that no element is assigned through it.
func onlyListed(v ssa.Value) bool {
	uses := v.Referrers()
	if uses == nil {
		return true
	}
	return !slices.ContainsFunc(*uses, func(use ssa.Instruction) bool {
		switch use := use.(type) {
		case *ssa.Phi, *ssa.Slice, *ssa.Return, *ssa.DebugRef:
			return false
		case *ssa.Call:
			f, builtin := use.Call.Value.(*ssa.Builtin)
			return !(builtin && f.Name() != "copy" && f.Name() != "clear") && fagusCall(&use.Call) == callNone
		}
		return true
	})
}

// listed returns the elements of a slice that is written as a list, such as variadic arguments. ok
// is false for a slice from make, or if an element is assigned again.
func listed(v *ssa.Slice) (list []ssa.Value, ok bool) {
	alloc, isAlloc := v.X.(*ssa.Alloc)
	if !isAlloc {
		return nil, false
	}
	for _, use := range *alloc.Referrers() {
		at, isElement := use.(*ssa.IndexAddr)
		if !isElement {
			continue
		}
		stores := 0
		for _, use := range *at.Referrers() {
			store, isStore := use.(*ssa.Store)
			if !isStore {
				return nil, false
			}
			list = append(list, store.Val)
			stores++
		}
		if stores != 1 {
			return nil, false
		}
	}
	return list, len(list) > 0
}

// guardedBy returns the arrays of which a variable guards parts. ok reports whether the list is
// complete.
func (m *model) guardedBy(variable ssa.Value) (arrays []array, ok bool) {
	variable = m.resolve(variable)
	if guarded := guardedOf(variable); guarded != nil {
		a := m.arrayOf(guarded)
		return []array{a}, a != nil
	}
	bind, name := resultOf(variable, 0)
	if name != callBind {
		return nil, false
	}
	ranges, isList := m.resolve(arguments(&bind.Call)[2]).(*ssa.Slice)
	if !isList || !onlyListed(ranges) {
		return nil, false
	}
	list, ok := listed(ranges)
	for _, v := range list {
		of, name := resultOf(m.resolve(v), 0)
		if name != callAll && name != callRange {
			return nil, false
		}
		a := m.arrayOf(arguments(&of.Call)[0])
		if a == nil {
			return nil, false
		}
		arrays = append(arrays, a)
	}
	return arrays, ok
}

// guardedOf returns the Guarded whose variable v is; nil if v is not the field Var of a Guarded.
func guardedOf(v ssa.Value) ssa.Value {
	switch at := v.(type) {
	case *ssa.Field:
		if isGuarded(at.X.Type()) {
			return at.X
		}
	case *ssa.UnOp:
		if field, ok := at.X.(*ssa.FieldAddr); ok && isGuarded(field.X.Type()) {
			return field.X
		}
	}
	if isGuarded(v.Type()) || isList(v.Type()) {
		return v
	}
	return nil
}
