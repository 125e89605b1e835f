package stream

import (
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// readsBeforeSleep says how often Idle reads all connections before it sleeps, and how many
// of these looks are between two yields. A read that finds nothing takes 0.3 us, a yield that
// finds nobody as long, to wake a sleeper 20 to 60. Who sleeps sooner than a round trip of two
// sleepers takes keeps both asleep; who does not yield, on a processor that the awaited
// one needs, waits for all of it. Where goroutines do a part of the work they need a processor
// of this process: over QUIC a barrier of two in one process takes a third of the time with
// three looks that it takes with 800.
func readsBeforeSleep(crowded, helped bool, peers int) (looks, perYield int) {
	if crowded || helped {
		return 3, 1
	}
	return 800 / max(1, min(peers, few)), 16
}

// worthALook is for how long a thread has not read when Idle reads before it sends what was
// gathered. A read that finds nothing takes 0.3 us, and what the others wait for takes as long to come.
const worthALook = 2 * time.Microsecond

// longestSleep bounds a system call that sleeps, so that whatever goes wrong is found
// out.
const longestSleep = time.Second

// nap is a thread that sleeps, or is about to. It belongs to the lock of the node.
type nap struct {
	cond    sync.Cond
	due     func() bool // whether there is something to wake for; it takes no other lock
	overdue func(slept time.Duration) error
	since   time.Time
}

func (n *node) newNap(due func() bool, overdue func(time.Duration) error) *nap {
	return &nap{cond: sync.Cond{L: &n.mu}, due: due, overdue: overdue, since: time.Now()}
}

// sleep returns when s is due, or the run has failed. Of the threads of a node that sleep
// one is the leader: it sleeps in the poll, and does for all what comes there. The lock of
// the node is held.
func (n *node) sleep(s *nap) {
	n.naps = append(n.naps, s)
	// Before looking: who makes it due looks at sleepers after that.
	n.sleepers.Add(1)
	for !s.due() && n.err == nil {
		if n.leader == nil {
			n.lead(s)
		} else {
			s.cond.Wait()
		}
	}
	n.sleepers.Add(-1)
	n.naps = slices.DeleteFunc(n.naps, func(other *nap) bool { return other == s })
	if n.leader == nil && len(n.naps) > 0 {
		n.naps[0].cond.Signal() // to lead
	}
}

// lead sleeps in the poll once, and does what has come. The lock of the node is held
// before and after.
func (n *node) lead(s *nap) {
	n.leader = s
	n.asleep.Store(true)
	n.mu.Unlock()
	var events [16]dimmnet.Rank
	ready := n.poll.Wait(events[:], max(time.Millisecond, min(longestSleep, n.patience)))
	n.asleep.Store(false)
	n.engine.Lock()
	stuck := len(ready) > 0
	if !n.closed {
		n.serveReady(ready)
		for _, rank := range ready {
			stuck = stuck && n.peers[rank].in.stuck
		}
	}
	n.engine.Unlock()
	if stuck { // the poll would come back at once until a thread takes what is given
		time.Sleep(time.Millisecond)
	}
	n.mu.Lock()
	n.leader = nil
	n.calm.Broadcast()
	if err := n.overdue(); err != nil {
		n.mu.Unlock()
		n.fail(n.rank, err, err)
		n.mu.Lock()
	}
}

// overdue is the failure of a run in which a thread sleeps for too long.
func (n *node) overdue() error {
	now := time.Now()
	for _, s := range n.naps {
		if slept := now.Sub(s.since); slept >= n.patience && !s.due() {
			return s.overdue(slept.Round(time.Millisecond))
		}
	}
	return nil
}

// wakeDue wakes the threads that have something to wake for. It is called after that has
// come.
func (n *node) wakeDue() {
	if n.sleepers.Load() == 0 {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, s := range n.naps {
		if s.due() {
			n.rouse(s)
		}
	}
}

// rouse wakes a thread. The lock of the node is held.
func (n *node) rouse(s *nap) {
	switch {
	case s != n.leader:
		s.cond.Signal()
	case n.asleep.Load():
		n.poll.Wake()
	}
}

// Idle returns when something has arrived since the mark, when there is room for a post
// that was refused, or when the run has failed.
func (p *port) Idle(since dimmnet.Mark) {
	n, seen := p.node, uint64(since)
	p.looks = 0
	due := func() bool {
		return n.arrivals.Load() != seen || n.broke.Load() || p.refused && n.rooms.Load() != p.rooms
	}
	if p.gathered && p.held == sent && time.Since(p.idled) > worthALook {
		// What has come already may be answered in the same system call.
		if n.look(); due() {
			p.held = kept
			return
		}
	}
	defer func() { p.idled = time.Now() }()
	p.held, p.gathered = sent, false
	n.sendAll()
	crowded := n.crew.load.crowded()
	looks, perYield := readsBeforeSleep(crowded, n.crew.cfg.Helped, len(n.peers)-1)
	for i := range looks {
		if due() {
			return
		}
		if i%perYield == perYield-1 {
			if crowded {
				runtime.Gosched() // which wakes another thread, even if nobody waits for a processor
			}
			yield()
		}
		n.progress()
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.sleep(n.newNap(due, func(slept time.Duration) error {
		return n.errorf("rank %s has waited %v and nothing arrived", dimmnet.ThreadLabel(n.rank, p.name), slept)
	}))
}
