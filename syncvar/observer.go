package syncvar

import "github.com/fagus-dsm/fagus/dimmnet"

// Observer is informed, by the engine of a rank, of what a call of the rank waits for. The rank's
// goroutine calls its methods. An engine calls those that suit its way to grant variables.
type Observer interface {
	// Entered says, once in each call, that the rank is going to wait. Where an engine can, it
	// posts before, so that the work of Entered takes no longer than the posts are on their way.
	Entered()
	// Moving says that all ranks are in a phase, and that data have to move.
	Moving()
	// Denied says that a phase is over that has not granted the call's variables. ok is false if
	// this is not because of a grant to another rank.
	Denied(d Denial, ok bool)
	// Delayed says that the rank has waited since its call began, because another rank had the
	// only variable that the call wants.
	Delayed(d Denial)
	// Held says the same of one of several variables, for which the rank has waited since since.
	Held(d Denial, since dimmnet.Time)
	// Met says that the rank has waited since since for all ranks, of which last came last: to
	// meet, or until each has made its first call after an Update.
	Met(last dimmnet.Rank, since dimmnet.Time)
	// Now returns the rank's time, for Held and Met.
	Now() dimmnet.Time
}

// Unobserved is an Observer that ignores everything, and has no clock.
type Unobserved struct{}

var _ Observer = Unobserved{}

// Entered does nothing.
func (Unobserved) Entered() {}

// Moving does nothing.
func (Unobserved) Moving() {}

// Denied does nothing.
func (Unobserved) Denied(Denial, bool) {}

// Delayed does nothing.
func (Unobserved) Delayed(Denial) {}

// Held does nothing.
func (Unobserved) Held(Denial, dimmnet.Time) {}

// Met does nothing.
func (Unobserved) Met(dimmnet.Rank, dimmnet.Time) {}

// Now returns 0.
func (Unobserved) Now() dimmnet.Time { return 0 }
