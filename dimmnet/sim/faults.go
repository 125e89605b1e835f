package sim

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/event"
)

// The faults of a run, which package event describes.
type (
	// Fault is a fault in a window of virtual time.
	Fault = event.Fault
	// FaultKind is the kind of a Fault.
	FaultKind = event.FaultKind
	// CrashError is the error of a run that a planned Crash ends.
	CrashError = event.CrashError
)

// The kinds of faults.
const (
	Pause     = event.Pause
	Partition = event.Partition
	Crash     = event.Crash
	Corrupt   = event.Corrupt
)

func (c *Config) checkFaults() error {
	for i := range c.Faults {
		f := &c.Faults[i]
		if err := checkFault(f, c.UDP != nil); err != nil {
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

func checkFault(f *Fault, udp bool) error {
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

func checkRanks(f *Fault, nodes int) error {
	for _, r := range slices.Concat([]dimmnet.Rank{f.Rank}, f.A, f.B) {
		if int(r) >= nodes {
			return fmt.Errorf("sim: fault %v: the run has %d nodes", f, nodes)
		}
	}
	return nil
}
