package phase

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// callWords are two words for every peer in each rank's LLCM, in which that says what it
// wants of a phase, if it is little: one Store in the place of a message through the
// ring. The papers' protocol has none; on a real port a barrier takes a third with them.
//
// Two are enough, for even and odd phases: a rank that stores the word of phase p has
// finished phase p-1, and so read the words of all peers for it; and these had
// finished phase p-2, so read its own.
//
// Beside the two stand two for what ranks give in a Reduce. Each is stored before the word
// of its phase: that lands last, and proves that it is there.
type callWords struct {
	base  dimmnet.Offset
	peers int // 0: there are no words
}

// callLine keeps the words of two peers, which two processors write, apart.
const callLine = 128

// callShare is which part of the LLCM the words may take, as its divisor.
const callShare = 4

// newCallWords takes the words from the top of the memory that limits describe, if they
// are not too many.
func newCallWords(limits *dimmnet.Limits, nodes int) (w callWords) {
	bytes := (nodes - 1) * callLine
	if nodes < 2 || nodes > RingNodes || bytes > limits.LLCM/callShare {
		return w
	}
	base := (limits.LLCM - bytes) &^ (callLine - 1)
	limits.LLCM = base
	return callWords{dimmnet.Offset(base), nodes - 1}
}

// at is where, in the LLCM of rank owner, peer says what it wants of a phase.
func (w *callWords) at(owner, peer dimmnet.Rank, phase uint64) dimmnet.Offset {
	i := peer
	if peer > owner {
		i--
	}
	return w.base + dimmnet.Offset(i)*callLine + dimmnet.Offset(phase%2)*dimmnet.WordBytes
}

// given is where peer says what it gives in a Reduce.
func (w *callWords) given(owner, peer dimmnet.Rank, phase uint64) dimmnet.Offset {
	return w.at(owner, peer, phase) + 2*dimmnet.WordBytes
}

// front and back are where a receiver and a sender say how far they are with what both
// copy (fetch.go): each in the memory of the other, beside its call words.
func (w *callWords) front(owner, peer dimmnet.Rank) dimmnet.Offset {
	return w.at(owner, peer, 0) + 4*dimmnet.WordBytes
}

func (w *callWords) back(owner, peer dimmnet.Rank) dimmnet.Offset {
	return w.at(owner, peer, 0) + 5*dimmnet.WordBytes
}

// offer says whether l goes to all peers as a word, and begins to send it, or a word that
// says that it comes through the ring.
func (e *Engine) offer(l *syncvar.List) (fits bool) {
	var before *syncvar.List
	if e.phase > 0 {
		before = &e.lists[e.port.Rank()]
	}
	e.word, fits = l.AsWord(before)
	gives := fits && l.Call == syncvar.Reduce
	for i := range e.peers {
		e.out[i].word, e.out[i].gives = true, gives
		e.in[i].word = true
	}
	return fits
}

// tellWord posts the word to a peer, and before it what the rank gives.
func (o *outbox) tellWord(e *Engine, to dimmnet.Rank, fits bool) (progress bool) {
	own := e.port.Rank()
	if o.gives {
		if !e.port.Store(to, e.calls.given(to, own, e.phase), e.lists[own].Word, dimmnet.WordBytes) {
			return false
		}
		o.gives, progress = false, true
	}
	if !e.port.Store(to, e.calls.at(to, own, e.phase), e.word, dimmnet.WordBytes) {
		return progress
	}
	o.word = false
	if fits {
		e.counts.Lists++
	}
	return true
}

// takeWord reads the word of a peer, if it is there.
func (in *inbox) takeWord(e *Engine, from dimmnet.Rank) (progress bool, err error) {
	w := e.port.Load(e.calls.at(e.port.Rank(), from, e.phase))
	if !syncvar.WordIsOf(w, e.phase) {
		return false, nil
	}
	var before *syncvar.List
	if e.phase > 0 {
		before = &e.lists[from]
	}
	l, more, err := syncvar.ListOf(w, e.phase, before, &in.room)
	if err != nil {
		return false, fmt.Errorf("phase: word of rank %d: %w", from, err)
	}
	in.word = false
	if l.Call == syncvar.Reduce {
		l.Word = e.port.Load(e.calls.given(e.port.Rank(), from, e.phase))
	}
	if !more {
		e.lists[from] = l
		in.due = 0
	}
	return true, nil
}
