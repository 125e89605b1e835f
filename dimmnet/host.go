package dimmnet

import (
	"context"
	"errors"
	"fmt"
)

// Time is an instant since the start of a run, or a duration, in picoseconds
// of the network's clock. It reaches 106 days.
type Time int64

// Units of Time.
const (
	Picosecond  Time = 1
	Nanosecond  Time = 1000 * Picosecond
	Microsecond Time = 1000 * Nanosecond
	Millisecond Time = 1000 * Microsecond
	Second      Time = 1000 * Millisecond
)

// Nanoseconds is t in nanoseconds, rounded down.
func (t Time) Nanoseconds() int64 { return int64(t / Nanosecond) }

// String prints t with the unit that suits it.
func (t Time) String() string {
	switch {
	case t == 0:
		return "0"
	case t >= Second || t <= -Second:
		return fmt.Sprintf("%.3f s", float64(t)/float64(Second))
	case t >= Millisecond || t <= -Millisecond:
		return fmt.Sprintf("%.3f ms", float64(t)/float64(Millisecond))
	case t >= Microsecond || t <= -Microsecond:
		return fmt.Sprintf("%.3f us", float64(t)/float64(Microsecond))
	}
	return fmt.Sprintf("%.3f ns", float64(t)/float64(Nanosecond))
}

// Host is what a thread of a node has: its port and its clock.
type Host interface {
	Port() Port
	// Now is this thread's clock: virtual in the simulator, else wall time.
	Now() Time
	// Spend charges d of computation to a virtual clock. On a wall clock, where
	// computing takes its own time, it does nothing. A negative d panics.
	Spend(d Time)
	// Note puts a change of state into the trace of networks that keep one.
	Note(what string, arg uint64)
	// Go starts another thread of this node, which runs f with a Host and a Port of
	// its own: the same rank, NIC and memory. What ends it otherwise than by nil fails
	// the run, as with a body; Run returns when all threads have returned. name is
	// for messages.
	Go(name string, f func(Host) error)
	// NewEvent returns an event, not set, for the threads of this node.
	NewEvent() Event
	// Notify sets the event that Notice returns at node dst, by a path beside the NIC
	// that interrupts its host and takes its time: on the papers' machines TCP over
	// 100BASE-TX. It may come before what was posted to dst before.
	Notify(dst Rank)
	// Notice returns the event of this node that Notify sets, and Notices how many
	// notices have come.
	Notice() Event
	Notices() uint64
}

// Sharer is a Host on whose network all ranks can have the same memory.
type Sharer interface {
	// Sharing says whether that is what programs expect: ranks are processes of a host.
	Sharing() bool
	// Share returns n bytes, all zero and aligned to a page, which are the same memory for
	// all ranks, until the run is over. All ranks make the same calls in the same order.
	Share(n int) ([]byte, error)
}

// Viewer is a Host on whose network a rank can read what another has in its memory.
type Viewer interface {
	// View returns n bytes for every rank, by rank, all zero and aligned to a page, until
	// the run is over. A rank must know by other means when it may read or write those of a
	// peer. All ranks make the same calls in the same order.
	View(n int) ([][]byte, error)
	// Spare says whether every rank has a processor to itself, as far as is known.
	Spare() bool
}

// Giver is a Port on whose network bytes go from one place of the program's memory to another,
// past that of the NIC. What a rank gives another is a sequence of bytes, in which the other
// takes as many at a time as were given at a time. It belongs to the thread of the Port.
type Giver interface {
	Port
	// Give posts p, at least 1 byte, to another rank, behind all that was posted to it
	// before. p rests while Giving says so.
	Give(dst Rank, p []byte) bool
	// Giving says whether something that was given to dst is still to be read here.
	// When nothing is any more, that is an arrival.
	Giving(dst Rank) bool
	// Take says where the next len(p) bytes go that src gives.
	Take(src Rank, p []byte)
	// Taking is how many Takes from src have not got all their bytes. They get them in turn.
	Taking(src Rank) int
	// Abandon forgets all Gives and Takes: their memory is not used any more, and what
	// others give is lost. It is for a run that has failed.
	Abandon()
}

// Event lets a thread sleep, without using a CPU, until another thread of its
// node sets it.
type Event interface {
	// Set wakes the thread that waits, or lets the next Wait return at once. More
	// than one Set before a Wait count as one. What a thread did before Set is seen
	// by the thread whose Wait returns for it.
	Set()
	// Wait returns nil when the event has been set, and takes that back; or the
	// port's error when the run has failed. One thread waits for an event at a time.
	Wait() error
}

// ErrDeadlock is why a run has failed in which every thread waits and nothing is in
// flight. Networks find that out as far as they can, and say which ranks wait.
var ErrDeadlock = errors.New("deadlock")

// Clock says what a network's Time means.
type Clock string

// The two clocks.
const (
	Virtual Clock = "virtual" // simulated: the same in every run with one seed
	Wall    Clock = "wall"    // the real one
)

// Network runs programs, one thread on each of its nodes.
type Network interface {
	Clock() Clock
	// Run starts body on nodes nodes, 1 to MaxNodes, and returns when all have
	// returned. A body that returns an error or panics, or ctx when it is done,
	// fails every port of the run, and Run returns that first error, a body's own
	// as it is. It may leave behind a thread that then still does not return; the
	// error says which.
	Run(ctx context.Context, nodes int, body func(Host) error) error
}
