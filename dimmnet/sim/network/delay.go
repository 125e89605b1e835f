package network

import "github.com/fagus-dsm/fagus/dimmnet"

// delay adds a random time to p's flight and keeps packets to each destination in order.
func (w *Network) delay(n *Node, p *packet, head dimmnet.Time) dimmnet.Time {
	dsts := p.dsts
	if dsts == nil {
		dsts = []dimmnet.Rank{p.dst}
	}
	if n.flights == nil {
		n.flights = make(map[dimmnet.Rank]*flight)
	}
	var last dimmnet.Time
	for i, dst := range dsts {
		f := n.flights[dst]
		if f == nil {
			f = new(flight)
			n.flights[dst] = f
		}
		if f.count++; i == 0 {
			pair := uint64(p.src)<<16 | uint64(dst)
			head += w.cfg.Delays.Of(pair, f.count)
		}
		last = max(last, f.last)
	}
	head = max(head, last)
	for _, dst := range dsts {
		n.flights[dst].last = head
	}
	return head
}

// flight keeps the packets from one node to another in order under random delays.
type flight struct {
	count uint64
	last  dimmnet.Time
}
