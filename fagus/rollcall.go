package fagus

import (
	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/syncvar"
)

// RollCall configures when roll-calls are made and where they are printed; see docs/rollcall.md.
type RollCall = rollcall.Config

// Roll is the result of a roll-call: what every rank does at one time.
type Roll = rollcall.Roll

// rankState provides a roll-call with the state of a rank that is in a call.
type rankState struct {
	engine
	space *consistency.Space
}

// Name returns the name of a variable.
func (s rankState) Name(id syncvar.ID) string { return s.space.Name(id) }

// enter records for roll-calls that the rank is in a call. It returns false if the rank is already
// in a call. set is nil if the call takes no set.
func (n *Node) enter(call rollcall.Call, set *SyncSet) bool {
	if set == nil { // a nil *SyncSet would not be a nil Stringer
		return n.monitor.Enter(call, nil)
	}
	return n.monitor.Enter(call, set)
}
