package sim

import "github.com/fagus-dsm/fagus/dimmnet"

// A thread that looks ahead may post a word, or write a record of the trace, before the events of
// other nodes at earlier times have happened. The call is deferred then: it is an event, at the
// thread's clock and in the thread's place among events of the same time. The thread need not be
// suspended, because all that it learns from the call is known: the NIC has credits.

// deferral is a deferred call of a thread.
type deferral struct {
	at   dimmnet.Time
	next int32 // the next deferral of the same thread, or -1

	// A Store or Multicast, if size is not 0.
	size int32
	hit  bool // its header is in the HTLB
	off  dimmnet.Offset
	dst  dimmnet.Rank
	dsts []dimmnet.Rank
	word uint64
	own  dimmnet.Time // when it can land at its sender at the earliest, or never

	// A Note.
	what     string
	arg      uint64
	counters dimmnet.Counters
}

// deferrals is the list of a thread's deferrals. An event for the first one is in the queue.
type deferrals struct {
	first, last int32 // numbers in kernel.deferrals; valid if n > 0
	n           int32
	stores      int32 // those that are Stores or Multicasts
}

// postpone defers a call.
func (th *thread) postpone(d deferral) {
	th.looked()
	k, list := th.k, &th.deferrals
	d.at, d.next = th.now, -1
	ref := k.deferrals.put(d)
	if list.n++; list.n == 1 {
		list.first = ref
		k.queue.push(th.deferredEvent(d.at))
	} else {
		k.deferrals.at(list.last).next = ref
	}
	list.last = ref
}

// deferredEvent returns the event of a deferral: just before the thread at the same time.
func (th *thread) deferredEvent(at dimmnet.Time) event {
	return event{at: at, order: th.event().order - 1, ref: th.index, kind: evDeferred}
}

// perform performs a thread's first deferral.
func (th *thread) perform() {
	k, list := th.k, &th.deferrals
	d := *k.deferrals.at(list.first)
	k.deferrals.free(list.first)
	list.first = d.next
	if list.n--; list.n > 0 {
		k.queue.push(th.deferredEvent(k.deferrals.at(list.first).at))
	}
	if d.size == 0 {
		k.trace.note(d.at, th.rank, d.what, d.arg, d.counters)
		return
	}
	list.stores--
	if d.own != never {
		th.node.expected.remove(d.own)
	}
	if k.err == nil {
		th.launchStore(&d)
	}
}
