package network

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/event"
)

// held returns when a packet that leaves src for dst at the time at can pass all partitions.
func (w *Network) held(src, dst dimmnet.Rank, at dimmnet.Time) dimmnet.Time {
	until := at
	for again := true; again; {
		again = false
		for i := range w.cfg.Faults {
			f := &w.cfg.Faults[i]
			if f.Kind == event.Partition && f.Covers(until) && f.Separates(src, dst) {
				w.trace.Strike(i)
				until, again = f.End(), true
			}
		}
	}
	return until
}

// passPartition sends p on, or holds it. Each copy of a multicast is held separately.
func (w *Network) passPartition(p packet, at dimmnet.Time) {
	if p.dsts == nil {
		w.leaveHeld(p, at)
		return
	}
	through := make([]dimmnet.Rank, 0, len(p.dsts))
	for _, dst := range p.dsts {
		if w.held(p.src, dst, at) == at {
			through = append(through, dst)
			continue
		}
		own := p
		own.dst, own.dsts = dst, nil
		w.leaveHeld(own, at)
	}
	if len(through) > 0 {
		p.address(through)
		w.leave(p, at)
	}
}

func (w *Network) leaveHeld(p packet, at dimmnet.Time) {
	until := w.held(p.src, p.dst, at)
	if until > at {
		w.totals.Held++
	}
	w.leave(p, until)
}

// corrupts draws whether a datagram for dst that leaves at the time at is damaged.
func (n *Node) corrupts(dst dimmnet.Rank, at dimmnet.Time) bool {
	for i := range n.net.cfg.Faults {
		f := &n.net.cfg.Faults[i]
		if f.Kind == event.Corrupt && f.Covers(at) && n.chance(dst, f.Probability) {
			n.net.trace.Strike(i)
			n.net.totals.UDP.Corrupted++
			return true
		}
	}
	return false
}
