package syncvar

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// ID numbers the sync variables of a run in the order of their Bind calls.
type ID uint32

// MaxID bounds the IDs of a run, so that a list from the wire cannot make a
// table grow without bound.
const MaxID = 1 << 20

// Version counts the exclusive tenures of a variable. Version 0 is the initial
// state, zeros, which every rank has.
type Version uint64

// Mode says how a rank acquires a variable.
type Mode uint8

// The two modes.
const (
	Shared    Mode = 1 + iota // to read; any number of ranks at once
	Exclusive                 // to read and write; alone
)

// String is the mode's name.
func (m Mode) String() string {
	switch m {
	case Shared:
		return "shared"
	case Exclusive:
		return "exclusive"
	}
	return fmt.Sprintf("mode %d", uint8(m))
}

// Call is what a rank wants of a phase.
type Call uint8

// The calls. A rank in any but Acquire waits, with lists that ask for nothing,
// until all ranks are in the same call.
const (
	Acquire Call = 1 + iota
	Update
	Barrier
	End    // the rank has returned from its program
	Reduce // a Barrier at which every rank gives a word to all
	lastCall
)

// String is the call's name as a report says it.
func (c Call) String() string {
	switch c {
	case Acquire:
		return "Acquire"
	case Update:
		return "Update"
	case Barrier:
		return "Barrier"
	case End:
		return "return"
	case Reduce:
		return "Reduce"
	}
	return fmt.Sprintf("call %d", uint8(c))
}

// List is what a rank sends to all others at the start of a phase. Its ID
// slices are strictly increasing.
type List struct {
	Phase     uint64 // the phase that the list is for
	Call      Call
	Since     uint64 // the phase in which this call was first sent, at most Phase
	Declared  uint32 // how many declarations (arrays, bindings) the rank has made
	Digest    uint64 // of those declarations
	Shared    []ID   // wanted to read
	Exclusive []ID   // wanted to write
	Clean     []ID   // exclusive in the last phase, and left unchanged
	Word      uint64 // of a Reduce, what the rank gives; else 0
}

// Transfer moves what is newer than Since of a variable from one rank to
// another.
type Transfer struct {
	ID       ID
	From, To dimmnet.Rank
	Since    Version // what To has
	Relay    bool    // From is not the owner: it passes on what it receives itself
}
