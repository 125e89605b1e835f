package event

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// FaultKind is the kind of a Fault.
type FaultKind string

// The kinds of faults.
const (
	// Pause stops the threads of Rank. Its NIC, and on a UDP network its protocol stack, keep
	// working. An access to the NIC that has begun is finished.
	Pause FaultKind = "pause"
	// Partition separates the ranks in A from those in B. Packets between them that leave their
	// sender in the window are held, without limit, and delivered in order when it ends. On a UDP
	// network their datagrams are lost. Notices, which are TCP, are held in both cases.
	Partition FaultKind = "partition"
	// Crash fails the run with a CrashError at the time At, unless Rank has returned before.
	Crash FaultKind = "crash"
	// Corrupt flips a bit of a datagram with the given Probability. UDP's checksum finds every
	// change of one bit, so the receiver drops the datagram after it has paid for receiving it.
	// Damage that passes the checksum is not modelled.
	Corrupt FaultKind = "corrupt"
)

// Fault is a fault from At up to At+For in virtual time. Fields that its kind does not use are 0.
type Fault struct {
	Kind        FaultKind      `json:"kind"`
	At          dimmnet.Time   `json:"at_ps"`
	For         dimmnet.Time   `json:"for_ps,omitempty"`      // not for Crash
	Rank        dimmnet.Rank   `json:"rank,omitempty"`        // for Pause and Crash
	A           []dimmnet.Rank `json:"a,omitempty"`           // for Partition
	B           []dimmnet.Rank `json:"b,omitempty"`           // for Partition; disjoint from A
	Probability float64        `json:"probability,omitempty"` // for Corrupt; above 0 and below 1
}

// End returns the end of the window.
func (f *Fault) End() dimmnet.Time { return f.At + f.For }

// Covers reports whether the time at lies in the window.
func (f *Fault) Covers(at dimmnet.Time) bool { return at >= f.At && at < f.End() }

// Separates reports whether a Partition is between the ranks a and b.
func (f *Fault) Separates(a, b dimmnet.Rank) bool {
	return slices.Contains(f.A, a) && slices.Contains(f.B, b) || slices.Contains(f.A, b) && slices.Contains(f.B, a)
}

// String describes the fault and its time.
func (f Fault) String() string {
	switch f.Kind {
	case Crash:
		return fmt.Sprintf("crash of rank %d at %v", f.Rank, f.At)
	case Pause:
		return fmt.Sprintf("pause of rank %d from %v for %v", f.Rank, f.At, f.For)
	case Partition:
		return fmt.Sprintf("partition of %v from %v, from %v for %v", f.A, f.B, f.At, f.For)
	}
	return fmt.Sprintf("%s with probability %v from %v for %v", f.Kind, f.Probability, f.At, f.For)
}

// CrashError is the error of a run that a planned Crash ends.
type CrashError struct {
	Rank dimmnet.Rank
	At   dimmnet.Time
}

// Error returns the rank and the time.
func (e *CrashError) Error() string {
	return fmt.Sprintf("sim: rank %d crashed at %v, a fault of Config.Faults", e.Rank, e.At)
}
