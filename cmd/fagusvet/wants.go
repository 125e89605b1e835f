package main

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// want is a variable in a set, with its mode as far as it is known.
type want struct {
	variable ssa.Value
	shared   bool // surely
}

// wants are the requests that may be in a set; ok is whether these are all.
func (m *model) wants(set ssa.Value) (list []want, ok bool) {
	s := search{m: m, seen: make(map[ssa.Value]bool)}
	ok = s.set(set)
	return s.wants, ok
}

// search collects what a value may be made of. Its methods say whether they know all.
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

// set looks at a SyncSet.
func (s *search) set(v ssa.Value) bool {
	v = s.m.resolve(v)
	if s.again(v) {
		return true
	}
	if phi, ok := v.(*ssa.Phi); ok {
		return all(phi.Edges, s.set)
	}
	c, name := resultOf(v, 0)
	return name == callSet && s.requests(c.Call.Args[1])
}

// requests looks at a slice of requests.
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

// request looks at one request.
func (s *search) request(v ssa.Value) bool {
	v = s.m.resolve(v)
	c, name := resultOf(v, 0)
	switch name {
	case callWriting:
		return s.request(c.Call.Args[0])
	case callWant:
		mode, ok := c.Call.Args[1].(*ssa.Const)
		s.wants = append(s.wants, want{variable: c.Call.Args[0], shared: ok && mode.Value != nil && mode.Value.String() == s.m.sharedMode()})
		return true
	}
	return false
}

// all is whether each of the values is known; every one is looked at.
func all(values []ssa.Value, known func(ssa.Value) bool) bool {
	ok := true
	for _, v := range values {
		ok = known(v) && ok
	}
	return ok
}

// onlyListed says whether no element of a slice is assigned through v, as far as is
// seen: so it is only cut, appended to, or given to a call of package fagus.
func onlyListed(v ssa.Value) bool {
	uses := v.Referrers()
	if uses == nil {
		return true
	}
	return !slices.ContainsFunc(*uses, func(use ssa.Instruction) bool {
		switch use := use.(type) {
		case *ssa.Phi, *ssa.Slice, *ssa.DebugRef:
			return false
		case *ssa.Call:
			f, builtin := use.Call.Value.(*ssa.Builtin)
			return !(builtin && f.Name() != "copy" && f.Name() != "clear") && fagusCall(&use.Call) == callNone
		}
		return true
	})
}

// listed are the elements of a slice that is written as a list, such as the arguments
// of a call with dots. A make, or an element that is assigned later, is not known.
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

// guardedBy are the arrays that a variable guards parts of; ok is whether these are all.
func (m *model) guardedBy(variable ssa.Value) (arrays []array, ok bool) {
	bind, name := resultOf(m.resolve(variable), 0)
	if name != callBind {
		return nil, false
	}
	ranges, isList := m.resolve(bind.Call.Args[2]).(*ssa.Slice)
	if !isList || !onlyListed(ranges) {
		return nil, false
	}
	list, ok := listed(ranges)
	for _, v := range list {
		of, name := resultOf(m.resolve(v), 0)
		if name != callAll && name != callRange {
			return nil, false
		}
		a := m.arrayOf(of.Call.Args[0])
		if a == nil {
			return nil, false
		}
		arrays = append(arrays, a)
	}
	return arrays, ok
}
