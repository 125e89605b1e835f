package fagus

import (
	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/syncvar"
)

// RollCall says when it is told what every rank does and waits for, and to whom.
type RollCall = rollcall.Config

// Roll is what every rank does at one time.
type Roll = rollcall.Roll

// asked knows what a rank in a call waits for.
type asked struct {
	engine
	space *consistency.Space
}

// Name is that of a variable.
func (a asked) Name(id syncvar.ID) string { return a.space.Name(id) }

// enter says that the rank is in a call, unless it is in one; set is nil if it has none.
func (n *Node) enter(call syncvar.Call, set *SyncSet) bool {
	if set == nil {
		return n.seat.Enter(call.String(), nil)
	}
	return n.seat.Enter(call.String(), set)
}
