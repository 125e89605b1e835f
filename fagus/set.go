package fagus

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Request is a variable and the mode in which it is wanted.
type Request struct {
	v        *SyncVar
	mode     Mode
	writes   []Range
	declared bool
	tells    bool // with Node.Wrote
}

// Want asks for v in a mode.
func Want(v *SyncVar, mode Mode) Request { return Request{v: v, mode: mode} }

// Writing declares which elements the holder of an exclusive variable will
// write, none if ranges is empty. Nothing is compared at Release then: the
// declared ranges count as changed, and a change elsewhere stays unseen by the
// other ranks. Compilers, which know, save the time and memory of a twin.
func (r Request) Writing(ranges ...Range) Request {
	r.writes, r.declared = ranges, true
	return r
}

// Telling is for who knows only while it holds an exclusive variable what it writes: [Node.Wrote] says so, in
// the tenure, and nothing is compared at Release. A change of which nothing is said stays unseen by the
// other ranks.
func (r Request) Telling() Request {
	r.declared, r.tells = true, true
	return r
}

// SyncSet is what a rank acquires at once. It may be acquired and released
// again and again.
type SyncSet struct {
	node     *Node
	requests []Request
	compiled bool

	shared, exclusive []syncvar.ID
	declared          [][]consistency.Range // beside exclusive; nil where nothing is declared
	allowed           [][]consistency.Range // the same, as far as it is known beforehand
}

// Set puts requests together. Mistakes in them are reported by Acquire. An
// empty set is acquired by a rank that needs nothing in a phase.
func (n *Node) Set(requests ...Request) *SyncSet {
	return &SyncSet{node: n, requests: slices.Clone(requests)}
}

// compile checks the requests and sorts them by ID.
func (s *SyncSet) compile() error {
	if s.compiled {
		return nil
	}
	for _, r := range s.requests {
		if err := s.check(r); err != nil {
			return err
		}
	}
	sorted := slices.SortedFunc(slices.Values(s.requests), func(a, b Request) int { return cmp.Compare(a.v.id, b.v.id) })
	s.shared, s.exclusive, s.declared, s.allowed = nil, nil, nil, nil
	for i, r := range sorted {
		if i > 0 && sorted[i-1].v.id == r.v.id {
			return fmt.Errorf("%q is in the set twice", r.v.name)
		}
		if r.mode == Shared {
			s.shared = append(s.shared, r.v.id)
			continue
		}
		var declared []consistency.Range
		if r.declared {
			ranges, err := s.node.checkRanges(r.writes)
			if err != nil {
				return fmt.Errorf("%q: Writing: %w", r.v.name, err)
			}
			if declared, err = s.node.space.Declare(r.v.id, ranges); err != nil {
				return fmt.Errorf("Writing: %w", err)
			}
		}
		s.exclusive = append(s.exclusive, r.v.id)
		s.declared = append(s.declared, declared)
		if r.tells {
			declared = nil
		}
		s.allowed = append(s.allowed, declared)
	}
	s.compiled = true
	return nil
}

func (s *SyncSet) check(r Request) error {
	switch {
	case r.v == nil || r.v.node == nil:
		return errors.New("a variable that was not made by Bind")
	case r.v.node != s.node:
		return fmt.Errorf("%q was bound by rank %d; every rank uses the variable that its own Bind returned", r.v.name, r.v.node.rank)
	case r.mode != Shared && r.mode != Exclusive:
		return fmt.Errorf("%q: %v: want Shared or Exclusive", r.v.name, r.mode)
	case r.declared && r.mode != Exclusive:
		return fmt.Errorf("%q: Writing or Telling on a shared variable: want it Exclusive", r.v.name)
	}
	return nil
}

// String names the set's variables and modes.
func (s *SyncSet) String() string {
	if len(s.requests) == 0 {
		return "an empty set"
	}
	names := make([]string, len(s.requests))
	for i, r := range s.requests {
		names[i] = "nothing"
		if r.v != nil {
			names[i] = fmt.Sprintf("%q (%v)", r.v.name, r.mode)
		}
	}
	return some(names)
}
