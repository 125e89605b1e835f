package sim

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/host"
	"github.com/fagus-dsm/fagus/dimmnet/sim/network"
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

func (c *Config) checkFaults() error {
	for i := range c.Faults {
		f := &c.Faults[i]
		if err := f.check(c.UDP != nil); err != nil {
			return fmt.Errorf("sim: fault %d, %v: %w", i, f, err)
		}
		for j, g := range c.Faults[:i] {
			if f.Kind == Pause && g.Kind == Pause && f.Rank == g.Rank && f.At < g.End() && g.At < f.End() {
				return fmt.Errorf("sim: faults %d and %d pause rank %d at the same time", j, i, f.Rank)
			}
		}
	}
	return nil
}

func (f *Fault) check(udp bool) error {
	if f.At < 0 || f.At > maxTime || f.For < 0 || f.For > maxTime-f.At {
		return fmt.Errorf("the window must lie between 0 and %v", maxTime)
	}
	if f.Kind != Crash && f.For == 0 {
		return errors.New("field For is 0, want a duration")
	}
	switch f.Kind {
	case Pause:
		return nil
	case Crash:
		if f.For != 0 {
			return fmt.Errorf("field For is %v: a crash has no window", f.For)
		}
		return nil
	case Partition:
		if len(f.A) == 0 || len(f.B) == 0 {
			return errors.New("field A or B is empty")
		}
		for _, r := range f.A {
			if slices.Contains(f.B, r) {
				return fmt.Errorf("rank %d is in both A and B", r)
			}
		}
		return nil
	case Corrupt:
		if !udp {
			return errors.New("only datagrams can be corrupted: set Config.UDP")
		}
		if !(f.Probability > 0 && f.Probability < 1) { // the negation also rejects NaN
			return errors.New("want a Probability above 0 and below 1")
		}
		return nil
	}
	return fmt.Errorf("unknown kind: want %s, %s, %s or %s", Pause, Partition, Crash, Corrupt)
}

func (f *Fault) checkRanks(nodes int) error {
	for _, r := range slices.Concat([]dimmnet.Rank{f.Rank}, f.A, f.B) {
		if int(r) >= nodes {
			return fmt.Errorf("sim: fault %v: the run has %d nodes", f, nodes)
		}
	}
	return nil
}

// sorted are the faults of a run by the part of the simulator that they affect.
type sorted struct {
	hosts       []host.Fault
	crash       bool // one of hosts is a crash
	partitions  []network.Partition
	corruptions []network.Corruption
}

func sortFaults(faults []Fault) (s sorted) {
	for i, f := range faults {
		switch f.Kind {
		case Pause:
			s.hosts = append(s.hosts, host.Fault{Number: i, Rank: f.Rank, From: f.At, To: f.End()})
		case Crash:
			s.hosts = append(s.hosts, host.Fault{Number: i, Rank: f.Rank, From: f.At, Crash: &CrashError{f.Rank, f.At}})
			s.crash = true
		case Partition:
			s.partitions = append(s.partitions, network.Partition{Fault: i, From: f.At, To: f.End(), A: f.A, B: f.B})
		case Corrupt:
			s.corruptions = append(s.corruptions, network.Corruption{Fault: i, From: f.At, To: f.End(), Probability: f.Probability})
		}
	}
	return s
}
