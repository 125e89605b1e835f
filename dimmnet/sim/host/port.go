package host

import "github.com/fagus-dsm/fagus/dimmnet"

// The methods in this file, and those that read memory in past.go, are what a port is made of: the
// clock, counts, arrivals, and failure.

// Rank is constant in a run.
func (th *Thread) Rank() dimmnet.Rank { return th.rank }

// Nodes is constant in a run.
func (th *Thread) Nodes() int { return len(th.k.nodes) }

// Counters returns the thread's counts.
func (th *Thread) Counters() dimmnet.Counters { return th.counters }

// Count adds the counts in more to the thread's counters.
func (th *Thread) Count(more dimmnet.Counters) { th.counters = th.counters.Plus(more) }

// CountStore counts a Store or Multicast.
func (th *Thread) CountStore(size int) {
	th.counters.Stores++
	th.counters.Bytes += uint64(size)
}

// CountPoll counts a poll.
func (th *Thread) CountPoll() { th.counters.Polls++ }

// Busy makes the CPU busy for d: an access to the NIC, which nothing interrupts.
func (th *Thread) Busy(d dimmnet.Time) { th.now += d }

// Err returns the failure of the run. It also checks the limits of the run, because a thread that
// only computes calls nothing else.
func (th *Thread) Err() error {
	th.k.countCall(th.now)
	return th.k.err
}

// Failure is Err without a check.
func (th *Thread) Failure() error { return th.k.err }

// Fail fails the run.
func (th *Thread) Fail(err error) { th.k.fail(err) }

// Couple says that the threads of the node must not look ahead any more: some act on the NIC
// without waiting for earlier events.
func (th *Thread) Couple() { th.node.coupled = true }

// Arrivals returns the number of arrivals, and starts a polling pass.
func (th *Thread) Arrivals() dimmnet.Mark {
	if len(th.node.threads) > 1 {
		th.Sync() // this lets other threads become ready
		th.yieldWhileDue()
	}
	kind := working
	if th.pass.kind == idled {
		kind = afterIdle
	}
	th.pass.kind, th.pass.start, th.pass.polls, th.pass.charged = kind, th.now, th.counters.Polls, false
	return th.node.seen()
}

// Idle skips polling passes until something happens at this node.
func (th *Thread) Idle(since dimmnet.Mark) {
	th.Observe()
	th.pass.kind, th.turn.fresh = idled, false
	if th.k.cfg.Spin || th.node.seen() != since || th.k.err != nil || th.due() || th.pass.charged {
		return
	}
	if until := th.node.past.until; until != 0 {
		th.pass.end = th.now
		th.skipTo(until) // what is to wake it has landed
		return
	}
	th.park()
}

// Sleep sleeps without a CPU until something happens at this node of a UDP network.
func (th *Thread) Sleep(since dimmnet.Mark) {
	n := th.node
	th.Sync()
	if n.net.Arrivals() != since || th.k.err != nil {
		return
	}
	n.sleepers = append(n.sleepers, th)
	th.releaseCPU(asleep)
	th.suspend()
	th.Advance(th.k.preset.UDP.Wake)
}
