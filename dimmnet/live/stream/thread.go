package stream

import (
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
	"github.com/fagus-dsm/fagus/dimmnet/live/local"
)

// Go starts f on an OS thread of its own.
func (p *port) Go(name string, f func(dimmnet.Host) error) {
	n, network := p.node, p.node.shared.cfg.Network
	n.mu.Lock()
	returned := p.returned
	n.mu.Unlock()
	p.CheckStart(returned)
	q := n.newPort(name)
	n.enter(q)
	local.Go(network, name, q, f, func(cause, shown error) { n.leave(q, cause, shown) })
}

// event is a flag on which a thread of its node can sleep. It is guarded by the lock of the node.
type event struct {
	node    *node
	set     bool
	sleeper *sleeper // the thread that waits; nil if no thread does
}

// NewEvent returns an event of the node.
func (p *port) NewEvent() dimmnet.Event { return &event{node: p.node} }

func (p *port) Notify(dst dimmnet.Rank) {
	p.CheckNotify(dst)
	n := p.node
	if dst == n.rank {
		peerEvents{node: n}.notified(1)
		return
	}
	n.shared.order.Add(1)
	n.peers[dst].out.notify()
}

// Notices returns the number of notices that have arrived.
func (p *port) Notices() uint64 { return p.node.notices.Load() }

// Notice returns the event that Notify sets.
func (p *port) Notice() dimmnet.Event { return p.node.notice }

// Set sets the event and wakes the thread that waits.
func (e *event) Set() {
	e.node.mu.Lock()
	defer e.node.mu.Unlock()
	e.set = true
	if e.sleeper != nil {
		e.node.wake(e.sleeper)
	}
}

// Wait returns the failure of the run even if the event is set: otherwise threads that set each
// other's events forever would not notice the failure.
func (e *event) Wait() error {
	n := e.node
	n.flushAll()
	delay.Here()
	n.mu.Lock()
	defer n.mu.Unlock()
	if e.sleeper != nil {
		local.PanicWaited(n.shared.cfg.Network, n.rank)
	}
	if !e.set && n.fault.err == nil {
		e.sleeper = n.newSleeper(func() bool { return e.set }, func(slept time.Duration) error {
			return n.errorf("a thread of rank %d has waited %v for an event that no thread has set", n.rank, slept)
		})
		n.shared.load.wanted.Add(-1)
		n.sleep(e.sleeper)
		n.shared.load.wanted.Add(1)
		e.sleeper = nil
	}
	if n.fault.err != nil {
		return n.fault.err
	}
	e.set = false
	return nil
}
