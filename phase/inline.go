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
// Every rank's LLCM has two lines of words for each peer, which that peer writes. The first is for
// even phases and the second for odd ones, so a peer never writes the line that the rank polls for
// an earlier phase:
//
//	word 0      the request
//	word 1      the value that the peer contributes to a Reduce
//	word 2, 3   of the first line: the front and back word of a cooperative copy (coopcopy.go)
//	bytes 32 on the contents of the variable that the request names as attached (attach.go)
//
// In a run of two ranks there may be two blocks before the lines, for contents that are longer.
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
	block int // the size of a block; 0: there are none
}

// inlineLine is the size of a line. It keeps words of different writers and of different phases on
// different cache lines. A peer has inlineLines of them.
const (
	inlineLine  = 128
	inlineLines = 2
)

// The area may take one part in inlineShare of the LLCM. Two blocks take one part in blockShare, if
// they are large enough to be worth it, and at most mostAttached bytes each: that much is sent in
// vain whenever the peer stops wanting a variable.
const (
	inlineShare   = 4
	blockShare    = 8
	leastAttached = 4 * inlineLine
	mostAttached  = 8 << 10
)

// newInlineArea places the area at the top of the LLCM, and reduces limits.LLCM by its size. If
// the area would be too large, newInlineArea returns the zero inlineArea.
func newInlineArea(limits *dimmnet.Limits, nodes int) (a inlineArea) {
	bytes := (nodes - 1) * inlineLines * inlineLine
	if nodes < 2 || nodes > RingNodes || bytes > limits.LLCM/inlineShare {
		return a
	}
	base := (limits.LLCM - bytes) &^ (inlineLine - 1)
	limits.LLCM = base
	return inlineArea{base: dimmnet.Offset(base), peers: nodes - 1}
}

// addBlocks places the blocks below the lines of an area of two ranks, and reduces limits.LLCM.
func (a *inlineArea) addBlocks(limits *dimmnet.Limits) {
	block := min(mostAttached, limits.LLCM/blockShare/inlineLines&^(inlineLine-1))
	if a.peers != 1 || block < leastAttached {
		return
	}
	a.block = block
	limits.LLCM = int(a.base) - inlineLines*block
}

// attachable returns the size of the largest contents that can go with a request.
func (a *inlineArea) attachable() int { return max(attachBytes, a.block) }

// word returns the offset, in owner's LLCM, of word i of one of the lines that peer writes.
func (a *inlineArea) word(owner, peer dimmnet.Rank, line, i uint64) dimmnet.Offset {
	at := uint64(peer)
	if peer > owner {
		at--
	}
	return a.base + dimmnet.Offset((at*inlineLines+line)*inlineLine+i*dimmnet.WordBytes)
}

func (a *inlineArea) request(owner, peer dimmnet.Rank, phase uint64) dimmnet.Offset {
	return a.word(owner, peer, phase%2, 0)
}
func (a *inlineArea) value(owner, peer dimmnet.Rank, phase uint64) dimmnet.Offset {
	return a.word(owner, peer, phase%2, 1)
}

// attached returns the offset of attached contents of n bytes.
func (a *inlineArea) attached(owner, peer dimmnet.Rank, phase uint64, n int) dimmnet.Offset {
	if n > attachBytes {
		return a.base - dimmnet.Offset(inlineLines-phase%2)*dimmnet.Offset(a.block)
	}
	return a.word(owner, peer, phase%2, attachWord)
}
func (a *inlineArea) front(owner, peer dimmnet.Rank) dimmnet.Offset { return a.word(owner, peer, 0, 2) }
func (a *inlineArea) back(owner, peer dimmnet.Rank) dimmnet.Offset  { return a.word(owner, peer, 0, 3) }

// requests exchanges the inline requests of a phase with all peers. A phase that ends as a meeting
// or as a turn needs no more than the words; otherwise decode makes lists of them.
type requests struct {
	own    uint64        // the request of this rank
	list   *syncvar.List // what own says
	reduce bool          // the value of a Reduce goes before own
	meets  bool          // own says nothing but that the rank waits for all ranks in a call
	alike  int           // the number of peers that have sent the same request, if it meets
	posted int           // how many peers have been sent own, in the order of Engine.peers
	before int           // how many of the posts that go before own the next peer has been sent
	due    []int         // the indexes of the peers whose requests have not arrived
	words  []uint64      // by index in Engine.peers: the requests that have arrived

	ids []syncvar.InlineIDs // by index in Engine.peers: memory for the lists of their requests
}

func newRequests(peers int) requests {
	return requests{due: make([]int, 0, peers), words: make([]uint64, peers), ids: make([]syncvar.InlineIDs, peers)}
}

// begin begins a phase with this rank's list. It reports whether the list fits a request.
func (r *requests) begin(e *Engine, l *syncvar.List) (fits bool) {
	if len(l.Attached) > 0 {
		e.attach(l)
	}
	r.own, fits = l.Inline(e.counts.Phases > 0 && e.own.Declared == l.Declared)
	r.list = l
	r.reduce = fits && l.Call == syncvar.Reduce
	r.meets = fits && l.Meets()
	r.expect()
	return fits
}

// expect makes the requests of all peers due.
func (r *requests) expect() {
	r.alike, r.posted, r.before = 0, 0, 0
	r.due = r.due[:len(r.words)]
	for i := range r.due {
		r.due[i] = i
	}
}

func (r *requests) pending(e *Engine) bool { return len(r.due) > 0 || r.posted < len(e.peers) }

// step posts and takes what can be posted and taken now.
func (r *requests) step(e *Engine) (progress bool, err error) {
	if r.posted < len(e.peers) {
		progress = r.postAll(e)
	}
	for at := 0; at < len(r.due); {
		i := r.due[at]
		from := e.peers[i]
		w := e.port.Load(e.inline.request(e.rank, from, e.phase))
		if !syncvar.InlineIsOf(w, e.phase) {
			at++
			continue
		}
		if err := r.take(e, i, w); err != nil {
			return false, inlineError(from, err)
		}
		if last := len(r.due) - 1; at < last {
			r.due = append(r.due[:at], r.due[at+1:]...)
		} else {
			r.due = r.due[:last]
		}
		progress = true
	}
	return progress, nil
}

func inlineError(from dimmnet.Rank, err error) error {
	return fmt.Errorf("phase: inline request of rank %d: %w", from, err)
}

// postAll posts the requests of this rank that can be posted now.
//
// Then it prefetches the lines of the next phase. Their owners do not poll them in this phase, so
// the next requests need not wait for the lines: on shm that halves the way of a request.
func (r *requests) postAll(e *Engine) (progress bool) {
	for r.posted < len(e.peers) && r.post(e, e.peers[r.posted]) {
		progress = true
	}
	if progress && e.prefetch != nil {
		for _, to := range e.peers {
			e.prefetch.PrefetchWord(to, e.inline.request(to, e.rank, e.phase+1))
		}
	}
	return progress
}

// post posts what goes before the request, and then the request to the next peer. The list follows
// the request if it does not fit.
func (r *requests) post(e *Engine, to dimmnet.Rank) bool {
	own := e.rank
	if r.before == 0 && r.reduce && !e.port.Store(to, e.inline.value(to, own, e.phase), r.list.Word, dimmnet.WordBytes) {
		return false
	}
	r.before = max(r.before, 1)
	if len(r.list.Attached) > 0 && !r.postAttachment(e, to) {
		return false
	}
	if !e.port.Store(to, e.inline.request(to, own, e.phase), r.own, dimmnet.WordBytes) {
		return false
	}
	r.before = 0
	if len(e.ownList) > 0 {
		e.queued = true
		e.out[r.posted].sendLists(e.ownList)
	} else {
		e.counts.Lists++
	}
	r.posted++
	return true
}

// postAttachment posts what has not been posted of the attached contents.
func (r *requests) postAttachment(e *Engine, to dimmnet.Rank) bool {
	at, most := e.inline.attached(to, e.rank, e.phase, len(e.attachment)), e.port.Limits().Block
	for ; ; r.before++ {
		sent := (r.before - 1) * most
		if sent >= len(e.attachment) {
			return true
		}
		next := min(sent+most, len(e.attachment))
		if !e.port.Write(to, at+dimmnet.Offset(sent), e.attachment[sent:next]) {
			return false
		}
	}
}

// take takes the request w of peer i.
func (r *requests) take(e *Engine, i int, w uint64) error {
	e.latest = e.peers[i]
	r.words[i] = w
	if r.meets && w == r.own {
		r.alike++
		return nil
	}
	follows, err := syncvar.InlineFollows(w, e.phase)
	if follows && err == nil {
		e.queued = true
		e.in[i].expectList()
	}
	return err
}

// decode makes lists of this rank's request, and of those of all peers.
func (r *requests) decode(e *Engine) error {
	e.keepOwn()
	for i, w := range r.words {
		from := e.peers[i]
		l := &e.lists[from]
		follows, err := l.DecodeInline(w, e.phase, e.counts.Phases == 0, &r.ids[i])
		if err != nil {
			return inlineError(from, err)
		}
		if !follows && l.Call == syncvar.Reduce {
			l.Word = e.port.Load(e.inline.value(e.rank, from, e.phase))
		}
	}
	return nil
}

// meet begins a phase with the list l of this rank, which only says that the rank waits.
func (r *requests) meet(e *Engine, l *syncvar.List) {
	r.own, r.list, r.reduce, r.meets = syncvar.InlineMeeting(l.Call, l.Phase), l, l.Call == syncvar.Reduce, true
	r.expect()
	r.postAll(e)
}

// mostPrefetched bounds the variables of which a rank prefetches the first bytes.
const mostPrefetched = 4

// prefetchGranted prefetches the first bytes of the variables that this rank has been granted.
func (e *Engine) prefetchGranted() {
	l := e.own
	for write, ids := range [...][]syncvar.ID{l.Shared, l.Exclusive} {
		for _, id := range ids[:min(len(ids), mostPrefetched)] {
			e.prefetchFirst(id, write == 1)
		}
	}
}

// prefetchFirst prefetches the first bytes of a variable. Where ranks share one copy, these bytes
// are still in the cache of the rank that wrote them, and come while Acquire returns.
func (e *Engine) prefetchFirst(id syncvar.ID, write bool) {
	if ranges := e.space.Ranges(id); len(ranges) > 0 {
		e.prefetch.Prefetch(e.space.Bytes(ranges[0]), write)
	}
}
