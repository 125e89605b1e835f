package syncvar

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// ID numbers the sync variables of a run in the order of their Bind calls.
type ID uint32

// MaxID bounds the IDs of a run, and so the size of a table that a list from the wire can cause.
const MaxID = 1 << 20

// Version counts the exclusive tenures of a variable. Version 0 is the initial state, all zeros,
// which every rank has.
type Version uint64

// Access says how a rank acquires a variable.
type Access uint8

// The two kinds of access.
const (
	Shared    Access = 1 + iota // for reading; any number of ranks at once
	Exclusive                   // for reading and writing; one rank at a time
)

// String returns the name of the access.
func (a Access) String() string {
	switch a {
	case Shared:
		return "shared"
	case Exclusive:
		return "exclusive"
	}
	return fmt.Sprintf("access %d", uint8(a))
}

// Call is the call that a rank is in during a phase.
type Call uint8

// The calls. In every call except Acquire, a rank waits until all ranks are in the same call, and
// its lists want nothing.
const (
	Acquire Call = 1 + iota
	Update
	Barrier
	End    // the rank's program has returned
	Reduce // a Barrier in which every rank contributes a word that all ranks get
	Fence  // a Barrier of threaded mode; in phase mode a Fence is no call: see List.Fenced
	lastCall
)

// String returns the name of c in reports.
func (c Call) String() string {
	if c > 0 && c < lastCall {
		return [...]string{Acquire: "Acquire", Update: "Update", Barrier: "Barrier", End: "return", Reduce: "Reduce", Fence: "Fence"}[c]
	}
	return fmt.Sprintf("call %d", uint8(c))
}

// List is the acquire list that a rank sends to all others at the start of a phase. Its ID slices
// are strictly increasing.
type List struct {
	Phase     uint64 // the phase in which the list is sent
	Call      Call
	Fenced    bool   // the rank has called Fence, and not all other ranks have since
	Since     uint64 // the first phase of this call, at most Phase
	Declared  uint32 // how many declarations (arrays and bindings) the rank has made
	Digest    uint64 // the digest of these declarations
	Shared    []ID   // variables wanted for reading
	Exclusive []ID   // variables wanted for writing
	Clean     []ID   // variables held exclusively since the last phase and left unchanged
	Attached  []ID   // a variable whose contents come with an inline request; at most one
	Awaits    []ID   // a variable for whose change the rank waits; at most one. It wants nothing.
	Word      uint64 // the rank's word in a Reduce; 0 in other calls
}

// Meet makes l the list of a rank that has waited for all ranks in a call since this phase, and
// reports nothing. The declarations remain.
func (l *List) Meet(call Call, phase, word uint64) {
	l.Phase, l.Since, l.Call, l.Fenced, l.Word = phase, phase, call, false, word
	l.Shared, l.Exclusive, l.Clean, l.Attached, l.Awaits = nil, nil, nil, nil, nil
}

// Meets reports whether the list says only that its rank waits for all ranks in a call.
func (l *List) Meets() bool {
	return l.Call != Acquire && !l.Fenced && len(l.Clean)+len(l.Attached) == 0
}

// Entries returns the number of variables that the list names.
func (l *List) Entries() int { return len(l.Shared) + len(l.Exclusive) + len(l.Clean) }

// Transfer moves the bytes of a variable that are newer than Since from one rank to another.
type Transfer struct {
	ID       ID
	From, To dimmnet.Rank
	Since    Version // the version of the copy at To
	Relay    bool    // From is not the owner: it passes on what it receives in the same phase
}
