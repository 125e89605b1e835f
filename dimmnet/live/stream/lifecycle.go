package stream

import (
	"context"
	"fmt"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

func (n *node) run(ctx context.Context, m dimmnet.Member, body func(dimmnet.Host) error) {
	neighbours := int64(0) // number of ranks on this host in processes of their own
	for _, q := range n.peers {
		if _, local := m.(localMember); q != nil && q.near && !local {
			neighbours++
		}
	}
	n.shared.load.wanted.Add(neighbours)
	if n.demand != nil {
		n.demand.Serve(n)
	}
	m.OnLoss(n.lost)
	defer m.OnLoss(nil)
	n.serveAll() // the streams may have read ahead of the poll
	unwatch := n.watch()
	stop := context.AfterFunc(ctx, func() {
		err := n.shared.cancelled(ctx)
		n.fail(n.rank, err, err)
	})
	p := n.newPort("")
	n.enter(p)
	go dimmnet.RunBody(n.shared.cfg.Network, p, body, func(cause, shown error) { n.leave(p, cause, shown) })
	select {
	case <-n.over:
		n.linger()
	case <-n.fault.broken:
	}
	if n.fault.broke.Load() {
		n.settle()
	}
	if !stop() {
		n.shared.failed(n.shared.cancelled(ctx)) // the AfterFunc above may run too late
	}
	unwatch()
	n.close()
}

// linger serves the peers, which may access this memory, until all ranks have sent a goodbye.
func (n *node) linger() {
	n.engine.Lock()
	for _, q := range n.peers {
		if q != nil {
			q.in.abandon() // no thread is left to receive, and a goodbye may follow
		}
	}
	n.engine.Unlock()
	n.serveAll()
	for !n.fault.broke.Load() {
		arrivals, freed := n.arrivals.Load(), n.freed.Load()
		if n.sendGoodbyes() {
			return
		}
		n.mu.Lock()
		n.sleep(n.newSleeper(
			func() bool { return n.arrivals.Load() != arrivals || n.freed.Load() != freed },
			func(slept time.Duration) error {
				return n.errorf("rank %d has ended and waited %v for the other ranks to end", n.rank, slept)
			}))
		n.mu.Unlock()
	}
}

// sendGoodbyes sends a goodbye to each peer without posts in progress; done: all are exchanged.
func (n *node) sendGoodbyes() (done bool) {
	done = true
	for _, q := range n.peers {
		if q == nil {
			continue
		}
		if !q.linked.Load() {
			done = done && !q.expected.Load()
			continue
		}
		if !q.goodbyeSent.Load() && n.mayLeave(q) && q.out.quiet() {
			q.goodbyeSent.Store(true)
			_ = q.out.control(goodbye, 0, nil) // the stream ends for a peer that does not read
			q.out.flush()
		}
		done = done && q.goodbyeSent.Load() && q.goodbyeReceived.Load() && q.out.quiet()
	}
	return done
}

const (
	reportTime  = time.Second            // for the peers to read the report of a failure
	closingTime = 250 * time.Millisecond // for the peers to end their streams after reportTime
)

// settle ends a failed run: it waits until the peers have the report and threads have returned.
func (n *node) settle() {
	<-n.fault.reported
	n.awaitLeader() // serveUntil waits in the poll, too
	n.serveUntil(reportTime, func(q *peer) bool { return !q.out.waiting.Load() })
	timer := time.NewTimer(n.shared.cfg.Grace)
	defer timer.Stop()
	select {
	case <-n.over:
	case <-timer.C:
		n.mu.Lock()
		if left := len(n.threads); left > 0 {
			n.shared.leftBehind(fmt.Sprintf("%d threads, the first of them of rank %s, have", left, n.threads[0].Label()))
		}
		n.mu.Unlock()
	}
	// Closing a TCP connection with unread bytes resets it, and the peer loses bytes that it has
	// not read. So each side first ends its stream, and reads the peer's stream to its end.
	for _, q := range n.peers {
		if q != nil && q.linked.Load() {
			q.stream.CloseWrite()
		}
	}
	n.serveUntil(closingTime, func(*peer) bool { return false })
}

// serveUntil serves the peers until each is done, has ended its stream, or is gone.
func (n *node) serveUntil(atMost time.Duration, done func(q *peer) bool) {
	for deadline := time.Now().Add(atMost); time.Now().Before(deadline); {
		all := true
		n.serveAll()
		n.engine.Lock()
		for _, q := range n.peers {
			all = all && (q == nil || q.ended || !q.linked.Load() || q.gone.Load() || done(q))
		}
		n.engine.Unlock()
		if all {
			return
		}
		n.poll.Wait(make([]dimmnet.Rank, few), time.Millisecond)
	}
}

// awaitLeader ends the sleep of the leader, and waits until it has left the poll. The run is over
// or has failed, so no thread becomes the next leader.
func (n *node) awaitLeader() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for n.sleeping.leader != nil {
		n.wake(n.sleeping.leader)
		n.sleeping.left.Wait()
	}
}

// close closes all streams. Posts of threads that have not returned then have no effect.
func (n *node) close() {
	n.awaitLeader()
	if n.demand != nil {
		n.demand.Close()
	}
	n.engine.Lock()
	defer n.engine.Unlock()
	n.closed = true
	for _, q := range n.peers {
		if q != nil {
			q.ended = true
			q.out.close()
			q.stream.Close(q.gone.Load())
		}
	}
	n.poll.Close()
	if n.beats != nil {
		n.beats.Close()
	}
	n.late.timer.Stop()
}
