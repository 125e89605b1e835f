package fagus

import (
	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/syncvar"
)

// RollCall configures when roll-calls are made and where they are printed; see
// docs/guide/rollcall.md.
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

// held returns what roll-calls print of a set that a rank wants or holds: nil if s is nil.
func (s *SyncSet) held() *rollcall.Set {
	if s == nil {
		return nil
	}
	return &s.printed
}
