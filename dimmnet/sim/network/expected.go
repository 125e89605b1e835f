package network

import "github.com/fagus-dsm/fagus/dimmnet"

// MayRunAhead reports whether threads need not wait for events that cannot concern them.
func (w *Network) MayRunAhead() bool { return w.flight > 0 }

// StopLookingAhead is for a NIC about which the network knows nothing.
func (w *Network) StopLookingAhead() { w.flight = 0 }

// Settled reports whether no event up to the time t can change what a thread of the node reads. A
// packet that has not left yet needs at least the time flight.
func (n *Node) Settled(t dimmnet.Time) bool {
	w := n.net
	return w.flight > 0 && !n.engine.waiting && n.engine.own == 0 && !n.expected.until(t) &&
		(w.line.Len() == 0 || t < w.line.First().At+w.flight)
}

// earliest returns the least time from the moment when the head of a packet leaves its NIC until
// the packet lands at another node, behind the given number of switches.
func (w *Network) earliest(switches int) dimmnet.Time {
	outside := w.preset.NIC.Outside.Time
	return outside + dimmnet.Time(switches)*(w.preset.Switch.Packet+outside) + w.receiveTime
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
func (w *Network) expect(p *packet, at dimmnet.Time) {
	if w.flight == 0 {
		return
	}
	if p.dsts != nil {
		p.due = at + w.flight
		for _, dst := range p.dsts {
			w.nodes[dst].expected.add(p.due)
		}
		return
	}
	switch {
	case p.src == p.dst:
		p.due = at + w.receiveTime - w.preset.NIC.Own
	case w.fabric == nil:
		p.due = at + w.earliest(0)
	default:
		p.due = at + w.earliest(w.fabric.switches(p.src, p.dst))
	}
	w.nodes[p.dst].expected.add(p.due)
}

// expectAt corrects the time at which p can land.
func (w *Network) expectAt(p *packet, at dimmnet.Time) {
	if w.flight > 0 {
		x := &w.nodes[p.dst].expected
		x.remove(p.due)
		x.add(at)
		p.due = at
	}
}

// arrived ends the expectation of p, which lands or is refused.
func (w *Network) arrived(p *packet) {
	if w.flight > 0 {
		w.nodes[p.dst].expected.remove(p.due)
	}
}

// scheduleFree schedules the time when a buffer of a node becomes free.
func (w *Network) scheduleFree(rank dimmnet.Rank, at dimmnet.Time) {
	w.nodes[rank].expected.add(at)
	w.line.Schedule(at, free, int32(rank))
}
