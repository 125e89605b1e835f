package network

import (
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Partition separates the ranks in A from those in B for a time. Packets between them are held;
// datagrams are lost.
type Partition struct {
	Fault    int // its number in the trace
	From, To dimmnet.Time
	A, B     []dimmnet.Rank
}

// Corruption damages datagrams for a time.
type Corruption struct {
	Fault       int // its number in the trace
	From, To    dimmnet.Time
	Probability float64
}

// held returns when a packet that leaves src for dst at the time at can pass all partitions.
func (w *Network) held(src, dst dimmnet.Rank, at dimmnet.Time) dimmnet.Time {
	until := at
	for again := true; again; {
		again = false
		for i := range w.cfg.Partitions {
			p := &w.cfg.Partitions[i]
			if until >= p.From && until < p.To && p.separates(src, dst) {
				w.trace.Strike(p.Fault)
				until, again = p.To, true
			}
		}
	}
	return until
}

func (p *Partition) separates(a, b dimmnet.Rank) bool {
	return slices.Contains(p.A, a) && slices.Contains(p.B, b) || slices.Contains(p.A, b) && slices.Contains(p.B, a)
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
		p.dst, p.dsts = through[0], through
		if len(through) == 1 {
			p.dsts = nil
		}
		w.leave(p, at)
	}
}

func (w *Network) leaveHeld(p packet, at dimmnet.Time) {
	until := w.held(p.src, p.dst, at)
	if until > at {
		w.heldPackets++
	}
	w.leave(p, until)
}

// corrupts draws whether a datagram for dst that leaves at the time at is damaged.
func (n *Node) corrupts(dst dimmnet.Rank, at dimmnet.Time) bool {
	for i := range n.net.cfg.Corruptions {
		c := &n.net.cfg.Corruptions[i]
		if at >= c.From && at < c.To && n.chance(dst, c.Probability) {
			n.net.trace.Strike(c.Fault)
			n.net.counts.Corrupted++
			return true
		}
	}
	return false
}
