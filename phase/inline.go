package phase

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// inlineArea holds the words through which ranks exchange inline requests: an acquire list that
// fits 8 bytes goes as one Store instead of a message through the ring. On a real port this
// makes a barrier three times as fast. The papers' protocol has no such words.
//
// Every rank's LLCM has a line of words for each peer, which that peer writes:
//
//	word 0, 1   the request of an even phase, the request of an odd phase
//	word 2, 3   the value that the peer contributes to a Reduce in an even and in an odd phase
//	word 4, 5   the front word and the back word of a cooperative copy (coopcopy.go)
//
// Two request words are enough. A rank R that stores its request for phase p has finished phase
// p-1, so R has read the requests of all peers for p-1. Before a peer sent its request for p-1, it
// finished p-2, and so it read R's request for p-2. R's new request overwrites only that word.
//
// The value of a Reduce is stored before the request of the same phase. The request lands last, so
// its landing proves that the value has landed.
type inlineArea struct {
	base  dimmnet.Offset
	peers int // 0: there is no area
}

// inlineLine keeps the words that two peers write on different cache lines.
const inlineLine = 128

// The area may take one part in inlineShare of the LLCM.
const inlineShare = 4

// newInlineArea places the area at the top of the LLCM, and reduces limits.LLCM by its size. If
// the area would be too large, newInlineArea returns the zero inlineArea.
func newInlineArea(limits *dimmnet.Limits, nodes int) (a inlineArea) {
	bytes := (nodes - 1) * inlineLine
	if nodes < 2 || nodes > RingNodes || bytes > limits.LLCM/inlineShare {
		return a
	}
	base := (limits.LLCM - bytes) &^ (inlineLine - 1)
	limits.LLCM = base
	return inlineArea{dimmnet.Offset(base), nodes - 1}
}

// word returns the offset, in owner's LLCM, of word i of the line that peer writes.
func (a *inlineArea) word(owner, peer dimmnet.Rank, i uint64) dimmnet.Offset {
	line := peer
	if peer > owner {
		line--
	}
	return a.base + dimmnet.Offset(line)*inlineLine + dimmnet.Offset(i)*dimmnet.WordBytes
}

func (a *inlineArea) request(owner, peer dimmnet.Rank, phase uint64) dimmnet.Offset {
	return a.word(owner, peer, phase%2)
}
func (a *inlineArea) value(owner, peer dimmnet.Rank, phase uint64) dimmnet.Offset {
	return a.word(owner, peer, 2+phase%2)
}
func (a *inlineArea) front(owner, peer dimmnet.Rank) dimmnet.Offset { return a.word(owner, peer, 4) }
func (a *inlineArea) back(owner, peer dimmnet.Rank) dimmnet.Offset  { return a.word(owner, peer, 5) }

func (e *Engine) encodeInline(l *syncvar.List) (fits bool) {
	e.request, fits = l.Inline(e.previous(e.port.Rank()))
	return fits
}

func (e *Engine) previous(r dimmnet.Rank) *syncvar.List {
	if e.counts.Phases == 0 {
		return nil
	}
	return &e.lists[r]
}

// postInline posts the value of a Reduce, if there is one, and then the inline request.
func (q *outQueue) postInline() (progress bool) {
	e, own := q.e, q.e.port.Rank()
	if q.state == outReduce {
		if !e.port.Store(q.to, e.inline.value(q.to, own, e.phase), e.lists[own].Word, dimmnet.WordBytes) {
			return false
		}
		q.state, progress = outInline, true
	}
	if !e.port.Store(q.to, e.inline.request(q.to, own, e.phase), e.request, dimmnet.WordBytes) {
		return progress
	}
	if len(q.lists) == 0 {
		e.counts.Lists++
	}
	q.settle()
	return true
}

func (q *inQueue) takeInline() (progress bool, err error) {
	e, own := q.e, q.e.port.Rank()
	w := e.port.Load(e.inline.request(own, q.from, e.phase))
	if !syncvar.InlineIsOf(w, e.phase) {
		return false, nil
	}
	l, follows, err := syncvar.DecodeInline(w, e.phase, e.previous(q.from), &q.ids)
	if err != nil {
		return false, fmt.Errorf("phase: inline request of rank %d: %w", q.from, err)
	}
	if follows {
		q.state = inSlots
		return true, nil
	}
	if l.Call == syncvar.Reduce {
		l.Word = e.port.Load(e.inline.value(own, q.from, e.phase))
	}
	e.lists[q.from] = l
	q.arrived()
	return true, nil
}
