package host

import (
	"cmp"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/event"
)

type pause struct {
	from, to dimmnet.Time
	fault    int // its index in Config.Faults
}

// scheduleFaults schedules the events of the run's faults, and stores the pauses.
func (k *Kernel) scheduleFaults() {
	for i, f := range k.cfg.Faults {
		switch f.Kind {
		case event.Crash:
			k.line.Schedule(f.At, evCrash, int32(i))
		case event.Pause:
			n := &k.nodes[f.Rank]
			n.pauses = append(n.pauses, pause{f.At, f.End(), i})
			n.coupled = true
			k.line.Schedule(f.At, evPause, int32(f.Rank))
		}
	}
	for i := range k.nodes {
		slices.SortFunc(k.nodes[i].pauses, func(a, b pause) int { return cmp.Compare(a.from, b.from) })
	}
}

// crash fails the run, unless the program of the fault's rank has returned before.
func (k *Kernel) crash(fault int32) {
	f := &k.cfg.Faults[fault]
	for _, th := range k.nodes[f.Rank].threads {
		if th.state != ended && k.err == nil {
			k.trace.Strike(int(fault))
			k.line.Happened(f.At)
			k.fail(&event.CrashError{Rank: f.Rank, At: f.At})
		}
	}
}

func (th *Thread) nextPause() dimmnet.Time {
	if th.pauses.passed < len(th.node.pauses) {
		return th.node.pauses[th.pauses.passed].from
	}
	return never
}

const never = dimmnet.Time(1<<63 - 1)

// servePauses stops a working thread for the pauses that its clock has passed.
func (th *Thread) servePauses() {
	for th.now >= th.pauses.next {
		p := &th.node.pauses[th.pauses.passed]
		th.k.trace.Strike(p.fault)
		th.Advance(p.to - p.from)
		// The pauses do not count towards the thread's polling pass or its time slice.
		th.pass.start += p.to - p.from
		th.turn.sliceEnd += p.to - p.from
		th.pauses.passed++
		th.pauses.next = th.nextPause()
	}
}

// skipPauses lets a thread that has waited continue. If it was woken within a pause, it
// continues at the end of that pause; earlier pauses cost it nothing.
func (th *Thread) skipPauses() {
	for th.now >= th.pauses.next {
		p := &th.node.pauses[th.pauses.passed]
		if th.now < p.to {
			th.k.trace.Strike(p.fault)
			th.now = p.to
		}
		th.pauses.passed++
		th.pauses.next = th.nextPause()
	}
}

// undoPauses takes back a computation's pauses that begin after at, when the thread loses its CPU.
func (th *Thread) undoPauses(at dimmnet.Time) {
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
