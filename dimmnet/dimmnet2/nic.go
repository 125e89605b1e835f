package dimmnet2

import (
	"encoding/binary"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

// machine is one run: all NICs and what joins them. Events of sim.Core change it, one at a time.
type machine struct {
	Params
	nics []*nic
}

// nic is a DIMMnet-2 and its host's side of it.
type nic struct {
	*machine
	rank     dimmnet.Rank
	memory   memory
	prefetch []byte // PW
	window   []byte // WW

	busy     dimmnet.Time   // until when the controller has something to do
	up, down dimmnet.Time   // until when the link is used, away from the NIC and to it
	last     []dimmnet.Time // when the last packet from each rank was there
	sent     []uint64       // packets to each rank, for random delays
	leaving  []dimmnet.Time // when windows of the Port become free, in order
	full     []bool         // windows of a User whose packet has not been accepted

	done   uint64 // commands that are done, in order: UR's status
	given  uint64 // commands that were given
	rings  []ring // by sender
	counts Counts
}

// Counts says what a NIC has done.
type Counts struct {
	Commands uint64
	Packets  uint64 // that it has received
	Held     uint64 // of them those that found their ring full, and waited
	Refused  uint64 // that asked for what is not there
}

// ring is in the SO-DIMM of a receiver.
type ring struct {
	base     dimmnet.Offset
	nwa, nra uint64   // bytes written and read so far
	told     uint64   // the last NRA that the host has given
	held     []packet // that have come and do not fit, in order, and all that came behind them
}

// kind is what a packet makes its receiver do.
type kind uint8

const (
	kindRVS  kind = 1 + iota // write payload to a pattern of the receiver's memory
	kindIVS                  // append it to the sender's ring
	kindRVL                  // send back what is in a pattern
	kindDone                 // answer: what was asked for is done
)

// packet is on its way, or held.
type packet struct {
	kind     kind
	src, dst dimmnet.Rank
	to       Pattern // RVS, RVL
	back     Pattern // RVL: where the answer goes
	payload  []byte
	last     bool               // of its command
	pulled   bool               // it is the answer to an RVL
	landed   func(dimmnet.Time) // at the sender's NIC, when an answer to the command is there; nil: none is wanted
	accepted func()             // at the sender's NIC, when the transport layer knows that the receiver has it; nil: nobody asks
}

// imageBytes is what a header in a window has: kind, destination, offset and length.
const imageBytes = 16

// image is the header of a packet as it stands in WW.
func image(k kind, dst dimmnet.Rank, off dimmnet.Offset, n int) []byte {
	b := make([]byte, imageBytes)
	b[0] = byte(k)
	binary.LittleEndian.PutUint16(b[2:], uint16(dst))
	binary.LittleEndian.PutUint32(b[4:], uint32(off))
	binary.LittleEndian.PutUint32(b[8:], uint32(n))
	return b
}

// start is when the controller begins with a command that the host gives now.
func (n *nic) start(now dimmnet.Time) dimmnet.Time {
	return max(now+n.Chipset, n.busy) + n.clocks(n.Decode)
}

// finish lets the status of a command be there for the host at t.
func (n *nic) finish(c sim.Core, t dimmnet.Time, then func(dimmnet.Time)) {
	n.busy = t
	if then != nil {
		c.At(t, n.rank, false, then)
	}
	c.At(t+n.clocks(n.Publish), n.rank, true, func(dimmnet.Time) { n.done++ })
}

// send puts packets with the bytes of payload onto the link, the first not before at, and says when the last has left.
func (n *nic) send(c sim.Core, at dimmnet.Time, p packet) (left dimmnet.Time) {
	if p.kind == kindIVS || len(p.payload) <= n.MTU {
		p.last = true
		return n.launch(c, at, p)
	}
	rest := p
	for len(rest.payload) > 0 {
		part := p
		size := min(n.MTU, len(rest.payload))
		part.payload, rest.payload = rest.payload[:size], rest.payload[size:]
		part.to, rest.to = rest.to.split(size)
		part.last = len(rest.payload) == 0
		left = n.launch(c, at, part)
	}
	return left
}

// split is a pattern's first n bytes, and the rest. It is a packed one, or has one piece.
func (p Pattern) split(n int) (first, rest Pattern) {
	first.packed, rest.packed = true, true
	for _, x := range p.pieces {
		take := min(n, x.n)
		if take > 0 {
			first.pieces = append(first.pieces, piece{x.at, take})
		}
		if take < x.n {
			rest.pieces = append(rest.pieces, piece{x.at + dimmnet.Offset(take), x.n - take})
		}
		n -= take
	}
	return first, rest
}

// launch puts one packet onto the link. Its first byte enters the receiver's link when it has passed the transport layers; packets of a pair of
// ranks keep their order.
func (n *nic) launch(c sim.Core, at dimmnet.Time, p packet) (left dimmnet.Time) {
	to := n.nics[p.dst]
	line := n.line(len(p.payload))
	begin := max(at, n.up)
	n.up = begin + line
	head := begin + n.Logic + n.Cable
	if len(n.nics) > 2 {
		head += n.Switch + n.Cable
	}
	n.sent[p.dst]++
	head += c.Delay(uint64(n.rank)<<16|uint64(p.dst), n.sent[p.dst])
	head = max(head, to.last[p.src])
	to.last[p.src] = head
	p.payload = append([]byte(nil), p.payload...)
	c.At(head, p.dst, false, func(at dimmnet.Time) { to.enter(c, at, line, p) })
	return n.up
}

// enter takes a packet whose first byte is at the receiver's link: others may have it.
func (n *nic) enter(c sim.Core, at, line dimmnet.Time, p packet) {
	n.down = max(at, n.down) + line
	c.At(n.down, n.rank, false, func(at dimmnet.Time) { n.receive(c, at, p) })
}

// receive takes a packet: behind one that is held, it is held, too, but for an answer.
func (n *nic) receive(c sim.Core, at dimmnet.Time, p packet) {
	n.counts.Packets++
	r := &n.rings[p.src]
	if p.kind != kindDone && !p.pulled && (len(r.held) > 0 || p.kind == kindIVS && !n.fits(r, p)) {
		n.counts.Held++
		r.held = append(r.held, p)
		return
	}
	n.execute(c, at, p)
}

// fits says whether a packet has room in a ring.
func (n *nic) fits(r *ring, p packet) bool {
	return r.nwa+uint64(len(p.payload)) <= r.nra+uint64(n.RingBytes)
}

// execute does what a packet asks for.
func (n *nic) execute(c sim.Core, at dimmnet.Time, p packet) {
	t := max(at, n.busy) + n.clocks(n.Decode)
	size := n.LLCM + n.SODIMM
	switch p.kind {
	case kindRVS:
		if !p.to.within(0, size) || p.to.Bytes() != len(p.payload) {
			n.counts.Refused++
			n.accept(c, t, p)
			return
		}
		t += n.access(p.to)
		n.busy = t
		c.At(t, n.rank, true, func(at dimmnet.Time) {
			n.memory.scatter(p.to, p.payload)
			c.Landed(at, p.src, n.rank, uint64(p.to.pieces[0].at), p.payload)
			n.answer(c, at, p)
		})
		n.accept(c, t, p)
	case kindIVS:
		n.append(c, t, p)
	case kindRVL:
		if !p.to.within(0, size) {
			n.counts.Refused++
			return
		}
		t += n.access(p.to)
		n.busy = t
		c.At(t, n.rank, false, func(at dimmnet.Time) {
			n.send(c, at, packet{kind: kindRVS, src: n.rank, dst: p.src, to: p.back, payload: n.memory.gather(p.to), pulled: true, landed: p.landed})
		})
	case kindDone:
		p.landed(t)
	}
}

// accept lets the transport layer tell the sender that a packet is in memory: InfiniBand's own acknowledgement, which takes no time of a link here.
func (n *nic) accept(c sim.Core, t dimmnet.Time, p packet) {
	if p.accepted != nil {
		c.At(t+n.Logic+n.Cable, p.src, true, func(dimmnet.Time) { p.accepted() })
	}
}

// access is what the memory of a pattern takes: the LLCM answers in a clock.
func (n *nic) access(p Pattern) dimmnet.Time {
	if int(p.pieces[0].at) < n.LLCM {
		return n.Clock + n.inside(p.Bytes())
	}
	return n.bank(len(p.pieces), p.Bytes())
}

// answer tells the sender of the last packet of a command that it has landed, if that wants to know. A packet that was asked for by RVL has landed
// where the answer is wanted.
func (n *nic) answer(c sim.Core, at dimmnet.Time, p packet) {
	switch {
	case !p.last || p.landed == nil:
	case p.pulled:
		p.landed(at)
	default:
		n.launch(c, at, packet{kind: kindDone, src: n.rank, dst: p.src, last: true, landed: p.landed})
	}
}

// append puts a packet, which fits, into the ring of its sender.
func (n *nic) append(c sim.Core, t dimmnet.Time, p packet) {
	r := &n.rings[p.src]
	t += n.bank(1, len(p.payload))
	n.busy = t
	n.accept(c, t, p)
	at := r.nwa
	r.nwa += uint64(len(p.payload))
	c.At(t, n.rank, false, func(dimmnet.Time) { n.writeRing(r, at, p.payload) })
	c.At(t+n.clocks(n.Publish), n.rank, true, func(when dimmnet.Time) {
		n.memory.store(n.nwaAt(p.src), at+uint64(len(p.payload)))
		c.Landed(when, p.src, n.rank, at, p.payload)
		n.answer(c, when, p)
	})
}

// writeRing writes into a ring, which may turn round.
func (n *nic) writeRing(r *ring, at uint64, p []byte) {
	off := int(at % uint64(n.RingBytes))
	first := min(len(p), n.RingBytes-off)
	n.memory.write(r.base+dimmnet.Offset(off), p[:first])
	n.memory.write(r.base, p[first:])
}

// nwaAt is the word of the LLCM in which the controller publishes what it has written for a sender.
func (n *nic) nwaAt(src dimmnet.Rank) dimmnet.Offset {
	return dimmnet.Offset(n.LLCM - dimmnet.WordBytes*(int(src)+1))
}

// advance lets a ring have been read up to nra, and takes what was held.
func (n *nic) advance(c sim.Core, t dimmnet.Time, src dimmnet.Rank, nra uint64) {
	r := &n.rings[src]
	r.nra = nra
	for len(r.held) > 0 && (r.held[0].kind != kindIVS || n.fits(r, r.held[0])) {
		p := r.held[0]
		r.held = r.held[1:]
		n.execute(c, t, p)
	}
}
