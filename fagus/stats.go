package fagus

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/phase"
)

// Part is a part of a rank's run time: the kind of activity that the time is spent on.
type Part int

// The parts of a rank's run time.
const (
	PartCompute Part = iota // in the program, outside the calls below
	PartAcquire             // in Acquire
	PartRelease             // in Release
	PartUpdate              // in Update
	PartBarrier             // in Barrier and Reduce
	PartEnd                 // serving other ranks after the program has returned
	Parts                   // the number of parts
)

// String returns the name of the part as traces and JSON reports spell it.
func (p Part) String() string {
	return [Parts]string{"compute", "acquire", "release", "update", "barrier", "end"}[p]
}

// Use is the time and the communication that a rank spent on one part.
type Use struct {
	Time     Time
	Calls    int              // number of times that the part was entered
	Counters dimmnet.Counters // operations of the rank's port during the part
}

// Stats counts what a rank has done since the start of the run.
type Stats struct {
	Rank int

	// Counts counts the phases and transfers of the engine. In Threaded mode only its fields
	// Transfers and Slots are set; with locks Transfers and Fetched, if ranks have copies.
	phase.Counts

	// Requests counts the requests that the rank has sent to other ranks: one for each
	// variable in an Acquire or Update. Only Threaded mode sends them.
	Requests uint64
	// Takes counts the variables that the rank has taken from other ranks without a request
	// (Config.Direct).
	Takes uint64
	// Passed counts the transfers of variables that another rank owned: this rank had just read
	// them, and passed them on to other readers (Config.Lists).
	Passed uint64
	// Locks counts the variables that the rank has acquired as locks in memory that ranks share, in
	// Threaded mode, and LockWaits those for which it had to wait.
	Locks, LockWaits uint64

	// Host is the virtual time that the network's model has charged for the rank's work in calls:
	// copies, comparisons, lists and plans. It is 0 on a network with a real clock, and does not
	// count work of helper threads.
	Host Time
	// HostRepeating is the part of Host in phases that repeat one of before.
	HostRepeating Time

	// Connections is the number of ranks to which the rank was connected at the end of its program,
	// on a network with connections.
	Connections int

	// Usage is what the system has counted of the rank's process during the run, and MeasuredUsage
	// while any rank of the process was in a section of Node.Measure. They are zero in virtual
	// time, where the system counts nothing, and of ranks that share a process with a rank before:
	// the first one has what is of all of them.
	Usage, MeasuredUsage Usage

	Writes Writes // counts the exclusive tenures by the method that found their writes

	// Parts divides the rank's time and port operations by activity. The times add up to the
	// rank's total run time.
	Parts [Parts]Use

	// Measured divides the time of the sections that Node.Measure has run in the same way. It is
	// zero if there were none. Before is the rank's time before the first of them, and After the
	// time outside them since then, up to the program's return. Without sections, Before is the
	// time before the rank's first call that may wait for others, and After the time since its
	// last call: there programs read their input and write their output. Both are parts of the
	// time of PartCompute then. They are 0 if the rank has made no such call, and After is 0 if
	// many Releases have come before the last one, and no other call after it.
	Measured      [Parts]Time
	Before, After Time
	Sections      int // how often Node.Measure was called

	// Spans divides the rank's run time into intervals of one part each, in order, if
	// Config.Timeline was set. If there are more than MaxSpans, the later ones are missing.
	Spans []Span `json:",omitempty"`
}

// Span is an interval of a rank's run time that was spent on one part.
type Span struct {
	Part     Part
	From, To Time // since the start of the run
	// For is the rank for which the rank waited longest (in Phase mode: last) in a call, and Until
	// the time up to which it did; 0 if it waited for none, or if that is not known.
	For   int  `json:",omitempty"`
	Until Time `json:",omitempty"`
}

// MaxSpans is the maximum number of spans that a rank records.
const MaxSpans = 1 << 16

// Total returns the sum of the times of all parts.
func (s *Stats) Total() (t Time) {
	for _, u := range s.Parts {
		t += u.Time
	}
	return t
}

// MeasuredTotal returns the sum of the times in Measured.
func (s *Stats) MeasuredTotal() (t Time) {
	for _, u := range s.Measured {
		t += u
	}
	return t
}

// busy returns the time of the measured sections, or else that up to the program's return.
func (s *Stats) busy() Time {
	if measured := s.MeasuredTotal(); measured > 0 {
		return measured
	}
	return s.Total() - s.Parts[PartEnd].Time
}

// computing returns the time of PartCompute in the measured sections, or else in the run.
func (s *Stats) computing() Time {
	if s.MeasuredTotal() > 0 {
		return s.Measured[PartCompute]
	}
	return s.Parts[PartCompute].Time
}

// Messages returns the sum of the port operations of all parts.
func (s *Stats) Messages() (c dimmnet.Counters) {
	for _, u := range s.Parts {
		c = c.Plus(u.Counters)
	}
	return c
}

// Report is the result of a run.
type Report struct {
	Clock dimmnet.Clock // whether times are virtual or real
	Mode  Mode          // the mode in which the program ran

	// Ranks holds the statistics of all ranks, by rank; nil if the run failed. In a job of several
	// processes every process gets the statistics of all ranks.
	Ranks []Stats

	// Critical divides the critical path of the run, or of the section that Node.Measure has
	// measured, into parts: the chain of computing and calls that led to its end. If a rank waited
	// for another one, the chain goes on with the other one, and so contains no waiting. It is nil
	// unless Config.Timeline was set, and if spans are missing, or if some ranks measured a section
	// and others none or several.
	Critical *[Parts]Time

	// Advice suggests where the program communicates more than it needs to. It is empty
	// unless Config.Check was set.
	Advice []Advice

	// Coverage says how much Config.Check has checked. It is nil unless Config.Check was set.
	Coverage *Coverage

	// Unguarded holds the names of arrays of which no variable guards any element.
	Unguarded []string

	// Waits says for which variables ranks have waited because other ranks had been granted them
	// first, the longest wait first: for each rank the 16 variables for which it waited longest.
	// Report.Serial selects those that matter. If the program has called Node.Measure, Waits and
	// Late are about the measured sections.
	Waits []Wait

	// Late says for how long ranks have waited for others to make a collective call, the longest
	// wait first: for each rank the 4 ranks for which it waited longest. In Phase mode it is
	// empty where lists travel over a tree (Config.Lists).
	Late []Late

	// Tips says which rank the others have waited for because it computes longer, and whether calls
	// follow each other too closely. Where nothing is to be gained, it is empty.
	Tips []Tip

	// Roll is set if the run failed. It holds what each rank did when it noticed the failure, or
	// else its last known activity, and the source line of each rank that was in a call.
	Roll Roll
}

// Stats returns the statistics of this rank up to now.
func (n *Node) Stats() Stats {
	n.clock.enter(n.clock.part)
	n.clock.settle()
	s := Stats{Rank: n.rank, Connections: n.connections(), Parts: n.clock.parts, Measured: n.clock.measured, Before: n.clock.before, After: n.clock.after, Sections: n.clock.sections, Spans: n.clock.spans, Writes: n.space.Writes(), Host: n.work.time, HostRepeating: n.work.inRepeats}
	if s.Sections > 0 {
		s.After = s.Total() - s.Before - s.MeasuredTotal() - s.Parts[PartEnd].Time
	}
	if n.engine != nil {
		n.engine.counts(&s)
	}
	return s
}

// connections returns the number of ranks to which this rank is connected.
func (n *Node) connections() int {
	if p, ok := n.host.Port().(dimmnet.Connected); ok {
		return p.Connections()
	}
	return 0
}

// hostWork charges the work of a rank's calls to its host, and adds up its time.
type hostWork struct {
	host    dimmnet.Host
	virtual bool
	repeats func() bool // whether the rank is in a phase that repeats

	time, inRepeats Time
}

func (w *hostWork) charge(kind dimmnet.Work, n int) {
	if !w.virtual {
		return // work takes time by itself on a real clock
	}
	before := w.host.Now()
	w.host.Charge(kind, n)
	took := w.host.Now() - before
	w.time += took
	if w.repeats != nil && w.repeats() {
		w.inRepeats += took
	}
}

// stopwatch divides a rank's time and port operations among the parts.
type stopwatch struct {
	host   dimmnet.Host
	part   Part // the current part
	since  Time // the time up to which parts are charged
	began  Time // when the rank entered the present call, or the last one
	parts  [Parts]Use
	drawn  bool   // spans are recorded
	exact  bool   // short calls read the clock, too
	traced bool   // the host may keep a trace
	spans  []Span // the intervals before since

	measured [Parts]Time // of Node.Measure
	sections int
	// measuring is set during a Measure.
	measuring bool
	account   *account // of the process, with those of its other ranks; nil: it counts nothing
	// before is the time before the first Measure, or else before the first call. after is the time
	// between the last call and the program's return.
	before, after Time
	calls         uint64 // that may wait for others
	releases      uint64 // whose end was timed, though they take less time than reading the clock
	left          Time   // when the last call or Release has returned; unknown after many Releases

	counters func() dimmnet.Counters // reads the counters of the node
	silent   bool                    // operations in PartCompute and PartRelease count later
	counted  Part                    // the part to which settle charges new counts
	settled  dimmnet.Counters        // the counts that are already charged
}

// newStopwatch returns the stopwatch of a rank. silent says that its port does nothing in
// PartCompute, and next to nothing in PartRelease.
func newStopwatch(h dimmnet.Host, cfg Config, silent bool, counters func() dimmnet.Counters) stopwatch {
	w := stopwatch{host: h, counters: counters, silent: silent, drawn: cfg.Timeline, exact: cfg.Trace != nil || cfg.Record != nil, traced: cfg.Net.Clock() == dimmnet.Virtual, account: cfg.account, since: h.Now()}
	w.parts[PartCompute].Calls = 1
	h.Note(PartCompute.String(), 0)
	return w
}

// enter charges the elapsed time to the current part and makes p the current part.
func (w *stopwatch) enter(p Part) {
	now := w.host.Now()
	w.parts[w.part].Time += now - w.since
	if w.drawn {
		w.draw(now)
	}
	w.since = now
	if p == w.part {
		return
	}
	w.part = p
	if p != PartCompute {
		w.began = now
	}
	w.parts[p].Calls++
	if w.traced {
		w.host.Note(p.String(), uint64(w.parts[p].Calls))
	}
	if p != w.counted && !(w.silent && (p == PartCompute || p == PartRelease)) {
		w.settle()
		w.counted = p
	}
}

// enterCall is enter for a call that may wait for others. The time before the first one, and that
// between the last one and the end, are known afterwards.
func (w *stopwatch) enterCall(p Part) {
	w.enter(p)
	if w.calls++; p != PartEnd {
		if w.calls == 1 && w.sections == 0 && !w.measuring {
			w.before = w.total()
		}
	} else if w.calls > 1 && w.left != unknown {
		w.after = w.since - w.left
	}
}

// timedReleases is how many Releases that take less time than reading the clock are timed, though:
// so the time after the last one is known in programs that make few.
const timedReleases = 64

const unknown = Time(-1)

// countRelease counts a Release that takes less time than reading the clock.
func (w *stopwatch) countRelease() {
	w.count(PartRelease)
	w.left = unknown
	if w.releases < timedReleases {
		w.releases++
		w.left = w.host.Now()
	}
}

func (w *stopwatch) total() (t Time) {
	for p := range w.parts {
		t += w.parts[p].Time
	}
	return t
}

// draw records the span of the current part up to now. Calls have a span each.
func (w *stopwatch) draw(now Time) {
	last := len(w.spans) - 1
	if last >= 0 && w.part == PartCompute && w.spans[last].Part == w.part && w.spans[last].To == w.since {
		w.spans[last].To = now
	} else if now > w.since && len(w.spans) < MaxSpans {
		w.spans = append(w.spans, Span{Part: w.part, From: w.since, To: now})
	}
}

// waited records for whom the rank waited last in the call that has ended.
func (w *stopwatch) waited(part Part, rank dimmnet.Rank, until Time) {
	if last := len(w.spans) - 1; until > 0 && last >= 0 && w.spans[last].Part == part && w.spans[last].To == w.since {
		w.spans[last].For, w.spans[last].Until = int(rank), until
	}
}

// count counts one entry to p and one return to the current part, without reading the clock. It is
// used for a part that takes less time than reading the clock.
func (w *stopwatch) count(p Part) {
	w.parts[p].Calls++
	w.parts[w.part].Calls++
}

func (w *stopwatch) settle() {
	now := w.counters()
	u := &w.parts[w.counted]
	u.Counters = u.Counters.Plus(now.Minus(w.settled))
	w.settled = now
}
