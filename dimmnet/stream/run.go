package stream

import (
	"context"
	"fmt"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// run runs the body of a rank, and says whether it came as far as that.
func (c *crew) run(ctx context.Context, m dimmnet.Member, join Join, body func(dimmnet.Host) error) (begun bool) {
	n, err := c.join(ctx, m, join)
	if err != nil {
		if ctx.Err() != nil {
			err = c.cancelled(ctx)
		}
		c.failed(err)
		return false
	}
	n.run(ctx, m, body)
	return true
}

// join makes a node that is connected to all others.
func (c *crew) join(ctx context.Context, m dimmnet.Member, join Join) (*node, error) {
	l, err := join(ctx, m)
	if err != nil {
		return nil, err
	}
	n := newNode(c, m.Rank(), l)
	if g, here := m.(guest); here {
		// A body may end the context of all: no rank must still be on its way here.
		if _, err := g.start.gather(ctx, n.rank, nil); err != nil {
			n.close()
			return nil, err
		}
	} else if l.Processors > 0 {
		c.load.procs = l.Processors
	}
	return n, nil
}

// run runs the body and closes the node.
func (n *node) run(ctx context.Context, m dimmnet.Member, body func(dimmnet.Host) error) {
	neighbours := int64(0) // that their own processes count
	for _, q := range n.peers {
		if _, here := m.(guest); q != nil && q.near && !here {
			neighbours++
		}
	}
	n.crew.load.wanted.Add(neighbours)
	m.OnLoss(n.lost)
	defer m.OnLoss(nil)
	n.serveAll() // more may have come than the poll knows of
	unwatch := n.watch()
	stop := context.AfterFunc(ctx, func() {
		err := n.crew.cancelled(ctx)
		n.fail(n.rank, err, err)
	})
	p := &port{node: n}
	n.enter(p)
	go dimmnet.RunBody(n.crew.cfg.Network, p, body, func(cause, shown error) { n.leave(p, cause, shown) })
	select {
	case <-n.over:
		n.linger()
	case <-n.broken:
	}
	if n.broke.Load() {
		n.settle()
	}
	if !stop() {
		n.crew.failed(n.crew.cancelled(ctx)) // its function may come too late
	}
	unwatch()
	n.close()
}

// linger takes part until no rank posts anything any more. Peers may still want what
// is in this rank's memory, or write to it.
func (n *node) linger() {
	for !n.broke.Load() {
		arrivals, rooms := n.arrivals.Load(), n.rooms.Load()
		if n.farewell() {
			return
		}
		n.mu.Lock()
		n.sleep(n.newNap(
			func() bool { return n.arrivals.Load() != arrivals || n.rooms.Load() != rooms },
			func(slept time.Duration) error {
				return n.errorf("rank %d has ended and waited %v for the others to", n.rank, slept)
			}))
		n.mu.Unlock()
	}
}

// farewell says goodbye to the peers that owe nothing, and whether nothing is left to
// do.
func (n *node) farewell() (done bool) {
	done = true
	for _, q := range n.peers {
		if q == nil {
			continue
		}
		if !q.said.Load() && q.out.quiet() {
			q.said.Store(true)
			_ = q.out.control(goodbye, nil) // a peer that takes nothing will see the end
			q.out.send()
		}
		done = done && q.said.Load() && q.gone.Load() && q.out.quiet()
	}
	return done
}

const (
	tellingTime = time.Second            // for the peers to take the news of a failure
	closingTime = 250 * time.Millisecond // and to end their connections
)

// settle brings a run to its end that has failed: the peers are told, and the threads
// have time to return.
func (n *node) settle() {
	<-n.told
	n.serveUntil(tellingTime, func(q *peer) bool { return q.over || !q.out.waiting.Load() })
	timer := time.NewTimer(n.crew.cfg.Grace)
	defer timer.Stop()
	select {
	case <-n.over:
	case <-timer.C:
		n.mu.Lock()
		if left := len(n.threads); left > 0 {
			n.crew.leftBehind(fmt.Sprintf("%d threads, the first of them of rank %s, have", left, dimmnet.ThreadLabel(n.rank, n.threads[0].name)))
		}
		n.mu.Unlock()
	}
	// To close a connection from which something is to be read would take back what the
	// peer has not read.
	for _, q := range n.peers {
		if q != nil {
			q.stream.End()
		}
	}
	n.serveUntil(closingTime, func(q *peer) bool { return q.over })
}

// serveUntil serves all peers until they are done, for so long at most.
func (n *node) serveUntil(atMost time.Duration, done func(q *peer) bool) {
	for deadline := time.Now().Add(atMost); time.Now().Before(deadline); {
		all := true
		n.serveAll()
		n.engine.Lock()
		for _, q := range n.peers {
			all = all && (q == nil || done(q))
		}
		n.engine.Unlock()
		if all {
			return
		}
		n.poll.Wait(make([]dimmnet.Rank, few), time.Millisecond)
	}
}

// close closes all connections. Threads that were left behind find nothing to use.
func (n *node) close() {
	n.mu.Lock()
	for n.leader != nil {
		n.calm.Wait()
	}
	n.mu.Unlock()
	n.engine.Lock()
	defer n.engine.Unlock()
	n.closed = true
	for _, q := range n.peers {
		if q != nil {
			q.over = true
			q.out.close()
			q.stream.Close()
		}
	}
	n.poll.Close()
	if n.beats != nil {
		n.beats.Close()
	}
	if n.reminder != nil { // which comes last
		n.reminder.Stop()
	}
}
