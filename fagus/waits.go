package fagus

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// waits records for whom one rank waits, and for which variables. It is told of the events of the
// rank's engine, and by Node of the begin and the end of each call.
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
	clock  *stopwatch
	events *events

	part     Part // the part that the call belongs to
	entering bool // the call has begun, and the engine has not called Entered
	since    Time // the begin of the call, or the end of its last phase that denied the variables
	began    Time // the last Waiting
	moving   Time // when data began to move since since; 0 if they did not
	denial   syncvar.Denial
	denied   bool // the last phase of the call has denied its variables, as denial says
	delayed  bool // the call has waited for the variable of denial since its begin
	// The longest wait of the call, in Phase mode the last one, was for cause, and took the time
	// most. It ended at until, which is 0 if the call did not wait.
	cause dimmnet.Rank
	until Time
	most  Time

	off   bool // waits do not count: they are outside the measured sections
	held  map[syncvar.ID]*heldWait
	calls []Time // by rank: the time that this rank has waited for the rank to make a call
	nodes int
	told  wait // the last one that observers were told of

	stretches stretches // of computing between calls
}

const (
	mostHeld    = 64 // variables for which a rank records waits
	mostHolders = 8  // ranks that it records for each
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

// wait is a wait for a rank, because it had the variable id or, if that is noVariable, because it
// came last.
type wait struct {
	from, to Time
	rank     dimmnet.Rank
	id       syncvar.ID
}

const noVariable = ^syncvar.ID(0)

func newWaits(n *Node) *waits {
	return &waits{host: n.host, rank: dimmnet.Rank(n.rank), nodes: n.nodes, clock: &n.clock, events: &n.events}
}

// tell tells the observers of a wait that is over.
func (w *waits) tell(of wait) {
	if w.events.wanted(eventWaited) {
		w.told = of
		_ = w.events.tellAll(event{kind: eventWaited, wait: &w.told}) // they record it
	}
}

// begin records that a call begins, which belongs to part.
func (w *waits) begin(part Part) {
	w.part, w.entering, w.until, w.denied, w.delayed = part, true, 0, false, false
}

// entered reads the clock: from now on the rank is in the call.
func (w *waits) entered() {
	if w.entering {
		w.entering = false
		w.clock.enterCall(w.part)
		w.since = w.clock.since
		w.stretches.reached(w.clock, w.off)
	}
}

// on records an event of the engine.
func (w *waits) on(e syncvar.Event) {
	switch e.Kind {
	case syncvar.Moving:
		w.moving = w.host.Now()
	case syncvar.Denied:
		w.settle(w.host.Now(), e.Latest)
		w.denial, w.denied = e.Denial, e.Known
	case syncvar.Delayed:
		w.denial, w.delayed = e.Denial, true
	case syncvar.Waiting:
		w.began = w.host.Now()
	case syncvar.Held:
		now := w.host.Now()
		w.waited(e.Denial.Holder, w.began, now)
		w.charge(e.Denial, w.began, now)
	case syncvar.Met:
		now := w.host.Now()
		if e.Latest.Rank != w.rank {
			w.waited(e.Latest.Rank, w.began, now)
		}
		w.late(e.Latest.Rank, w.began, now)
		w.since = now // what follows in the call is another wait
	}
}

// end records that a call has returned. latest is of its last phase.
func (w *waits) end(now Time, latest syncvar.Latest) {
	if w.delayed {
		w.waited(w.denial.Holder, w.since, now)
		w.charge(w.denial, w.since, now)
		return
	}
	if latest.Known {
		w.cause, w.until = latest.Rank, w.moved(now)
	}
	if w.denied || w.moving > 0 {
		w.settle(now, latest)
	} else if latest.Known {
		w.late(latest.Rank, w.since, now)
	}
}

// moved returns when data began to move, or now if none did.
func (w *waits) moved(now Time) Time {
	if w.moving > 0 {
		return w.moving
	}
	return now
}

// settle charges the time since the last phase to a variable, or to the rank that was the last to
// make its call. It charges the time in which a rank only serves the others to nobody.
func (w *waits) settle(now Time, latest syncvar.Latest) {
	if until := w.moved(now); w.denied {
		w.charge(w.denial, w.since, until)
	} else if latest.Known {
		w.late(latest.Rank, w.since, until)
	}
	w.since, w.moving = now, 0
}

// clear forgets all waits up to now.
func (w *waits) clear() {
	w.held = nil
	clear(w.calls)
	w.stretches = stretches{}
}

// measure begins or ends a section of Node.Measure: what is outside does not count.
func (w *waits) measure(on bool) {
	w.off = !on
	w.stretches.skip(w.clock)
}

// late records a wait for the rank that came last.
func (w *waits) late(rank dimmnet.Rank, from, to Time) {
	if rank == w.rank {
		return
	}
	w.tell(wait{from, to, rank, noVariable})
	if w.off || w.part == PartEnd {
		return
	}
	if w.calls == nil {
		w.calls = make([]Time, w.nodes)
	}
	w.calls[rank] += to - from
}

// waited records a wait of a call. The longest wait of the call counts.
func (w *waits) waited(rank dimmnet.Rank, since, until Time) {
	if t := until - since; w.until == 0 || t > w.most {
		w.cause, w.until, w.most = rank, until, t
	}
}

// charge records a wait for a variable.
func (w *waits) charge(d syncvar.Denial, from, to Time) {
	w.tell(wait{from, to, d.Holder, d.ID})
	if w.off {
		return
	}
	t := to - from
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
