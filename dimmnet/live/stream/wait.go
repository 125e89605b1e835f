package stream

import (
	"slices"
	"sync"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
	"github.com/fagus-dsm/fagus/dimmnet/live/local"
)

// A read that finds nothing takes 0.3 us for each peer. Where goroutines do a part of the work,
// they need a processor of this process, and a thread sleeps after a few reads: over QUIC, a
// barrier of two ranks in one process takes a third as long with 3 reads as with 800. Where threads
// outnumber processors, the awaited one may need this thread's processor. A rank of one thread
// yields, and finds the messages of several peers when it runs again, where each would wake it. A
// rank with helper threads sleeps at once: with one yield it takes 1.2 to 1.8 times as long.
const (
	readsPerTime = 4 // between two readings of the clock
	fewReads     = time.Microsecond
	manyReads    = 2 * local.DefaultSpin // the data pass two system calls
	yields       = time.Millisecond
)

// newLadder returns how a thread waits. helped says that goroutines do a part of the work.
func newLadder(helped bool) local.Ladder {
	l := local.Ladder{Spin: manyReads, Crowded: yields, Every: readsPerTime}
	if helped {
		l.Spin, l.Every = fewReads, 1
	}
	return l
}

// longestSleep bounds one system call that sleeps, so that every failure is noticed eventually.
const longestSleep = time.Second

// sleeper is a thread that sleeps, or is about to. It is guarded by the lock of the node.
type sleeper struct {
	cond    sync.Cond
	due     func() bool                     // reports whether to wake; takes no other lock
	overdue func(slept time.Duration) error // returns the failure after Config.Patience
	since   time.Time
}

func (n *node) newSleeper(due func() bool, overdue func(time.Duration) error) *sleeper {
	return &sleeper{cond: sync.Cond{L: &n.mu}, due: due, overdue: overdue, since: time.Now()}
}

// sleep returns when s is due, or the run has failed. One of the sleeping threads of a node is the
// leader: it sleeps in the poll, and serves the peers for all. The lock of the node is held.
func (n *node) sleep(s *sleeper) {
	n.sleeping.threads = append(n.sleeping.threads, s)
	// It is counted before due is called: a thread that makes s due reads sleeperCount afterwards.
	n.sleeping.count.Add(1)
	delay.Here()
	for !s.due() && n.fault.err == nil {
		if n.sleeping.leader == nil {
			n.lead(s)
		} else {
			s.cond.Wait()
		}
	}
	n.sleeping.count.Add(-1)
	n.sleeping.threads = slices.DeleteFunc(n.sleeping.threads, func(other *sleeper) bool { return other == s })
	if n.sleeping.leader == nil && len(n.sleeping.threads) > 0 {
		n.sleeping.threads[0].cond.Signal() // the first sleeper becomes the leader
	}
}

// lead sleeps in the poll once, without the lock of the node, and serves the ready peers.
func (n *node) lead(s *sleeper) {
	n.sleeping.leader = s
	n.sleeping.inPoll.Store(true)
	n.mu.Unlock()
	if n.shared.joined {
		local.Foreground(n.shared.calmed)
	}
	delay.Here()
	var events [16]dimmnet.Rank
	ready := n.poll.Wait(events[:], max(time.Millisecond, min(longestSleep, n.patience)))
	delay.Here()
	n.sleeping.inPoll.Store(false)
	delay.Here()
	n.engine.Lock()
	blocked := len(ready) > 0
	if !n.closed {
		for _, rank := range ready {
			blocked = blocked && n.peers[rank].in.blocked // before: so nothing comes now
		}
		for _, rank := range ready {
			n.serve(n.peers[rank])
			blocked = blocked && n.peers[rank].in.blocked
		}
	}
	n.engine.Unlock()
	if blocked { // the poll would return at once until a thread calls Receive
		n.sleeping.pauses.Add(1)
		time.Sleep(time.Millisecond)
	}
	delay.Here()
	n.mu.Lock()
	n.sleeping.leader = nil
	n.sleeping.left.Broadcast()
	if err := n.overdue(); err != nil {
		n.mu.Unlock()
		n.fail(n.rank, err, err)
		n.mu.Lock()
	}
}

// overdue returns the error of a thread that has slept for Config.Patience. The lock is held.
func (n *node) overdue() error {
	now := time.Now()
	for _, s := range n.sleeping.threads {
		if slept := now.Sub(s.since); slept >= n.patience && !s.due() {
			return s.overdue(slept.Round(time.Millisecond))
		}
	}
	return nil
}

// wakeDue wakes the threads that are due. The caller has just changed a condition of some of them.
func (n *node) wakeDue() {
	delay.Here()
	if n.sleeping.count.Load() == 0 {
		return
	}
	delay.Here()
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, s := range n.sleeping.threads {
		if s.due() {
			n.wake(s)
		}
	}
}

// wake wakes a thread. The lock of the node is held.
func (n *node) wake(s *sleeper) {
	delay.Here()
	switch {
	case s != n.sleeping.leader:
		s.cond.Signal()
	case n.sleeping.inPoll.Load():
		n.poll.Wake()
	}
}

// Idle returns when something has arrived, a refused post may succeed, or the run has failed.
func (p *port) Idle(since dimmnet.Mark) {
	n := p.node
	p.seen, p.polls = uint64(since), 0
	if p.gathered {
		now := n.shared.clock()
		p.pace.measure(now)
		if p.pace.readsFirst(now) {
			// Answers to what has arrived can go in the same system call as the gathered posts.
			if n.receiveReady(); p.due() {
				p.pace.hold()
				return
			}
		}
	}
	p.flush()
	defer func() { p.pace.idled = n.shared.clock() }()
	p.ladder.Progress()
	for !p.climb() {
		if p.due() {
			return
		}
		if n.progress() {
			p.ladder.Progress() // the rest of a piece follows
		}
	}
	if p.due() {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	p.idle.since = time.Now()
	n.sleep(p.idle)
}

// climb reports whether the thread has read in vain for long enough.
func (p *port) climb() (sleep bool) {
	crowded := p.node.shared.load.crowded()
	if !p.ladder.Polled(crowded) {
		return false
	}
	switch p.ladder.Next(p.node.shared.clock(), crowded) {
	case local.Sleep:
		return true
	case local.Yield:
		if p.node.several.Load() {
			return true
		}
		yield()
	}
	return false
}

// due reports whether Idle can return.
func (p *port) due() bool {
	n := p.node
	return n.arrivals.Load() != p.seen || n.fault.broke.Load() || p.refused && n.freed.Load() != p.freed
}
