package sim

import (
	"cmp"
	"errors"
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

type pause struct {
	from, to dimmnet.Time
	fault    int
}

// scheduleFaults schedules the events of the run's faults, and stores the faults.
func (k *kernel) scheduleFaults() {
	k.struck = make([]bool, len(k.cfg.Faults))
	for i, f := range k.cfg.Faults {
		switch f.Kind {
		case Pause:
			n := &k.nodes[f.Rank]
			n.pauses = append(n.pauses, pause{f.At, f.End(), i})
			n.coupled = true
			k.schedule(f.At, evPause, int32(f.Rank))
		case Crash:
			k.schedule(f.At, evCrash, int32(i))
		case Partition:
			k.partitions = append(k.partitions, i)
		case Corrupt:
			k.corruptions = append(k.corruptions, i)
		}
	}
	for i := range k.nodes {
		slices.SortFunc(k.nodes[i].pauses, func(a, b pause) int { return cmp.Compare(a.from, b.from) })
	}
}

func (k *kernel) crash(fault int) {
	f := &k.cfg.Faults[fault]
	for _, th := range k.nodes[f.Rank].threads {
		if th.state != ended && k.err == nil {
			k.struck[fault] = true
			k.count(f.At)
			k.fail(&CrashError{f.Rank, f.At})
		}
	}
}

func (th *thread) nextPause() dimmnet.Time {
	if th.pauses.passed < len(th.node.pauses) {
		return th.node.pauses[th.pauses.passed].from
	}
	return never
}

const never = dimmnet.Time(1<<63 - 1)

// servePauses stops a working thread for the pauses that its clock has passed.
func (th *thread) servePauses() {
	for th.now >= th.pauses.next {
		p := &th.node.pauses[th.pauses.passed]
		th.k.struck[p.fault] = true
		th.advance(p.to - p.from)
		// The pauses do not count towards the thread's polling pass or its time slice.
		th.pass.start += p.to - p.from
		th.turn.sliceEnd += p.to - p.from
		th.pauses.passed++
		th.pauses.next = th.nextPause()
	}
}

// skipPauses lets a thread that has waited continue. If it was woken within a pause, it
// continues at the end of that pause; earlier pauses cost it nothing.
func (th *thread) skipPauses() {
	for th.now >= th.pauses.next {
		p := &th.node.pauses[th.pauses.passed]
		if th.now < p.to {
			th.k.struck[p.fault] = true
			th.now = p.to
		}
		th.pauses.passed++
		th.pauses.next = th.nextPause()
	}
}

// undoPauses takes back a computation's pauses that begin after at, when the thread loses its CPU.
func (th *thread) undoPauses(at dimmnet.Time) {
	for th.pauses.passed > 0 && th.node.pauses[th.pauses.passed-1].from > at {
		th.pauses.passed--
		p := &th.node.pauses[th.pauses.passed]
		th.turn.left -= p.to - p.from
		th.pauses.next = p.from
	}
}

// afterPause returns the time at, or the end of a pause that contains it: when threads can act.
func (n *node) afterPause(at dimmnet.Time) dimmnet.Time {
	for _, p := range n.pauses {
		if at >= p.from && at < p.to {
			at = p.to
		}
	}
	return at
}

// held returns when a packet that leaves src for dst at the time at can pass all partitions.
func (k *kernel) held(src, dst dimmnet.Rank, at dimmnet.Time) dimmnet.Time {
	until := at
	for again := true; again; {
		again = false
		for _, i := range k.partitions {
			f := &k.cfg.Faults[i]
			if until >= f.At && until < f.End() && f.separates(src, dst) {
				k.struck[i] = true
				until, again = f.End(), true
			}
		}
	}
	return until
}

func (f *Fault) separates(a, b dimmnet.Rank) bool {
	return slices.Contains(f.A, a) && slices.Contains(f.B, b) || slices.Contains(f.A, b) && slices.Contains(f.B, a)
}

// passPartition sends p on, or holds it. Each copy of a multicast is held separately.
func (k *kernel) passPartition(p packet, at dimmnet.Time) {
	if p.dsts == nil {
		k.leaveHeld(p, at)
		return
	}
	through := make([]dimmnet.Rank, 0, len(p.dsts))
	for _, dst := range p.dsts {
		if k.held(p.src, dst, at) == at {
			through = append(through, dst)
			continue
		}
		own := p
		own.dst, own.dsts = dst, nil
		k.leaveHeld(own, at)
	}
	if len(through) > 0 {
		p.dst, p.dsts = through[0], through
		if len(through) == 1 {
			p.dsts = nil
		}
		k.leave(p, at)
	}
}

func (k *kernel) leaveHeld(p packet, at dimmnet.Time) {
	until := k.held(p.src, p.dst, at)
	if until > at {
		k.heldPackets++
	}
	k.leave(p, until)
}

// corrupts draws whether e's datagram that leaves at the time at is damaged.
func (k *kernel) corrupts(e *end, at dimmnet.Time) bool {
	for _, i := range k.corruptions {
		f := &k.cfg.Faults[i]
		if at >= f.At && at < f.End() && k.chance(e, f.Probability) {
			k.struck[i] = true
			k.counts.Corrupted++
			return true
		}
	}
	return false
}
