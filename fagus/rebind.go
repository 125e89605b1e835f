package fagus

import (
	"fmt"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/fagus/recording"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Binding says which ranges a variable guards after a [Node.Rebind]; see SyncVar.To.
type Binding struct {
	v      *SyncVar
	ranges []Range
}

// To returns the Binding of v to one or more ranges.
func (v *SyncVar) To(ranges ...Range) Binding { return Binding{v, ranges} }

// Rebind changes which ranges variables guard, as in Midway (docs/lab/papers.md). It is collective:
// every rank names the same variables and ranges, in the same order, and holds no variable.
// Together the variables must guard the same elements as before, each element once, and every
// variable at least one.
//
// Every element keeps its newest value. The rank that last held a variable exclusively (before the
// first such tenure: rank 0) fetches what is new in the variables from which it gets elements, and
// then counts as the writer of the whole variable. So the next Acquire on another rank fetches it
// whole. In memory that all ranks share, no data move.
//
// Rebind is also a Fence. If ranges change, the ranks meet three times. In between, each rank makes
// two tenures, which Update and the Report count as such: of the variables from which its own
// variables get elements, and of its own variables whose ranges change. Sets and Requests of before
// stay valid, if their variables still guard the ranges of Writing. Each call takes some 150 bytes
// of memory until the end of the run.
//
//	// Rank r has computed work[lo:hi], and the work is divided anew.
//	n.Rebind(mine[0].To(a.Range(0, cut)), mine[1].To(a.Range(cut, a.Len())))
func (n *Node) Rebind(bindings ...Binding) error {
	if err := n.ready("Rebind"); err != nil {
		return err
	}
	change, requests, err := n.rebinding(bindings)
	if err != nil {
		return n.errorf("Rebind: %w", err)
	}
	ids := change.Changed()
	if len(ids) == 0 {
		if err := n.Fence(); err != nil {
			return err
		}
		return n.rebind(change) // so that the ranks compare it
	}
	if err := n.Barrier(); err != nil { // until now, the owner of a variable could change
		return err
	}
	var own []syncvar.ID
	var sources, owned []Request
	for _, id := range ids {
		if n.owns(id) {
			own = append(own, id)
			owned = append(owned, requests[id])
		}
	}
	for _, id := range n.space.Sources(change, own) {
		sources = append(sources, requests[id].v.Read())
	}
	if err := n.move(sources); err != nil {
		return err
	}
	if err := n.Barrier(); err != nil { // until now, ranks could send data of the former ranges
		return err
	}
	if err := n.rebind(change); err != nil {
		return err
	}
	if err := n.move(owned); err != nil {
		return err
	}
	if err := n.events.tell(eventMoved, 0, nil, ids); err != nil {
		return n.errorf("Rebind: %w", err)
	}
	return n.Fence() // until now, owners could grant versions without the new ranges
}

// owns is Owns of the engine. A replay has it from the record.
func (n *Node) owns(id syncvar.ID) bool {
	own := uint64(0)
	if n.engine.Owns(id) {
		own = 1
	}
	return n.number(recording.Owns, own) == 1
}

// move makes a tenure in which the program touches nothing.
func (n *Node) move(requests []Request) error {
	set := n.Set(requests...)
	set.moves = true
	return set.Do(func() {})
}

// rebinding returns the change that bindings describe, and for each of its variables the request of
// its owner afterwards.
func (n *Node) rebinding(bindings []Binding) (*consistency.Rebinding, map[syncvar.ID]Request, error) {
	requests := make(map[syncvar.ID]Request, len(bindings))
	ids, ranges := make([]syncvar.ID, len(bindings)), make([][]consistency.Range, len(bindings))
	for i, b := range bindings {
		err := n.checkVariable(b.v, "a Binding is of")
		if err != nil {
			return nil, nil, err
		}
		if ranges[i], err = n.checkRanges(b.ranges); err != nil {
			return nil, nil, fmt.Errorf("%q: %w", b.v.name, err)
		}
		ids[i] = b.v.id
		requests[b.v.id] = b.v.Write().Writing(b.ranges...)
	}
	change, err := n.space.Rebinding(ids, ranges)
	return change, requests, err
}

// rebind changes the bindings of this rank.
func (n *Node) rebind(change *consistency.Rebinding) error {
	ids := change.Changed()
	if err := n.events.tell(eventRebinding, 0, nil, ids); err != nil {
		return n.errorf("Rebind: %w", err)
	}
	err := n.declare(func() error {
		n.space.Rebind(change)
		return nil
	})
	if err != nil {
		return n.errorf("Rebind: %w", err)
	}
	n.rebinds++
	if err := n.events.tell(eventRebound, 0, nil, ids); err != nil {
		return n.errorf("Rebind: %w", err)
	}
	return nil
}
