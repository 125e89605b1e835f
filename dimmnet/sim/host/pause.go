package host

import (
	"cmp"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Fault is a pause of a node's threads, or the node's crash.
type Fault struct {
	Number   int // in the trace
	Rank     dimmnet.Rank
	From, To dimmnet.Time
	// Crash fails the run at From, unless the program of Rank has returned before; nil: a pause.
	Crash error
}

type pause struct {
	from, to dimmnet.Time
	fault    int
}

// scheduleFaults schedules the events of the run's faults, and stores the pauses.
func (k *Kernel) scheduleFaults() {
	for i, f := range k.cfg.Faults {
		if f.Crash != nil {
			k.line.Schedule(f.From, evCrash, int32(i))
			continue
		}
		n := &k.nodes[f.Rank]
		n.pauses = append(n.pauses, pause{f.From, f.To, f.Number})
		n.coupled = true
		k.line.Schedule(f.From, evPause, int32(f.Rank))
	}
	for i := range k.nodes {
		slices.SortFunc(k.nodes[i].pauses, func(a, b pause) int { return cmp.Compare(a.from, b.from) })
	}
}

func (k *Kernel) crash(f *Fault) {
	for _, th := range k.nodes[f.Rank].threads {
		if th.state != ended && k.err == nil {
			k.trace.Strike(f.Number)
			k.line.Happened(f.From)
			k.fail(f.Crash)
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
