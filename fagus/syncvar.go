package fagus

import (
	"errors"
	"fmt"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/syncvar"
)

// SyncVar is a sync variable. It guards the ranges that Bind bound to it: a rank that
// holds the variable may read them, and write them if it holds the variable exclusively.
// A SyncVar belongs to the rank whose Bind returned it.
type SyncVar struct {
	node *Node
	id   syncvar.ID
	name string
}

// Name returns the name that was passed to Bind.
func (v *SyncVar) Name() string { return v.name }

// Read returns a request for shared access to v; see Want.
func (v *SyncVar) Read() Request { return Want(v, Shared) }

// Write returns a request for exclusive access to v; see Want.
func (v *SyncVar) Write() Request { return Want(v, Exclusive) }

// Bind makes a sync variable that guards one or more ranges, which may lie in different
// arrays. It is collective: every rank binds the same variables in the same order. Each
// variable has a unique name, which appears in errors.
//
// Ranges of different variables must not overlap, but may share a page. If the ranks disagree,
// their next call of Acquire, Update, Barrier or Reduce fails.
func (n *Node) Bind(name string, ranges ...Range) (*SyncVar, error) {
	if err := n.alive("Bind"); err != nil {
		return nil, err
	}
	rs, err := n.checkRanges(ranges)
	if err != nil {
		return nil, n.problem("Bind %q: %w", name, err)
	}
	var id syncvar.ID
	err = n.declare(func() (err error) {
		id, err = n.space.Bind(name, rs)
		return err
	})
	if err != nil {
		return nil, n.problem("Bind: %w", err)
	}
	if err := n.events.tell(eventBound, 0, nil, []syncvar.ID{id}); err != nil {
		return nil, n.problem("Bind: %w", err)
	}
	return &SyncVar{node: n, id: id, name: name}, nil
}

// checkVariable returns an error unless a Bind of this rank has made v. what begins the error about
// a variable that no Bind has made.
func (n *Node) checkVariable(v *SyncVar, what string) error {
	switch {
	case v == nil || v.node == nil:
		return fmt.Errorf("%s a variable that Bind did not make", what)
	case v.node != n:
		return fmt.Errorf("%q was bound by rank %d: use the variable that this rank's Bind returned", v.name, v.node.rank)
	}
	return nil
}

func (n *Node) checkRanges(ranges []Range) ([]consistency.Range, error) {
	rs := make([]consistency.Range, len(ranges))
	for i, r := range ranges {
		switch {
		case r.err != nil:
			return nil, r.err
		case r.node == nil:
			return nil, errors.New("a Range is the zero value: make Ranges with Array.Range or Array.All")
		case r.node != n:
			return nil, errors.New("a Range belongs to another rank's array: use the array that this rank's NewArray returned")
		}
		rs[i] = r.bytes
	}
	return rs, nil
}
