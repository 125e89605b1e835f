package trace

import (
	"fmt"
	"strings"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Kind says what an event is.
type Kind uint8

// The kinds of events.
const (
	// Called is a call of the program. Number counts the rank's steps up to its end.
	Called Kind = 1 + iota
	// Waited is a wait for Rank in the call that follows: Rank held the variable ID or, if ID is
	// None, was the last to make its call.
	Waited
	// Moved is the time in which data moved in the call that follows.
	Moved
	// Arrived says that Bytes of the variable ID arrived in the call that follows. Number is their
	// newest version.
	Arrived
	// Wrote says that the tenure that ends has changed Bytes of the variable ID, between Lo and Hi,
	// and made the version Number.
	Wrote
	// Saved is the checkpoint Number; Bytes is 1 if it was not made.
	Saved
	// Resumed says that the run goes on from the checkpoint Number.
	Resumed
	// Failed is the first failure of a call of the rank.
	Failed
	// Measuring is the begin of what the program measures by Node.Measure.
	Measuring
	// Measured is the end of it.
	Measured
	// Copied is the time in which the Acquire that follows made copies, to find later what the
	// tenure writes.
	Copied

	Kinds // the number of kinds, plus 1
)

// String returns the name of the kind in files.
func (k Kind) String() string {
	if k == 0 || k >= Kinds {
		return fmt.Sprintf("kind %d", uint8(k))
	}
	return [...]string{"", "call", "wait", "move", "data", "write", "checkpoint", "resume", "failure", "measure begins", "measure ends", "copy"}[k]
}

// None stands for no variable, set, line or rank.
const None = -1

// Event is something that a rank has done. Of the fields, Kind says what they mean; those that it
// does not name are 0 or, for an index, None.
type Event struct {
	From, To dimmnet.Time // by the clock of the rank
	Number   uint64
	Bytes    uint64 // of Called: what the rank has posted
	Posts    uint32 // of Called: remote stores, writes and pushes
	Lo, Hi   uint32 // of Wrote: bytes from the first address of the variable, or MaxUint32
	Rank     int32
	ID       int32 // a variable
	Set      int32 // of Called: an index in Rank.Sets
	Line     int32 // of Called: an index in Rank.Lines
	Kind     Kind
	Call     rollcall.Call // of Called
}

// Of returns an event that has no indices yet.
func Of(kind Kind, from, to dimmnet.Time) Event {
	return Event{Kind: kind, From: from, To: to, Rank: None, ID: None, Set: None, Line: None}
}

// Set is the set of a call: the first variables that it acquires, and how many there are.
type Set struct {
	Shared    []syncvar.ID `json:"shared,omitempty"`
	Exclusive []syncvar.ID `json:"exclusive,omitempty"`
	Variables int          `json:"variables"`
}

// Text returns the variables of a set in words, such as "read x, y; write z".
func (t *Trace) Text(s Set) string {
	var b strings.Builder
	for i, ids := range [...][]syncvar.ID{s.Shared, s.Exclusive} {
		for k, id := range ids {
			switch {
			case k > 0:
				b.WriteString(", ")
			case b.Len() > 0:
				b.WriteString("; ")
			}
			if k == 0 {
				b.WriteString([...]string{"read ", "write "}[i])
			}
			b.WriteString(t.Name(int32(id)))
		}
	}
	if more := s.Variables - len(s.Shared) - len(s.Exclusive); more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	if s.Variables == 0 {
		return "nothing"
	}
	return b.String()
}

// Name returns the name of a variable.
func (t *Trace) Name(id int32) string {
	if int(id) < len(t.Variables) {
		return t.Variables[id].Name
	}
	return fmt.Sprintf("variable %d", id)
}

// Variable is a sync variable of the program.
type Variable struct {
	Name   string `json:"name"`
	Bytes  int    `json:"bytes"`  // that it guards
	Pieces int    `json:"pieces"` // ranges
}
