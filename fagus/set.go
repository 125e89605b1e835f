package fagus

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/consistency/order"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Request asks for one variable with shared or exclusive access; see Want.
type Request struct {
	v        *SyncVar
	access   Access
	writes   []Range // the arguments of Writing
	declared bool    // Writing or Reporting was called: Release compares nothing
	reports  bool    // Reporting was called: Node.Wrote supplies the ranges

	unordered bool // Unordered was called
}

// Want returns a request for v with the given access.
func Want(v *SyncVar, access Access) Request { return Request{v: v, access: access} }

// Writing returns r with a declaration of the ranges that the rank will write. Without arguments
// it declares that the rank writes nothing. The access must be Exclusive, and the requested
// variable must guard the ranges.
//
// A declaration saves the time and memory of a twin, the copy with which Release otherwise
// compares the data. All declared ranges count as changed. Changes outside them do not reach other
// ranks. Writing suits compilers, and loops that overwrite whole blocks.
func (r Request) Writing(ranges ...Range) Request {
	r.writes, r.declared = ranges, true
	return r
}

// Reporting returns r with the promise that the rank reports the elements that it writes, by
// [Node.Wrote] during the tenure. The access must be Exclusive. Release compares nothing, and
// changes that are not reported do not reach other ranks.
func (r Request) Reporting() Request {
	r.declared, r.reports = true, true
	return r
}

// Unordered returns r with the statement that the program is right in whichever order ranks are
// granted v: v is a lock, or a value of which any version will do. Config.Check reports tenures
// without this statement that only the order of phases separates (docs/guide/check.md). It changes
// nothing else.
func (r Request) Unordered() Request {
	r.unordered = true
	return r
}

// SyncSet is a set of requests that a rank acquires and releases together. It may be
// acquired again after its release, any number of times.
type SyncSet struct {
	node     *Node
	printed  rollcall.Set // this set
	requests []Request
	moves    bool // the program touches nothing in the tenure
	compiled bool // the fields below are valid, unless a Rebind has changed ranges since
	rebinds  int  // the number of Rebinds of the rank when the set was compiled

	shared, exclusive []syncvar.ID // requested with this access, in increasing order
	compared          int          // the bytes that exclusive guards
	// declared holds the ranges of Writing for each variable of exclusive; nil if undeclared.
	declared [][]consistency.Range
	// allowed equals declared, but is nil for a Reporting request: nil permits all writes.
	allowed [][]consistency.Range
	tenures []order.Tenure // of Config.Check, without versions
}

// Set makes a set of requests. Acquire returns an error if a request is invalid. A rank that needs
// no variable in a phase acquires an empty set.
func (n *Node) Set(requests ...Request) *SyncSet {
	s := &SyncSet{node: n, requests: slices.Clone(requests)}
	s.printed.Stringer = s
	return s
}

func (s *SyncSet) compile() error {
	if s.compiled && s.rebinds == s.node.rebinds {
		return nil
	}
	for _, r := range s.requests {
		if err := s.check(r); err != nil {
			return err
		}
	}
	sorted := slices.SortedFunc(slices.Values(s.requests), func(a, b Request) int { return cmp.Compare(a.v.id, b.v.id) })
	s.shared, s.exclusive, s.declared, s.allowed, s.tenures, s.compared = nil, nil, nil, nil, nil, 0
	for i, r := range sorted {
		if i > 0 && sorted[i-1].v.id == r.v.id {
			return fmt.Errorf("%q is in the set twice", r.v.name)
		}
		s.tenures = append(s.tenures, order.Tenure{Var: r.v.id, Exclusive: r.access == Exclusive, Unordered: r.unordered})
		if r.access == Shared {
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
		bytes, _ := s.node.space.Extent(r.v.id)
		s.compared += bytes
		s.declared = append(s.declared, declared)
		if r.reports {
			declared = nil
		}
		s.allowed = append(s.allowed, declared)
	}
	s.compiled, s.rebinds = true, s.node.rebinds
	return nil
}

func (s *SyncSet) check(r Request) error {
	if err := s.node.checkVariable(r.v, "the set contains"); err != nil {
		return err
	}
	switch {
	case r.access != Shared && r.access != Exclusive:
		return fmt.Errorf("%q: %v: want Shared or Exclusive", r.v.name, r.access)
	case r.declared && r.access != Exclusive:
		return fmt.Errorf("%q: Writing and Reporting need exclusive access: request it with fagus.Exclusive", r.v.name)
	}
	return nil
}

// String names at most three of the set's variables, with their access.
func (s *SyncSet) String() string {
	const most = 3
	if len(s.requests) == 0 {
		return "an empty set"
	}
	names := make([]string, 0, most)
	for _, r := range s.requests[:min(most, len(s.requests))] {
		name := "nothing"
		if r.v != nil {
			name = fmt.Sprintf("%q (%v)", r.v.name, r.access)
		}
		names = append(names, name)
	}
	text := strings.Join(names, ", ")
	if more := len(s.requests) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
