package phase

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// NewPlan returns the plan of a phase, with transfers from table.
func NewPlan(phase uint64, lists []syncvar.List, table *syncvar.Table) (Plan, error) {
	var p Plan
	err := p.derive(nil, phase, lists, table)
	return p, err
}

// Again returns the list for the next phase of a call that the last phase, with list l, has not
// completed.
func (e *Engine) Again(l syncvar.List) syncvar.List {
	e.again(&l)
	return l
}

// SignalOffset returns the offset of the signal that a neighbour in the tree sends to e's rank.
func (e *Engine) SignalOffset(from dimmnet.Rank) dimmnet.Offset {
	return e.lines.at(e.tree, e.rank, from, 0)
}

// Follows returns the signal that a bundle follows through the ring.
func Follows(phase uint64) uint64 { return signal{follows: true}.encode(phase) }

// Drive takes the rank through the rest of the phase.
func (e *Engine) Drive() error { return e.drive() }
