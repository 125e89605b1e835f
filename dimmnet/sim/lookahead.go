package sim

import (
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// A call that only reads the thread's own node need not wait for all events before the thread's
// clock (sync), but only for those that can change what it reads. The node knows when the packets
// that are on their way to it can land (expected), and a packet that has not left yet needs at
// least kernel.flight. So a thread reads its LLCM ahead of other threads, and it is suspended
// less often: a polling pass of many Loads is a few events. All that the thread reads, its clock
// and its counters are as if it had waited.

// earliest returns the least time from the moment when the head of a packet leaves its NIC until
// the packet lands at another node, behind the given number of switches.
func (k *kernel) earliest(switches int) dimmnet.Time {
	outside := k.preset.NIC.Outside.Time
	return outside + dimmnet.Time(switches)*(k.preset.Switch.Packet+outside) + k.receiveTime
}

// leastFlight returns the time that threads look ahead: 0 if they must wait for all events.
func (k *kernel) leastFlight() dimmnet.Time {
	switch {
	case k.cfg.Spin || k.cfg.UDP != nil:
		return 0
	case slices.ContainsFunc(k.cfg.Faults, func(f Fault) bool { return f.Kind == Crash }):
		return 0 // threads learn of a crash at once
	case k.fabric != nil:
		return k.earliest(1)
	}
	return k.earliest(0)
}

// observe is sync for a call that only reads or changes what the events of other nodes leave alone,
// unless they are expected.
func (th *thread) observe() {
	if th.ahead() {
		th.looked()
	} else {
		th.sync()
	}
}

// ahead reports whether no event up to the thread's clock can change what the thread reads.
func (th *thread) ahead() bool {
	k, n := th.k, th.node
	return k.flight > 0 && !n.coupled && !n.engine.waiting && n.engine.own == 0 && !n.expected.until(th.now) &&
		(k.queue.empty() || th.now < k.queue.top.at+k.flight)
}

// looked counts a call that did not wait.
func (th *thread) looked() {
	th.catchUp()
	th.k.countCall(th.now)
	th.k.last = max(th.k.last, th.now)
}

// expected holds a lower bound for the time of every event to come that idle threads of a node can
// notice, in no order. If there are more than it has room for, the threads do not look ahead.
type expected struct {
	times [12]dimmnet.Time
	n     int32
	more  int32 // events for whose times there was no room
}

// until reports whether an event at the time t or before is possible.
func (x *expected) until(t dimmnet.Time) bool {
	for _, at := range x.times[:x.n] {
		if at <= t {
			return true
		}
	}
	return x.more > 0
}

func (x *expected) add(at dimmnet.Time) {
	if int(x.n) == len(x.times) {
		x.more++
		return
	}
	x.times[x.n] = at
	x.n++
}

// remove removes an event that was added with the time at.
func (x *expected) remove(at dimmnet.Time) {
	for i, t := range x.times[:x.n] {
		if t == at {
			x.n--
			x.times[i] = x.times[x.n]
			return
		}
	}
	x.more--
}

// expect announces p, whose head leaves its NIC at the time at, to its receivers.
func (k *kernel) expect(p *packet, at dimmnet.Time) {
	if k.flight == 0 {
		return
	}
	if p.dsts != nil {
		p.due = at + k.flight
		for _, dst := range p.dsts {
			k.nodes[dst].expected.add(p.due)
		}
		return
	}
	switch {
	case p.src == p.dst:
		p.due = at + k.receiveTime - k.preset.NIC.Own
	case k.fabric == nil:
		p.due = at + k.earliest(0)
	default:
		p.due = at + k.earliest(k.fabric.switches(p.src, p.dst))
	}
	k.nodes[p.dst].expected.add(p.due)
}

// expectAt corrects the time at which p can land.
func (k *kernel) expectAt(p *packet, at dimmnet.Time) {
	if k.flight > 0 {
		x := &k.nodes[p.dst].expected
		x.remove(p.due)
		x.add(at)
		p.due = at
	}
}

// arrived ends the expectation of p, which lands or is refused.
func (k *kernel) arrived(p *packet) {
	if k.flight > 0 {
		k.nodes[p.dst].expected.remove(p.due)
	}
}

// scheduleFree schedules the time when a buffer of a node becomes free.
func (k *kernel) scheduleFree(rank dimmnet.Rank, at dimmnet.Time) {
	k.nodes[rank].expected.add(at)
	k.schedule(at, evFree, int32(rank))
}
