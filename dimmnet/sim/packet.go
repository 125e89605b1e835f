package sim

import (
	"encoding/binary"

	"github.com/fagus-dsm/fagus/dimmnet"
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
func (k *kernel) post(p packet, ready dimmnet.Time) (departure dimmnet.Time) {
	n := &k.nodes[p.src]
	p.prompt = n.posted <= ready
	n.posted = k.send(p, max(ready, n.posted))
	return n.posted
}

// send puts p on src's link at ready or later. It returns when the last byte is on the link.
func (k *kernel) send(p packet, ready dimmnet.Time) (departure dimmnet.Time) {
	n := &k.nodes[p.src]
	d := k.preset.linkTime(int(p.size))
	start := n.link.reserve(k.now, ready, d)
	departure = start + d
	p.prompt = p.prompt && start == ready
	if k.cfg.Seed != 0 {
		start = k.delay(n, &p, start)
	}
	if p.dsts != nil {
		k.sendCopies(p, start)
	} else {
		k.pass(p, start)
	}
	return departure
}

// sendCopies sends a multicast. A copy for the sender itself takes the path within the NIC.
func (k *kernel) sendCopies(p packet, start dimmnet.Time) {
	others := make([]dimmnet.Rank, 0, len(p.dsts))
	for _, dst := range p.dsts {
		if dst != p.src {
			others = append(others, dst)
		}
	}
	if len(others) < len(p.dsts) {
		own := p
		own.dst, own.dsts = p.src, nil
		k.leave(own, start)
	}
	if len(others) == 0 {
		return
	}
	p.dst, p.dsts = others[0], others
	if len(others) == 1 {
		p.dsts = nil
	}
	k.pass(p, start)
}

// pass sends the head of p to the other end of the link, unless a partition holds p.
func (k *kernel) pass(p packet, at dimmnet.Time) {
	if len(k.partitions) > 0 {
		k.passPartition(p, at)
		return
	}
	k.leave(p, at)
}

// leave sends the head of p over the link: to the sender's own NIC, the peer or the first switch.
func (k *kernel) leave(p packet, at dimmnet.Time) {
	k.expect(&p, at)
	outside := k.preset.NIC.Outside.Time
	switch {
	case p.src == p.dst && p.dsts == nil:
		if k.cfg.ExternalLoop {
			at += outside
		}
		k.schedule(at, evEnter, k.packets.put(p))
	case k.fabric == nil:
		k.scheduleLink(at+outside, evEnter, &p)
	default:
		k.scheduleLink(at+outside, evHop, &p)
	}
}

// scheduleLink schedules the time when the head of p comes to the other end of the link.
func (k *kernel) scheduleLink(at dimmnet.Time, kind eventKind, p *packet) {
	ref := k.packets.put(*p)
	if p.prompt && p.kind == kindStore {
		k.scheduleLane(laneLink, at, kind, ref)
		return
	}
	k.schedule(at, kind, ref)
}

// delay adds a random time to p's flight and keeps packets to each destination in order.
func (k *kernel) delay(n *node, p *packet, head dimmnet.Time) dimmnet.Time {
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
			head += randomDelay(k.cfg.Seed, pair, f.count, k.cfg.MaxDelay)
		}
		last = max(last, f.last)
	}
	head = max(head, last)
	for _, dst := range dsts {
		n.flights[dst].last = head
	}
	return head
}

func (k *kernel) enter(ref int32, at dimmnet.Time) {
	p := k.packets.at(ref)
	n := &k.nodes[p.dst]
	size := int(p.size)
	start := max(at, n.receiveFree)
	n.receiveFree = start + k.preset.receiverTime(size)
	land := start + k.preset.tailTime(size) + k.receiveTime
	if p.src == p.dst {
		land -= k.preset.NIC.Own
	}
	// a Port's store has no command: its header seed needs no check
	if p.header.Command != 0 {
		hit, refusal := k.admit(n, p)
		if !hit {
			n.receiveFree += k.preset.NIC.TLBRefill
			land += k.preset.NIC.TLBRefill
		}
		if refusal != martini.Admitted {
			k.refuse(ref, refusal, land)
			return
		}
		if p.kind == kindStore && !p.header.Command.Known() {
			land = n.interrupt(land, k.preset.NIC.Interrupt)
		}
	}
	k.expectAt(p, land)
	if land == at+k.receiveTime {
		k.scheduleLane(laneLand, land, evLand, ref)
		return
	}
	k.schedule(land, evLand, ref)
}

func (k *kernel) admit(n *node, p *packet) (hit bool, refusal martini.Refusal) {
	limits := &k.preset.Limits
	p.off, hit, refusal = n.chip.Admit(&p.header, limits.LLCM+limits.Bulk)
	return hit, refusal
}

// refuse drops a packet. It adds the packet to the run's result and, if the sender waits for an
// ACK, sends it a status word.
func (k *kernel) refuse(ref int32, why martini.Refusal, at dimmnet.Time) {
	p := k.packets.at(ref)
	k.arrived(p)
	k.refused(Refused{At: at, From: p.src, To: p.dst, Reason: why})
	switch p.kind {
	case kindBlock:
		if p.ref >= 0 {
			k.ack(p.dst, p.src, dimmnet.Offset(p.ref), refusedStatus|uint64(why), at, -1)
		}
	case kindData, kindPull:
		k.transferRefused(p, why, at)
	}
	k.packets.free(ref)
}

func (k *kernel) land(ref int32, at dimmnet.Time) {
	p := k.packets.at(ref)
	n := &k.nodes[p.dst]
	switch p.kind {
	case kindStore, kindAck:
		if int(p.off) < k.preset.Limits.LLCM {
			n.memory.store(p.off, p.word, int(p.size))
			n.arrivals++
		} else { // only a User stores to bulk memory; a Port uses blocks
			k.landBytes(n, p.off, binary.LittleEndian.AppendUint64(nil, p.word)[:p.size])
		}
	case kindBlock, kindData:
		k.landBytes(n, p.off, p.block)
	}
	k.trace.land(at, p)
	k.arrived(p)
	switch {
	case p.kind == kindBlock && p.ref >= 0:
		k.ack(p.dst, p.src, dimmnet.Offset(p.ref), uint64(p.size), at, -1)
	case p.kind == kindData:
		k.dataLanded(p, at)
	case p.kind == kindPull:
		k.answerPull(p, at)
	case p.kind == kindAck && p.ref >= 0:
		k.ownerKnows(p.ref)
	}
	if len(n.sleepers) > 0 {
		n.wakeSleepers(at)
	}
	k.packets.free(ref)
}

// visible reports whether the receiving host can notice that p has landed.
func (k *kernel) visible(p *packet) bool {
	return p.kind != kindPull && int(p.off) < k.preset.Limits.LLCM
}

// landBytes writes b to the LLCM, which the host can poll, or to the bulk memory's network side,
// which the host cannot see.
func (k *kernel) landBytes(n *node, off dimmnet.Offset, b []byte) {
	if llcm := dimmnet.Offset(k.preset.Limits.LLCM); off >= llcm {
		n.network.Write(off-llcm, b)
		return
	}
	n.memory.write(off, b)
	n.arrivals++
}

// ack sends a status word that the hardware makes. ref is the transfer whose owner learns of a
// refusal by the word, or -1.
func (k *kernel) ack(from, to dimmnet.Rank, off dimmnet.Offset, status uint64, at dimmnet.Time, ref int32) {
	k.send(packet{kind: kindAck, word: status, off: off, size: dimmnet.WordBytes, ref: ref, src: from, dst: to}, at+k.ackTime)
}
