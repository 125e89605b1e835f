package host

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/event"
	"github.com/fagus-dsm/fagus/dimmnet/sim/network"
)

// A thread that looks ahead may post a word, or write a record of the trace, before the events of
// other nodes at earlier times have happened. The call is deferred then: it is an event, at the
// thread's clock and in the thread's place among events of the same time. The thread need not be
// suspended, because all that it learns from the call is known: the NIC has credits.

// deferral is a deferred call of a thread: a word to post, or a note.
type deferral struct {
	at    dimmnet.Time
	next  int32         // the next deferral of the same thread, or -1
	note  int32         // number in Kernel.notes, or -1
	store network.Store // valid if note is -1
}

// note is a deferred call of Note.
type note struct {
	what     string
	arg      uint64
	counters dimmnet.Counters
}

// deferrals is the list of a thread's deferrals. An event for the first one is in the queue.
type deferrals struct {
	first, last int32 // numbers in Kernel.deferrals; valid if n > 0
	n           int32
	stores      int32 // those that are Stores or Multicasts
}

// postpone defers a call: a note, or if that is -1 a store.
func (th *Thread) postpone(note int32, store *network.Store) {
	th.looked()
	k, list := th.k, &th.deferrals
	ref := k.deferrals.Put(deferral{at: th.now, next: -1, note: note, store: *store})
	if list.n++; list.n == 1 {
		list.first = ref
		k.line.Push(event.Deferred(th.now, th.index, evDeferred))
	} else {
		k.deferrals.At(list.last).next = ref
	}
	list.last = ref
}

// Defer posts a word in the thread's place among events, without the thread: what the thread learns
// from the call is known, because no event can change it (Ahead).
func (th *Thread) Defer(s *network.Store) {
	th.node.net.Announce(s)
	th.deferrals.stores++
	th.postpone(-1, s)
}

// Deferred returns the number of words that the thread has yet to post.
func (th *Thread) Deferred() int { return int(th.deferrals.stores) }

// perform performs a thread's first deferral. Nothing is deferred meanwhile.
func (th *Thread) perform() {
	k, list := th.k, &th.deferrals
	ref := list.first
	d := k.deferrals.At(ref)
	list.first = d.next
	if list.n--; list.n > 0 {
		k.line.Push(event.Deferred(k.deferrals.At(d.next).at, th.index, evDeferred))
	}
	if d.note >= 0 {
		n := k.notes.At(d.note)
		k.trace.Note(d.at, th.rank, n.what, n.arg, n.counters)
		k.notes.Free(d.note)
	} else {
		list.stores--
		th.node.net.Withdraw(&d.store)
		if k.err == nil {
			th.node.net.Post(&d.store)
		}
	}
	k.deferrals.Free(ref)
}
