package phase

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/phase/agreement/tree"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Again returns the list for the next phase of the call of l, which the last phase has not
// completed.
func (e *Engine) Again(l syncvar.List) syncvar.List {
	e.again(&l)
	return l
}

// SignalOffset returns the offset of the signal that a neighbour in the tree sends to e's rank.
func (e *Engine) SignalOffset(from dimmnet.Rank) dimmnet.Offset {
	limits := e.mover.Port.Limits()
	lines := tree.PlaceLines(&limits)
	return lines.At(tree.Of(e.mover.Port.Nodes()), e.mover.Rank, from, 0)
}

// Follows returns the signal that a bundle follows through the ring (tree.Lines).
func Follows(phase uint64) uint64 { return phase<<40 | 1<<39 | 1<<32 }

// Drive takes the rank through the rest of the phase.
func (e *Engine) Drive() error { return e.drive() }
