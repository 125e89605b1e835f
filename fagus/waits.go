package fagus

import (
	"runtime"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/internal/source"
	"github.com/fagus-dsm/fagus/syncvar"
)

// waits records for whom one rank waits, and for which variables. The goroutine that runs the
// program calls its methods.
//
// A rank waits for a variable if another rank has been granted it first. In Phase mode the rank is
// granted no variable in a phase then: it waits for the end of the next phase, which begins when
// the rank that was granted the variable makes its next call. In Threaded mode the rank's request
// waits at the owner. All other time in a call, up to the moment from which on data move, the rank
// waits for the rank that makes its call last.
//
// A call that no other rank delays costs a few comparisons, and no reading of the clock.
type waits struct {
	host   dimmnet.Host
	rank   dimmnet.Rank
	latest *dimmnet.Rank // of the engine
	locked bool          // the engine does not know latest of an Acquire

	clock    *stopwatch
	entering bool // the call has begun, and Entered has not been called

	since  Time // the begin of the call, or the end of its last phase that denied the variables
	moving Time // when data began to move since then; 0 if they did not
	denial syncvar.Denial
	denied bool // the last phase of the call has denied its variables, as denial says
	part   Part // the part that the call belongs to
	// The longest wait of the call, in Phase mode the last one, was for cause, and took the time
	// most. It ended at until, which is 0 if the call did not wait.
	cause dimmnet.Rank
	until Time
	most  Time
	off   bool // waits do not count: they are outside the measured sections
	held  map[syncvar.ID]*heldWait
	calls []Time // by rank: the time that this rank has waited for the rank to make a call
	nodes int

	lines []sampledLine // by variable
	pcs   [][linePCs]uintptr
}

const (
	mostHeld    = 64   // variables for which a rank records waits
	mostHolders = 8    // ranks that it records for each
	mostLines   = 4096 // variables for which a rank knows where it has acquired them
	mostStacks  = 64   // different stacks of these calls
	linePCs     = 24   // frames of each
	mostInSet   = 16   // variables of a set whose lines are recorded
)

// heldWait is how long a rank has waited for one variable.
type heldWait struct {
	access  Access
	time    Time
	times   uint64
	holders []holder // the most important ones
}

type holder struct {
	rank dimmnet.Rank
	time Time
}

// sampledLine says where a rank has acquired a variable.
type sampledLine struct {
	times uint32 // how often the rank has acquired it
	stack uint8  // index in pcs, plus 1; 0 if unknown
}

func newWaits(h dimmnet.Host, nodes int) *waits {
	return &waits{host: h, rank: h.Port().Rank(), nodes: nodes}
}

// begin records that a call begins, which belongs to part.
func (w *waits) begin(part Part) { w.part, w.until, w.entering = part, 0, true }

// Entered reads the clock: from now on the rank is in the call. An engine calls it before it waits,
// but after it has told the other ranks, where that saves them this time.
func (w *waits) Entered() {
	if w.entering {
		w.entering = false
		w.clock.enter(w.part)
		w.since = w.clock.since
	}
}

// end records that a call has returned.
func (w *waits) end(now Time) {
	if w.locked && w.part == PartAcquire {
		if w.denied {
			w.waited(w.denial.Holder, w.since, now)
			w.settle(now)
			w.denied = false
		}
		return
	}
	if w.latest != nil {
		w.cause, w.until = *w.latest, now
		if w.moving > 0 {
			w.until = w.moving
		}
	}
	if w.denied || w.moving > 0 {
		w.settle(now)
		w.denied = false
	} else if w.latest != nil {
		w.late(*w.latest, now-w.since)
	}
}

// settle charges the time since the last phase to a variable, or to the rank that was the last to
// make its call. It charges the time in which a rank only serves the others to nobody.
func (w *waits) settle(now Time) {
	until := now
	if w.moving > 0 {
		until = w.moving
	}
	if w.denied {
		w.charge(w.denial, until-w.since)
	} else if w.latest != nil {
		w.late(*w.latest, until-w.since)
	}
	w.since, w.moving = now, 0
}

// clear forgets all waits up to now.
func (w *waits) clear() {
	w.held = nil
	clear(w.calls)
}

func (w *waits) late(rank dimmnet.Rank, t Time) {
	if w.off || w.part == PartEnd || rank == w.rank {
		return
	}
	if w.calls == nil {
		w.calls = make([]Time, w.nodes)
	}
	w.calls[rank] += t
}

// Moving records that data begin to move; see phase.Observer.
func (w *waits) Moving() { w.moving = w.host.Now() }

// Denied records a phase that grants the call nothing; see phase.Observer.
func (w *waits) Denied(d syncvar.Denial, ok bool) {
	w.settle(w.host.Now())
	w.denial, w.denied = d, ok
}

// Delayed records the wait for the only variable of a call; see locks.Waits.
func (w *waits) Delayed(d syncvar.Denial) { w.denial, w.denied = d, true }

// Now returns the time; see threaded.Waits.
func (w *waits) Now() Time { return w.host.Now() }

// Held records that a rank had a variable; see threaded.Waits.
func (w *waits) Held(d syncvar.Denial, since Time) {
	now := w.host.Now()
	w.waited(d.Holder, since, now)
	w.charge(d, now-since)
}

// Met records that all ranks have met; see threaded.Waits.
func (w *waits) Met(last dimmnet.Rank, since Time) {
	now := w.host.Now()
	if last != w.rank {
		w.waited(last, since, now)
	}
	w.late(last, now-since)
	w.since = now // what follows in the call is another wait
}

// waited records a wait of a call. The longest wait of the call counts.
func (w *waits) waited(rank dimmnet.Rank, since, until Time) {
	if t := until - since; w.until == 0 || t > w.most {
		w.cause, w.until, w.most = rank, until, t
	}
}

func (w *waits) charge(d syncvar.Denial, t Time) {
	if w.off {
		return
	}
	h := w.held[d.ID]
	if h == nil {
		if w.held == nil {
			w.held = make(map[syncvar.ID]*heldWait)
		}
		if len(w.held) == mostHeld {
			w.forget()
		}
		h = &heldWait{}
		w.held[d.ID] = h
	}
	h.access = max(h.access, d.Access)
	h.time += t
	h.times++
	h.hold(d.Holder, t)
}

// forget removes the variable for which the rank has waited least.
func (w *waits) forget() {
	var least syncvar.ID
	for id, h := range w.held {
		if l := w.held[least]; l == nil || h.time < l.time || h.time == l.time && id < least {
			least = id
		}
	}
	delete(w.held, least)
}

// hold adds to the time that a rank has held the variable. If there are too many ranks, it replaces
// the one with the least time.
func (h *heldWait) hold(rank dimmnet.Rank, t Time) {
	least := 0
	for i := range h.holders {
		if h.holders[i].rank == rank {
			h.holders[i].time += t
			return
		}
		if h.holders[i].time < h.holders[least].time {
			least = i
		}
	}
	if len(h.holders) < mostHolders {
		h.holders = append(h.holders, holder{rank, t})
	} else {
		h.holders[least] = holder{rank, t}
	}
}

// longest returns the rank that has held the variable longest while this rank waited.
func (h *heldWait) longest() (most holder) {
	for i, of := range h.holders {
		if i == 0 || of.time > most.time || of.time == most.time && of.rank < most.rank {
			most = of
		}
	}
	return most
}

// acquired records where the rank has acquired the variables of a set. It asks for the stack only
// at the first, second, fourth, eighth time that the rank acquires one of them, and so on.
func (w *waits) acquired(set *SyncSet) {
	shared, exclusive := w.count(set.shared), w.count(set.exclusive)
	if shared || exclusive {
		w.sample(set)
	}
}

// count counts that the rank acquires variables, and reports whether it is time to ask for the
// stack.
func (w *waits) count(ids []syncvar.ID) (due bool) {
	for _, id := range ids[:min(len(ids), mostInSet)] {
		if int(id) >= len(w.lines) {
			if id >= mostLines {
				return due
			}
			w.lines = append(w.lines, make([]sampledLine, int(id)+1-len(w.lines))...)
		}
		l := &w.lines[id]
		l.times++
		due = due || l.times&(l.times-1) == 0
	}
	return due
}

func (w *waits) sample(set *SyncSet) {
	var pcs [linePCs]uintptr
	runtime.Callers(4, pcs[:])
	at := 0
	for at < len(w.pcs) && w.pcs[at] != pcs {
		at++
	}
	switch {
	case at == mostStacks:
		at = -1 // unknown
	case at == len(w.pcs):
		w.pcs = append(w.pcs, pcs)
	}
	for _, ids := range [...][]syncvar.ID{set.shared, set.exclusive} {
		for _, id := range ids[:min(len(ids), mostInSet)] {
			if id >= mostLines {
				break
			}
			w.lines[id].stack = uint8(at + 1)
		}
	}
}

// line returns the line at which the rank has last been seen to acquire a variable, or "".
func (w *waits) line(id syncvar.ID) string {
	if line := source.Line(w.frames(id)); line != source.Unknown {
		return line
	}
	return ""
}

// frames returns the stack where the rank acquires a variable, as far as it is known.
func (w *waits) frames(id syncvar.ID) []runtime.Frame {
	if int(id) >= len(w.lines) || w.lines[id].stack == 0 {
		return nil
	}
	pcs := w.pcs[w.lines[id].stack-1][:]
	for len(pcs) > 0 && pcs[len(pcs)-1] == 0 {
		pcs = pcs[:len(pcs)-1]
	}
	return source.Frames(pcs)
}
