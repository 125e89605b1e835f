package fagus

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/phase"
)

// Part is a part of a rank's time.
type Part int

// The parts. PartCompute is all that the program does between collective calls,
// Release excepted; PartEnd is the time that a rank spends serving others after its
// program has returned.
const (
	PartCompute Part = iota
	PartAcquire
	PartRelease
	PartUpdate
	PartBarrier // Reduce as well
	PartEnd
	Parts // how many there are
)

// String is the part's name, as in the trace of a run.
func (p Part) String() string {
	return [Parts]string{"compute", "acquire", "release", "update", "barrier", "end"}[p]
}

// Use is what a part of a run took.
type Use struct {
	Time     Time
	Calls    int              // how often the part was entered
	Counters dimmnet.Counters // what the rank's port did meanwhile
}

// Stats says what a rank has done so far.
type Stats struct {
	Rank         int
	phase.Counts        // of a threaded run Transfers and Slots alone
	Requests     uint64 // of a threaded run: one a variable that was acquired or updated
	Writes       Writes
	Parts        [Parts]Use
}

// Total is the rank's time in all parts.
func (s *Stats) Total() (t Time) {
	for _, u := range s.Parts {
		t += u.Time
	}
	return t
}

// Messages is what the rank's port did in all parts.
func (s *Stats) Messages() (c dimmnet.Counters) {
	for _, u := range s.Parts {
		c = c.Plus(u.Counters)
	}
	return c
}

// Report says what a run took.
type Report struct {
	Clock dimmnet.Clock
	Ranks []Stats // by rank
	// Advice says where the program communicates more than it needs, if Config.Check was on.
	Advice []Advice
	// Roll says of a run that failed what every rank did when it failed, or last did. Who
	// was in a call has the line of that.
	Roll Roll
}

// Stats says what this rank has done so far.
func (n *Node) Stats() Stats {
	n.clock.enter(n.clock.part)
	n.clock.settle()
	s := Stats{Rank: n.rank, Parts: n.clock.parts, Writes: n.space.Writes()}
	if n.engine != nil {
		n.engine.counts(&s)
	}
	return s
}

// stopwatch shares out a rank's time and messages among the parts.
type stopwatch struct {
	host  dimmnet.Host
	part  Part
	since Time
	parts [Parts]Use

	count    func() dimmnet.Counters // of the node
	silent   bool                    // nothing is counted outside of calls that wait
	counts   Part                    // what is counted now belongs to it
	counters dimmnet.Counters        // when that began
}

func newStopwatch(h dimmnet.Host, mode Engine, count func() dimmnet.Counters) stopwatch {
	w := stopwatch{host: h, count: count, silent: mode == Phase, since: h.Now()}
	w.parts[PartCompute].Calls = 1
	h.Note(PartCompute.String(), 0)
	return w
}

// enter charges what has passed to the present part and goes on with p.
func (w *stopwatch) enter(p Part) {
	now := w.host.Now()
	w.parts[w.part].Time += now - w.since
	w.since = now
	if p == w.part {
		return
	}
	w.part = p
	w.parts[p].Calls++
	w.host.Note(p.String(), uint64(w.parts[p].Calls))
	if p != w.counts && !(w.silent && (p == PartCompute || p == PartRelease)) {
		w.settle()
		w.counts = p
	}
}

// pass counts a part that takes less time than a look at the clock.
func (w *stopwatch) pass(p Part) {
	w.parts[p].Calls++
	w.parts[w.part].Calls++
}

// settle charges what was counted so far.
func (w *stopwatch) settle() {
	counters := w.count()
	u := &w.parts[w.counts]
	u.Counters = u.Counters.Plus(counters.Minus(w.counters))
	w.counters = counters
}
