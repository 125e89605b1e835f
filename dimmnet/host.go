package dimmnet

import (
	"context"
	"errors"
	"fmt"
)

// Time is an instant since the start of a run, or a duration, in picoseconds of the network's
// clock. Its range is 106 days.
type Time int64

// Units of Time.
const (
	Picosecond  Time = 1
	Nanosecond  Time = 1000 * Picosecond
	Microsecond Time = 1000 * Nanosecond
	Millisecond Time = 1000 * Microsecond
	Second      Time = 1000 * Millisecond
)

// Nanoseconds returns t in nanoseconds, rounded down.
func (t Time) Nanoseconds() int64 { return int64(t / Nanosecond) }

// String returns t with the largest unit in which it is at least 1.
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

// Host is a thread's view of its node: port, clock, and means to start and await threads.
type Host interface {
	Port() Port
	// Now returns this thread's clock: virtual in the simulator, else wall time.
	Now() Time
	// Spend advances a virtual clock by d, the time of a computation. It does nothing on a wall
	// clock, which advances by itself. A negative d panics.
	Spend(d Time)
	// Charge advances a virtual clock by the time that n units of work cost on the network's model
	// of a host. It does nothing on a wall clock. Other threads may run meanwhile, as in calls of
	// the port. A step of a Stepper calls it only if it makes progress. A negative n panics.
	Charge(w Work, n int)
	// Note records a change of state in the trace, on networks that keep one.
	Note(what string, arg uint64)
	// Go starts another thread of this node. It runs f with its own Host and Port, which share the
	// rank, NIC and memory. If f returns an error or panics, the run fails, as with a body.
	// Network.Run returns after all threads have returned. name appears in error messages.
	Go(name string, f func(Host) error)
	// NewEvent returns an event, not set, for the threads of this node.
	NewEvent() Event
	// Notify interrupts the host of node dst and sets the event that Notice returns there. Notices
	// travel beside the NIC, on the papers' machines by TCP over 100BASE-TX. A notice takes its
	// own time and may arrive before earlier posts to dst.
	Notify(dst Rank)
	// Notice returns this node's event, which Notify sets. Notices returns how often it was set.
	Notice() Event
	Notices() uint64
}

// CommonClock is a Host whose Now is fast, but may differ by microseconds between ranks.
type CommonClock interface {
	// CommonNow is Now by a clock that all ranks of the process share.
	CommonNow() Time
}

// Work is a kind of work of a host that costs time on a simulated network.
type Work uint8

// The kinds of work, and the unit of each.
const (
	Copy    Work = iota // a byte copied from memory to memory
	Give                // a byte read from memory for the NIC; the port charges writing it
	Take                // a byte written to memory from the NIC; the port charges reading it
	Compare             // a byte compared with its twin
	Miss                // a line that a program reads from memory, because no cache has it
	Entry               // an entry of a list, or a message
	Step                // a rank or a transfer of a plan
	Notice              // a notice that a thread reads, by a system call
	Works               // the number of kinds
)

// String returns the name of w, as in "copy".
func (w Work) String() string {
	if w < Works {
		return [Works]string{"copy", "give", "take", "compare", "miss", "entry", "step", "notice"}[w]
	}
	return fmt.Sprintf("work %d", uint8(w))
}

// Sharer is a Host on whose network all ranks can share memory.
type Sharer interface {
	// Sharing reports whether the ranks are processes of one host; programs should then use Share.
	Sharing() bool
	// Share returns n zero bytes, aligned to a page. All ranks get the same memory, and keep it
	// until the run is over. All ranks make the same calls in the same order.
	Share(n int) ([]byte, error)
}

// Viewer is a Host on whose network a rank can read the memory of the other ranks.
type Viewer interface {
	// View returns one slice of n zero bytes for every rank, indexed by rank and aligned to a
	// page. The slices remain valid until the run is over. The program must synchronize accesses
	// to a peer's slice by other means. All ranks make the same calls in the same order.
	View(n int) ([][]byte, error)
	// Mapped reports whether View returns pages of a shared mapping, so that a process can map its
	// own memory a second time.
	Mapped() bool
	// OwnProcessor reports whether every rank has a processor to itself, as far as is known.
	OwnProcessor() bool
}

// Connected is a Port of a network with connections.
type Connected interface {
	// Connections returns the number of ranks to which this rank is connected.
	Connections() int
}

// Linked is a Port of a network whose connections count what they carry.
type Linked interface {
	// Links returns a Link for each rank to which this rank is connected, by rank. Any goroutine
	// may call it, also after the run.
	Links() []Link
}

// Link is what the connection of a rank to a peer has carried: bytes as the network sent them, with
// headers of its own, encryption, and what was sent again.
type Link struct {
	Peer           Rank
	Sent, Received uint64 // bytes
	Resent         uint64 // packets that were sent again, or lost
}

// Prefetcher is a Port to memory that processors cache.
type Prefetcher interface {
	Port
	// PrefetchWord says that this rank will soon Store to the word at off in dst's LLCM, which dst
	// does not poll before that. Then the Store takes less time. There is no other effect.
	PrefetchWord(dst Rank, off Offset)
	// Prefetch says that this rank will soon read p, or write it if write is set. p is memory of
	// at least 1 byte that this rank shares with other ranks, which do not use it before that.
	// Prefetch has no other effect.
	Prefetch(p []byte, write bool)
}

// ZeroCopy is a Port whose network moves bytes directly from the sender's program memory to the
// receiver's, bypassing the memory of the NIC. The bytes from one rank to another are a stream of
// pieces: the n-th Receive must have the length of the n-th Send. Only the thread that owns the
// Port may call these methods.
type ZeroCopy interface {
	Port
	// Send posts p, at least 1 byte, to dst. It lands after everything posted to dst earlier. The
	// caller must not change p until Sending(dst) is false.
	Send(dst Rank, p []byte) (posted bool)
	// Sending reports whether the network still reads memory that was sent to dst. When it turns
	// false, that counts as an arrival.
	Sending(dst Rank) bool
	// Receive lets the network write the next len(p) bytes from src to p.
	Receive(src Rank, p []byte)
	// Receiving returns the number of incomplete Receives from src. They complete in order.
	Receiving(src Rank) int
	// Abandon cancels all Sends and Receives of a failed run. The port no longer touches their
	// memory, and drops what peers still send.
	Abandon()
}

// Event lets a thread wait, without a CPU, until another thread of its node sets the event.
type Event interface {
	// Set wakes the waiting thread; if none waits, the next Wait returns at once. Several Sets
	// before a Wait count as one. The thread whose Wait returns sees everything done before Set.
	Set()
	// Wait blocks until the event is set, clears it and returns nil. If the run has failed, Wait
	// returns the port's error. Only one thread at a time may wait for an event.
	Wait() error
}

// ErrDeadlock is the error of a run in which every thread waits and nothing is in flight. Networks
// detect this as far as they can; the error names the waiting ranks.
var ErrDeadlock = errors.New("deadlock")

// Clock is the kind of a network's clock.
type Clock string

// The two kinds of clocks.
const (
	Virtual Clock = "virtual" // simulated: the same in every run with the same seed
	Wall    Clock = "wall"    // real time
)

// Origin says where the clock of a rank begins on the clock of its machine, which all processes of
// the machine share.
type Origin struct {
	Machine uint64 `json:"machine,omitempty"` // identifies the machine since its start; 0: unknown
	Zero    int64  `json:"zero_ns,omitempty"` // ns of the machine's monotonic clock at Time 0
	Off     Time   `json:"off_ps,omitempty"`  // how far Zero may be off
}

// Network runs programs: one body for each node.
type Network interface {
	Clock() Clock
	// Run starts body on each of nodes nodes, 1 to MaxNodes, and returns when all threads have
	// returned. A body that returns an error or panics fails every port of the run, and so does
	// the end of ctx. Run returns the first such error; the error of a body is returned unchanged.
	// If a thread does not return after the run has failed, Run may leave it behind; the error
	// names it.
	Run(ctx context.Context, nodes int, body func(Host) error) error
}
