package sim

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// FaultKind names what a Fault does.
type FaultKind string

// The kinds of faults.
const (
	// Pause lets the threads of Rank stand still; its NIC, and on a UDP network its
	// protocol stack, go on. An access to the NIC that has begun is finished.
	Pause FaultKind = "pause"
	// Partition holds every packet between a rank of A and one of B that leaves its
	// sender meanwhile, and delivers it in order when the window ends: somewhere
	// between them are buffers without end. Of a UDP network it loses the datagrams.
	// Notices, which are TCP, are held in both.
	Partition FaultKind = "partition"
	// Crash fails Rank at At, and with it the run, with a CrashError. A rank that has
	// returned by then does not crash.
	Crash FaultKind = "crash"
	// Corrupt changes a bit of a datagram with Probability. UDP's checksum, which
	// finds every change of one bit, drops it when its receiver has paid for it.
	// Changes that pass the checksum are not modelled.
	Corrupt FaultKind = "corrupt"
)

// Fault is something that goes wrong in a run, in a window of its virtual time: from At
// on, for less than At+For. What a kind has no use for is zero.
type Fault struct {
	Kind        FaultKind      `json:"kind"`
	At          dimmnet.Time   `json:"at_ps"`
	For         dimmnet.Time   `json:"for_ps,omitempty"`      // not of Crash
	Rank        dimmnet.Rank   `json:"rank,omitempty"`        // of Pause and Crash
	A           []dimmnet.Rank `json:"a,omitempty"`           // of Partition
	B           []dimmnet.Rank `json:"b,omitempty"`           // of Partition; no rank of A
	Probability float64        `json:"probability,omitempty"` // of Corrupt, up to less than 1
}

// End is when the window is over.
func (f *Fault) End() dimmnet.Time { return f.At + f.For }

// String says what happens when.
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

// CrashError is what a run fails with that a planned Crash ends.
type CrashError struct {
	Rank dimmnet.Rank
	At   dimmnet.Time
}

// Error names the rank and the time.
func (e *CrashError) Error() string {
	return fmt.Sprintf("sim: rank %d crashed at %v, as Config.Faults has it", e.Rank, e.At)
}

// checkFaults reports faults that no run can have.
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
		return fmt.Errorf("want a window from 0 to %v", maxTime)
	}
	if f.Kind != Crash && f.For == 0 {
		return errors.New("it lasts for no time")
	}
	switch f.Kind {
	case Pause:
		return nil
	case Crash:
		if f.For != 0 {
			return fmt.Errorf("a crash lasts: it has no window, here of %v", f.For)
		}
		return nil
	case Partition:
		if len(f.A) == 0 || len(f.B) == 0 {
			return errors.New("want ranks on both sides")
		}
		for _, r := range f.A {
			if slices.Contains(f.B, r) {
				return fmt.Errorf("rank %d is on both sides", r)
			}
		}
		return nil
	case Corrupt:
		if !udp {
			return errors.New("it is for datagrams: set Config.UDP")
		}
		if !(f.Probability > 0 && f.Probability < 1) { // nor if it is no number
			return errors.New("want a probability of more than 0 and less than 1")
		}
		return nil
	}
	return fmt.Errorf("want %s, %s, %s or %s", Pause, Partition, Crash, Corrupt)
}

// checkRanks reports ranks that a run of so many nodes does not have.
func (f *Fault) checkRanks(nodes int) error {
	for _, r := range slices.Concat([]dimmnet.Rank{f.Rank}, f.A, f.B) {
		if int(r) >= nodes {
			return fmt.Errorf("sim: fault %v: there are %d nodes", f, nodes)
		}
	}
	return nil
}

// pause is a Pause of one node.
type pause struct {
	from, to dimmnet.Time
	fault    int
}

// plan puts the faults of a run where they will be met.
func (k *kernel) plan() {
	k.struck = make([]bool, len(k.cfg.Faults))
	for i, f := range k.cfg.Faults {
		switch f.Kind {
		case Pause:
			n := &k.nodes[f.Rank]
			n.pauses = append(n.pauses, pause{f.At, f.End(), i})
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

// crash is the time of a planned one.
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

// nextPause is when the thread has to stand still again.
func (th *thread) nextPause() dimmnet.Time {
	if th.paused < len(th.node.pauses) {
		return th.node.pauses[th.paused].from
	}
	return never
}

// never is after every run.
const never = dimmnet.Time(1<<63 - 1)

// stall lets a thread that works stand still for the pauses that its clock has
// passed.
func (th *thread) stall() {
	for th.now >= th.pauseAt {
		p := &th.node.pauses[th.paused]
		th.k.struck[p.fault] = true
		th.advance(p.to - p.from)
		// Neither its polling pass nor its time slice goes on meanwhile.
		th.markAt += p.to - p.from
		th.sliceEnd += p.to - p.from
		th.paused++
		th.pauseAt = th.nextPause()
	}
}

// sleepOn lets a thread that has waited go on, at the end of the pause in which it
// is woken. Of pauses before that it has noticed nothing.
func (th *thread) sleepOn() {
	for th.now >= th.pauseAt {
		p := &th.node.pauses[th.paused]
		if th.now < p.to {
			th.k.struck[p.fault] = true
			th.now = p.to
		}
		th.paused++
		th.pauseAt = th.nextPause()
	}
}

// unstall takes back the pauses after at from what a thread is still to compute: it
// has lost its CPU before them.
func (th *thread) unstall(at dimmnet.Time) {
	for th.paused > 0 && th.node.pauses[th.paused-1].from > at {
		th.paused--
		p := &th.node.pauses[th.paused]
		th.left -= p.to - p.from
		th.pauseAt = p.from
	}
}

// awake is when a thread of the node can be woken by something that happens at at.
func (n *node) awake(at dimmnet.Time) dimmnet.Time {
	for _, p := range n.pauses {
		if at >= p.from && at < p.to {
			at = p.to
		}
	}
	return at
}

// held is when a packet passes that leaves src for dst at a time: that time, or the
// end of the partitions between them.
func (k *kernel) held(src, dst dimmnet.Rank, at dimmnet.Time) dimmnet.Time {
	until := at
	for again := true; again; {
		again = false
		for _, i := range k.partitions {
			f := &k.cfg.Faults[i]
			if until >= f.At && until < f.End() && f.parts(src, dst) {
				k.struck[i] = true
				until, again = f.End(), true
			}
		}
	}
	return until
}

// parts says whether a partition is between two ranks.
func (f *Fault) parts(a, b dimmnet.Rank) bool {
	return slices.Contains(f.A, a) && slices.Contains(f.B, b) || slices.Contains(f.A, b) && slices.Contains(f.B, a)
}

// passPartition lets a packet go on when no partition holds it, each copy of a
// multicast by itself.
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

// corrupts draws whether a datagram of e, which leaves at a time, arrives with a
// changed bit.
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
