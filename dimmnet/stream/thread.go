package stream

import (
	"fmt"
	"runtime"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Go starts f on an OS thread of its own, as the helper threads of D1-Fagus are.
func (p *port) Go(name string, f func(dimmnet.Host) error) {
	n := p.node
	n.mu.Lock()
	gone := p.returned
	n.mu.Unlock()
	if gone {
		panic(fmt.Sprintf("%s: rank %s has returned and starts a thread", n.crew.cfg.Network, dimmnet.ThreadLabel(n.rank, p.name)))
	}
	q := &port{node: n, name: name}
	n.enter(q)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		dimmnet.RunThread(n.crew.cfg.Network, name, q, f, func(cause, shown error) { n.leave(q, cause, shown) })
	}()
}

// event is a flag that a thread of its node can sleep on. It belongs to the lock of the
// node.
type event struct {
	node *node
	set  bool
	nap  *nap // of the thread that waits
}

// NewEvent makes an event of the node.
func (p *port) NewEvent() dimmnet.Event { return &event{node: p.node} }

// Notify sends a frame to the peer's node, which sets the event when it is read.
func (p *port) Notify(dst dimmnet.Rank) {
	n := p.node
	switch {
	case int(dst) >= len(n.peers):
		panic(fmt.Sprintf("%s: rank %d notifies rank %d: there are %d nodes", n.crew.cfg.Network, n.rank, dst, len(n.peers)))
	case dst == n.rank:
		ear{node: n}.notified(1)
	default:
		n.crew.order.Add(1)
		n.peers[dst].out.notify()
	}
}

// Notices is how many have come by now.
func (p *port) Notices() uint64 { return p.node.notices.Load() }

// Notice is the event that peers set by Notify.
func (p *port) Notice() dimmnet.Event { return p.node.notice }

// Set wakes the thread that waits.
func (e *event) Set() {
	e.node.mu.Lock()
	defer e.node.mu.Unlock()
	e.set = true
	if e.nap != nil {
		e.node.rouse(e.nap)
	}
}

// Wait looks at the failure first: threads that set each other's events for ever
// would not notice it otherwise.
func (e *event) Wait() error {
	n := e.node
	n.sendAll()
	n.mu.Lock()
	defer n.mu.Unlock()
	if e.nap != nil {
		panic(fmt.Sprintf("%s: two threads of rank %d wait for one event", n.crew.cfg.Network, n.rank))
	}
	if !e.set && n.err == nil {
		e.nap = n.newNap(func() bool { return e.set }, func(slept time.Duration) error {
			return n.errorf("a thread of rank %d has waited %v for an event and nobody set it", n.rank, slept)
		})
		n.crew.load.wanted.Add(-1)
		n.sleep(e.nap)
		n.crew.load.wanted.Add(1)
		e.nap = nil
	}
	if n.err != nil {
		return n.err
	}
	e.set = false
	return nil
}
