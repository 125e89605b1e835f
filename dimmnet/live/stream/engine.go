package stream

import (
	"errors"
	"io"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
)

// progress reads the ready streams, and sends waiting frames, unless another thread is doing so.
// It reports whether bytes have arrived.
func (n *node) progress() (came bool) { return n.visit((*node).serve) }

// receiveReady is progress, but sends no frames.
func (n *node) receiveReady() { n.visit((*node).receive) }

// visit calls do for each peer whose stream may be ready, unless another thread serves the peers.
func (n *node) visit(do func(*node, *peer)) (came bool) {
	if !n.engine.TryLock() {
		return false
	}
	defer n.engine.Unlock()
	if n.closed {
		return false
	}
	n.came = false
	if len(n.peers) > few+1 {
		for _, rank := range n.poll.Wait(n.ready[:], 0) {
			do(n, n.peers[rank])
		}
		return n.came
	}
	for _, q := range n.peers {
		if q != nil {
			do(n, q)
		}
	}
	return n.came
}

func (n *node) serveAll() {
	n.engine.Lock()
	defer n.engine.Unlock()
	for _, q := range n.peers {
		if q != nil && !n.closed {
			n.serve(q)
		}
	}
}

// serve reads the stream of a peer, and sends the frames that wait for the peer. engine is held.
func (n *node) serve(q *peer) {
	n.receive(q)
	if q.out.waiting.Load() {
		q.out.flush()
	}
}

// receive reads the stream of a peer. engine is held.
func (n *node) receive(q *peer) {
	if q.ended {
		return
	}
	before := q.in.landed
	came, err := q.in.receive()
	n.came = n.came || came
	if q.in.landed != before {
		delay.Here()
		n.arrivals.Add(1)
		n.wakeDue()
	}
	if err != nil {
		n.end(q, err)
	}
}

// end marks the stream of a peer as ended. Unless both ranks have sent a goodbye, the run fails.
func (n *node) end(q *peer, why error) {
	q.ended = true
	q.stream.Ignore()
	q.out.close()
	var bad badFrame
	switch {
	case errors.As(why, &bad):
		err := n.errorf("rank %d has sent an invalid frame: %w", q.rank, why)
		n.fail(q.rank, err, err)
	case q.goodbyeReceived.Load() && q.goodbyeSent.Load():
		// The run of the peer is over.
	case errors.Is(why, io.EOF):
		n.endedEarly(q, errors.New("it has ended the connection"))
	default:
		n.endedEarly(q, why)
	}
}

// endedEarly does the work of lost for the end of a stream. engine is held.
func (n *node) endedEarly(q *peer, why error) {
	pause := n.pauseBefore(q.rank)
	if pause == 0 {
		n.failLost(q.rank, why)
		return
	}
	for _, other := range n.peers {
		if other != nil {
			n.receive(other) // another peer may have reported why q has ended
		}
	}
	n.failPaused(pause, q.rank, why)
}

// Posts are gathered for at most longestGather, if a processor is free, or for up to quietGather
// if the flush timer has lately found nothing to send. Firing takes 20 to 50 us from the threads
// of this host: if it were every millisecond, a barrier would take 8 % longer.
const (
	longestGather = time.Millisecond
	quietGather   = 8 * time.Millisecond
)

// setFlushTimer makes flushTimer send gathered posts if the thread does not call its port again.
func (n *node) setFlushTimer() {
	if !n.late.set.Load() && n.late.set.CompareAndSwap(false, true) {
		delay.Here()
		n.late.timer.Reset(longestGather << n.late.quiet.Load())
	}
}

// mayHold reports whether the flush timer would soon send posts that wait for others. If it would
// not, mayHold sees to it that it will after the next time that it fires.
func (n *node) mayHold() bool {
	n.late.held.Store(true)
	return n.late.quiet.Load() == 0
}

// flushLate is called by flushTimer. It sets the timer again if a stream has not accepted all.
func (n *node) flushLate() {
	n.late.set.Store(false)
	delay.Here()
	found := n.late.held.Swap(false)
	for _, q := range n.peers {
		found = found || q != nil && q.out.waiting.Load()
	}
	if found {
		n.late.quiet.Store(0)
	} else if quiet := n.late.quiet.Load(); longestGather<<quiet < quietGather {
		n.late.quiet.Store(quiet + 1)
	}
	n.flushAll()
	for _, q := range n.peers {
		if q != nil && q.out.waiting.Load() {
			n.setFlushTimer()
			return
		}
	}
}

func (n *node) flushAll() {
	for _, q := range n.peers {
		if q != nil && q.out.waiting.Load() {
			q.out.flush()
		}
	}
}
