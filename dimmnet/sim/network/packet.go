package network

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/event"
	"github.com/fagus-dsm/fagus/dimmnet/sim/martini"
)

// packet is a packet on its way from src to dst. A payload of up to 8 bytes is in word, unless
// block is set.
type packet struct {
	word  uint64
	block []byte
	// destinations of a multicast that has not been split; dst is one of them
	dsts   []dimmnet.Rank
	header martini.Header
	// where the payload lands; set when the receiver has accepted the packet
	off     dimmnet.Offset
	due     dimmnet.Time // lower bound of the time when it lands (expected)
	size    int32
	ref     int32 // RDMA transfer that it belongs to, or address for the ACK of a block, or -1
	src     dimmnet.Rank
	dst     dimmnet.Rank
	level   int8 // level of the switch that it comes to
	down    bool
	prompt  bool // a packet of the host that did not wait for others
	damaged bool // a datagram with a wrong checksum
	kind    packetKind
}

type packetKind uint8

const (
	kindStore packetKind = iota
	kindBlock
	kindData // data of a PUSH, or data that answers a PULL
	kindPull // a PULL's request
	kindAck
	kindNotice // a frame on the Ethernet; so is kindDatagram
	kindDatagram
)

// post sends a packet that the host of src posts, after everything that the host posted before.
func (w *Network) post(p packet, ready dimmnet.Time) (departure dimmnet.Time) {
	n := &w.nodes[p.src]
	p.prompt = n.posted <= ready
	n.posted = w.send(p, ready, max(ready, n.posted))
	return n.posted
}

// send puts p, which waits since the time queued, on src's link at ready or later. It returns when
// the last byte is on the link.
func (w *Network) send(p packet, queued, ready dimmnet.Time) (departure dimmnet.Time) {
	n := &w.nodes[p.src]
	d := dimmnet.Time(max(w.preset.HeaderBytes+int(p.size), w.preset.PadBytes)) * w.preset.NIC.ByteTime
	start := n.link.reserve(w.line.Now(), ready, d)
	departure = start + d
	if w.cfg.Passed != nil {
		w.passed(&p, Sender, int(p.src), queued, start, departure, 0)
	}
	p.prompt = p.prompt && start == ready
	if w.cfg.Delays.Seed != 0 {
		start = w.delay(n, &p, start)
	}
	if p.dsts != nil {
		w.sendCopies(p, start)
	} else {
		w.pass(p, start)
	}
	return departure
}

// sendCopies sends a multicast. A copy for the sender itself takes the path within the NIC.
func (w *Network) sendCopies(p packet, start dimmnet.Time) {
	others := make([]dimmnet.Rank, 0, len(p.dsts))
	for _, dst := range p.dsts {
		if dst != p.src {
			others = append(others, dst)
		}
	}
	if len(others) < len(p.dsts) {
		own := p
		own.dst, own.dsts = p.src, nil
		w.leave(own, start)
	}
	if len(others) == 0 {
		return
	}
	p.address(others)
	w.pass(p, start)
}

// address sets the destinations of p.
func (p *packet) address(dsts []dimmnet.Rank) {
	p.dst, p.dsts = dsts[0], dsts
	if len(dsts) == 1 {
		p.dsts = nil
	}
}

// pass sends the head of p to the other end of the link, unless a partition holds p.
func (w *Network) pass(p packet, at dimmnet.Time) {
	if len(w.cfg.Faults) > 0 {
		w.passPartition(p, at)
		return
	}
	w.leave(p, at)
}

// leave sends the head of p over the link: to the sender's own NIC, the peer or the first switch.
func (w *Network) leave(p packet, at dimmnet.Time) {
	w.expect(&p, at)
	outside := w.preset.NIC.Outside.Time
	switch {
	case p.src == p.dst && p.dsts == nil:
		if w.cfg.ExternalLoop {
			at += outside
		}
		w.line.Schedule(at, enter, w.packets.Put(p))
	case w.fabric == nil:
		w.scheduleLink(at+outside, enter, &p)
	default:
		w.scheduleLink(at+outside, hop, &p)
	}
}

// scheduleLink schedules the time when the head of p comes to the other end of the link.
func (w *Network) scheduleLink(at dimmnet.Time, kind event.Kind, p *packet) {
	ref := w.packets.Put(*p)
	if p.prompt && p.kind == kindStore {
		w.line.ScheduleLane(laneLink, at, kind, ref)
		return
	}
	w.line.Schedule(at, kind, ref)
}
