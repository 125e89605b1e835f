package dimmnet2

import (
	"encoding/binary"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/host"
	"github.com/fagus-dsm/fagus/dimmnet/sim/network"
)

// machine is a run's state, all NICs and their links. Events of its threads change it, one by one.
type machine struct {
	Params
	nics   []*nic
	limits dimmnet.Limits // of a port
	counts Counts
	passed func(sim.Passage) // of the configuration
}

// pass tells of the passage of a packet over the link of a NIC.
func (m *machine) pass(p *packet, part network.Part, of dimmnet.Rank, queued, from, to, landed dimmnet.Time) {
	what := [...]string{kindRVS: "RVS", kindIVS: "IVS", kindRVL: "RVL", kindDone: "done"}[p.kind]
	m.passed(sim.Passage{Part: part, Of: int(of), Queued: queued, From: from, To: to, Landed: landed, Src: p.src, Dst: p.dst, What: what, Bytes: len(p.payload)})
}

type nic struct {
	*machine
	rank     dimmnet.Rank
	memory   memory
	prefetch []byte // PW
	window   []byte // WW

	busy     dimmnet.Time   // when the controller becomes free
	up, down dimmnet.Time   // when the link becomes free, away from the NIC and to it
	last     []dimmnet.Time // by rank: when its last packet arrives
	sent     []uint64       // by rank: packets sent, for random delays
	leaving  []dimmnet.Time // when used windows of the Port become free, in order
	full     []bool         // windows of a User with a packet that is not accepted

	done   uint64 // commands done, in order: the status in UR
	issued uint64 // commands issued
	rings  []ring // by sender
}

// Counts counts the events of all NICs.
type Counts struct {
	Commands uint64 // commands of the host
	Packets  uint64 // packets received
	Held     uint64 // packets that waited because their sender's ring was full
	Refused  uint64 // invalid commands and packets
}

type ring struct {
	base     dimmnet.Offset
	nwa, nra uint64   // bytes written and read so far
	stored   uint64   // last NRA that the host stored
	held     []packet // packets that wait for space, and all packets after them, in order
}

type kind uint8

const (
	kindRVS  kind = 1 + iota // write the payload to a pattern of the receiver's memory
	kindIVS                  // append the payload to the sender's ring
	kindRVL                  // send back the contents of a pattern
	kindDone                 // answer: the operation is done
)

type packet struct {
	kind     kind
	src, dst dimmnet.Rank
	to       Pattern // of an RVS: written; of an RVL: read
	back     Pattern // of an RVL: where its answer goes
	payload  []byte
	last     bool // last packet of its command
	pulled   bool // the packet is the answer to an RVL
	// landed, if not nil, is called at the sender's NIC when the answer to the command arrives.
	landed func(dimmnet.Time)
	// accepted, if not nil, is called when the sender's NIC learns that the packet was accepted.
	accepted func()
}

// imageBytes is the size of the fields in a header: kind, destination, offset and length.
const imageBytes = 16

// image returns the header of a packet as it is in WW.
func image(k kind, dst dimmnet.Rank, off dimmnet.Offset, n int) []byte {
	b := make([]byte, imageBytes)
	b[0] = byte(k)
	binary.LittleEndian.PutUint16(b[2:], uint16(dst))
	binary.LittleEndian.PutUint32(b[4:], uint32(off))
	binary.LittleEndian.PutUint32(b[8:], uint32(n))
	return b
}

func (n *nic) start(now dimmnet.Time) dimmnet.Time {
	return max(now+n.Chipset, n.busy) + n.clocks(n.Decode)
}

// finish ends the last command at t: it calls then, and publishes the command's status.
func (u *User) finish(t dimmnet.Time, then func(dimmnet.Time)) (command uint64, err error) {
	n := u.nic
	n.busy = t
	u.core.At(t, n.rank, false, then)
	u.core.At(t+n.clocks(n.Publish), n.rank, true, func(dimmnet.Time) { n.done++ })
	return n.issued, nil
}

// poll is an uncached load of a word.
func (n *nic) poll(c *host.Thread) {
	c.Sync()
	c.Busy(n.Read)
	c.CountPoll()
}

// send sends payload as packets, at or later. It returns the time when the last packet has left.
func (n *nic) send(c *host.Thread, at dimmnet.Time, p packet) (left dimmnet.Time) {
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

// split divides a pattern after n bytes. The pattern must be packed or have one piece.
func (p Pattern) split(n int) (first, rest Pattern) {
	first.packed, rest.packed = true, true
	for _, x := range p.pieces {
		take := min(n, x.Bytes)
		if take > 0 {
			first.pieces = append(first.pieces, Range{x.Off, take})
		}
		if take < x.Bytes {
			rest.pieces = append(rest.pieces, Range{x.Off + dimmnet.Offset(take), x.Bytes - take})
		}
		n -= take
	}
	return first, rest
}

// launch puts one packet on the link. Its first byte reaches the receiver's link after the
// transport layers. Packets of a pair of ranks stay in order.
func (n *nic) launch(c *host.Thread, at dimmnet.Time, p packet) (left dimmnet.Time) {
	to := n.nics[p.dst]
	line := n.line(len(p.payload))
	begin := max(at, n.up)
	n.up = begin + line
	if n.passed != nil {
		n.pass(&p, network.Sender, n.rank, at, begin, n.up, 0)
	}
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

// enter queues a packet, whose first byte has arrived, at the receiver's link.
func (n *nic) enter(c *host.Thread, at, line dimmnet.Time, p packet) {
	begin := max(at, n.down)
	n.down = begin + line
	if n.passed != nil {
		n.pass(&p, network.Receiver, n.rank, at, begin, n.down, n.down)
	}
	c.At(n.down, n.rank, false, func(at dimmnet.Time) { n.receive(c, at, p) })
}

// receive executes a packet. Packets that lack space or follow a held packet wait; answers do not.
func (n *nic) receive(c *host.Thread, at dimmnet.Time, p packet) {
	n.counts.Packets++
	r := &n.rings[p.src]
	if p.kind != kindDone && !p.pulled && (len(r.held) > 0 || p.kind == kindIVS && !n.fits(r, p)) {
		n.counts.Held++
		r.held = append(r.held, p)
		return
	}
	n.execute(c, at, p)
}

func (n *nic) fits(r *ring, p packet) bool {
	return r.nwa+uint64(len(p.payload)) <= r.nra+uint64(n.RingBytes)
}

func (n *nic) execute(c *host.Thread, at dimmnet.Time, p packet) {
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
			c.Landed(at, p.src, n.rank, uint64(p.to.pieces[0].Off), p.payload)
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

// accept reports to the sender that its packet is in memory. It models InfiniBand's own
// acknowledgement, which does not occupy the link here.
func (n *nic) accept(c *host.Thread, t dimmnet.Time, p packet) {
	if p.accepted != nil {
		c.At(t+n.Logic+n.Cable, p.src, true, func(dimmnet.Time) { p.accepted() })
	}
}

// access returns the time to access a pattern. The LLCM answers in a clock.
func (n *nic) access(p Pattern) dimmnet.Time {
	if int(p.pieces[0].Off) < n.LLCM {
		return n.Clock + n.inside(p.Bytes())
	}
	return n.bank(len(p.pieces), p.Bytes())
}

// answer tells the sender, if it asked, that the last packet of its command has landed. The answer
// to an RVL needs no report: it lands at the rank that issued the RVL.
func (n *nic) answer(c *host.Thread, at dimmnet.Time, p packet) {
	switch {
	case !p.last || p.landed == nil:
	case p.pulled:
		p.landed(at)
	default:
		n.launch(c, at, packet{kind: kindDone, src: n.rank, dst: p.src, last: true, landed: p.landed})
	}
}

// append writes a packet, which must fit, into its sender's ring.
func (n *nic) append(c *host.Thread, t dimmnet.Time, p packet) {
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

func (n *nic) writeRing(r *ring, at uint64, p []byte) {
	off := int(at % uint64(n.RingBytes))
	first := min(len(p), n.RingBytes-off)
	n.memory.Write(r.base+dimmnet.Offset(off), p[:first])
	n.memory.Write(r.base, p[first:])
}

// nwaAt returns the LLCM word in which the controller publishes a sender's NWA.
func (n *nic) nwaAt(src dimmnet.Rank) dimmnet.Offset {
	return dimmnet.Offset(n.LLCM - dimmnet.WordBytes*(int(src)+1))
}

// advance sets the NRA of a ring, and executes held packets that fit now.
func (n *nic) advance(c *host.Thread, t dimmnet.Time, src dimmnet.Rank, nra uint64) {
	r := &n.rings[src]
	r.nra = nra
	for len(r.held) > 0 && (r.held[0].kind != kindIVS || n.fits(r, r.held[0])) {
		p := r.held[0]
		r.held = r.held[1:]
		n.execute(c, t, p)
	}
}
