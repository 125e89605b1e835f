package stream

import (
	"errors"
	"io"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// progress reads what has come on all connections, and sends what waits, unless another
// thread is at it.
func (n *node) progress() { n.visit((*node).serve) }

// look is progress that sends nothing.
func (n *node) look() { n.visit((*node).receive) }

// visit does something for each peer of which something may have come, unless another thread is
// at it.
func (n *node) visit(do func(*node, *peer)) {
	if !n.engine.TryLock() {
		return
	}
	defer n.engine.Unlock()
	if n.closed {
		return
	}
	if len(n.peers) > few+1 {
		for _, rank := range n.poll.Wait(n.ready[:], 0) {
			do(n, n.peers[rank])
		}
		return
	}
	for _, q := range n.peers {
		if q != nil {
			do(n, q)
		}
	}
}

// serveAll serves all peers, however many.
func (n *node) serveAll() {
	n.engine.Lock()
	defer n.engine.Unlock()
	for _, q := range n.peers {
		if q != nil && !n.closed {
			n.serve(q)
		}
	}
}

// serveReady serves the peers that a poll has found ready.
func (n *node) serveReady(ready []dimmnet.Rank) {
	for _, rank := range ready {
		n.serve(n.peers[rank])
	}
}

// serve reads what a peer has sent, and sends what waits for it. The engine's lock is
// held.
func (n *node) serve(q *peer) {
	n.receive(q)
	if q.out.waiting.Load() {
		q.out.send()
	}
}

// receive reads what a peer has sent. The engine's lock is held.
func (n *node) receive(q *peer) {
	if q.over {
		return
	}
	came, err := q.in.receive()
	if came {
		n.arrivals.Add(1)
		n.wakeDue()
	}
	if err != nil {
		n.ended(q, err)
	}
}

// ended notes that nothing more is read from a peer, for a reason.
func (n *node) ended(q *peer, why error) {
	q.over = true
	q.stream.Forget()
	q.out.close()
	var bad badFrame
	switch {
	case errors.As(why, &bad):
		err := n.errorf("rank %d has sent what is no frame of this run: %w", q.rank, why)
		n.fail(q.rank, err, err)
	case q.gone.Load() && q.said.Load():
		// It has what it waited for.
	case errors.Is(why, io.EOF):
		n.lost(q.rank, errors.New("it has ended the connection"))
	default:
		n.lost(q.rank, why)
	}
}

// longestGather is how long posts wait for others at most, where a processor is free.
const longestGather = time.Millisecond

// sendLate sends what waits, for a thread that calls nothing any more, and comes again if
// a connection has not taken all.
func (n *node) sendLate() {
	n.reminded.Store(false)
	n.sendAll()
	for _, q := range n.peers {
		if q != nil && q.out.waiting.Load() {
			n.remind()
			return
		}
	}
}

// sendAll sends what waits.
func (n *node) sendAll() {
	for _, q := range n.peers {
		if q != nil && q.out.waiting.Load() {
			q.out.send()
		}
	}
}
