package syncvar

import "github.com/fagus-dsm/fagus/dimmnet"

// Event is what the engine of a rank tells its Observer about a call of the rank.
type Event struct {
	Kind   EventKind
	Latest Latest // of Agreed, Denied and Met
	Known  bool   // of Denied: Denial is known
	Denial Denial // of Denied, Delayed and Held
}

// Latest is the rank that came last to a phase or meeting: the other ranks waited for it. It is
// unknown where lists travel over a tree: they arrive together.
type Latest struct {
	Rank  dimmnet.Rank
	Known bool
}

// EventKind says what happened.
type EventKind uint8

// The kinds of events. Each engine emits those that suit its way of granting variables.
const (
	// Moving: all ranks are in a phase, and data begin to move.
	Moving EventKind = iota
	// Agreed: a phase is over.
	Agreed
	// Denied, after Agreed: the phase did not grant the call's variables. Denial is unknown if the
	// reason is not a grant to another rank.
	Denied
	// Delayed: the rank has waited since its call began, because another rank had the only
	// variable that the call wants.
	Delayed
	// Waiting: a wait begins. Held or Met ends it; without them it has taken no time.
	Waiting
	// Held: the rank has waited since Waiting, because another rank had one of the variables that
	// the call wants.
	Held
	// Met: the rank has waited since Waiting for all ranks: to meet, or until each has made its
	// first call after an Update.
	Met

	EventKinds // the number of kinds
)

// Observer is told of the events of a rank by the goroutine that makes the rank's calls.
type Observer interface {
	// Entered says, once in each call, that the rank is about to wait. If it can, an engine posts
	// first, so that the work of Entered overlaps the time of the posts. It is an event, too, but
	// a call of On would take 3 ns more, of the 90 ns of a Barrier.
	Entered()
	// Wants reports whether the Observer uses Agreed, which comes in every call. It never changes.
	Wants(k EventKind) bool
	On(e Event)
}

// Unobserved is an Observer that ignores all events.
type Unobserved struct{}

// Entered does nothing.
func (Unobserved) Entered() {}

// Wants returns false.
func (Unobserved) Wants(EventKind) bool { return false }

// On does nothing.
func (Unobserved) On(Event) {}
