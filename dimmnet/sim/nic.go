package sim

import (
	"encoding/binary"
	"errors"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/martini"
)

// node is one host with its NIC.
type node struct {
	memory   memory
	host     bank // the side of the bulk memory that faces the host
	network  bank // the side that faces the network
	arrivals dimmnet.Mark
	idle     []*thread // the threads that poll and wait for an arrival
	cpus     int       // that no thread has
	ready    []*thread // threads that wait for a CPU, in order
	notice   sleepEvent
	notices  uint64

	link        link         // out of this NIC
	posted      dimmnet.Time // when the last packet that the host posted leaves
	receiveFree dimmnet.Time // when the receiver is free
	fifo        departures   // AOTF packets that have not left
	windows     departures   // BOTF packets that have not left
	knownFree   int          // windows that the program knows to be free
	freeAt      dimmnet.Time // when the pending evFree happens, or 0

	cables cables // to the Ethernet switch

	threads []*thread // all of the node's
	pauses  []pause   // in order

	// On a UDP network:
	ends         []*end       // by peer
	open         gather       // posts that have not left
	sleepers     []*thread    // that idle
	protocolFree dimmnet.Time // when the kernel has done with datagrams

	chip     martini.NIC
	kicks    map[uint64]int // kick pages of the Port by what they lead to
	keys     []uint64       // the same in the order of their mapping, to be given up
	givenUp  int
	lastKick uint64 // the key of the last one used, plus 1

	coreFree dimmnet.Time // when the core PU has served its interrupts
	engine   engine

	userWindows []window // of Users, by number

	flights map[dimmnet.Rank]*flight // per destination; only with random delays
}

// The process that a Port belongs to, and its regions at every node.
const (
	portGroup, portProcess = 1, 1
	regionLLCM, regionBulk = 0, 1
)

func portOwner() martini.Owner { return martini.Owner{Group: portGroup, Process: portProcess} }

// flight keeps the packets of one pair in order under random delays.
type flight struct {
	count uint64
	last  dimmnet.Time
}

// departures holds when each packet of a bounded send buffer leaves, the
// earliest first.
type departures struct {
	times []dimmnet.Time
	head  int
}

// waiting says how many have not left at t.
func (d *departures) waiting(t dimmnet.Time) int {
	for d.head < len(d.times) && d.times[d.head] <= t {
		d.head++
	}
	if d.head == len(d.times) {
		d.times, d.head = d.times[:0], 0
	} else if d.head > 64 && d.head > len(d.times)/2 {
		d.times = d.times[:copy(d.times, d.times[d.head:])]
		d.head = 0
	}
	return len(d.times) - d.head
}

func (d *departures) first() dimmnet.Time { return d.times[d.head] }

func (d *departures) add(t dimmnet.Time) { d.times = append(d.times, t) }

// packet is on its way from src to dst. What carries no more than a word keeps
// its bytes in word, the others in block.
type packet struct {
	word    uint64
	block   []byte
	dsts    []dimmnet.Rank // of a multicast that has not been split; dst is one of them
	header  martini.Header
	off     dimmnet.Offset // where it lands, when the receiver has let it in
	size    int32
	ref     int32 // of an RDMA transfer, or where the ACK of a block goes, or -1
	src     dimmnet.Rank
	dst     dimmnet.Rank
	level   int8 // of the switch that it comes to
	down    bool
	damaged bool // a datagram whose checksum is wrong
	kind    packetKind
}

type packetKind uint8

const (
	kindStore packetKind = iota
	kindBlock
	kindData // of a PUSH, or of a PULL's answer
	kindPull // asks for data
	kindAck
	kindNotice // a frame on the Ethernet, as the next
	kindDatagram
)

// post sends what the host of src has posted, behind what it has posted before.
func (k *kernel) post(p packet, ready dimmnet.Time) (departure dimmnet.Time) {
	n := &k.nodes[p.src]
	n.posted = k.send(p, max(ready, n.posted))
	return n.posted
}

// send puts p on the link of src, not before ready, and says when the last of
// it is on the link.
func (k *kernel) send(p packet, ready dimmnet.Time) (departure dimmnet.Time) {
	n := &k.nodes[p.src]
	d := k.preset.linkTime(int(p.size))
	start := n.link.take(k.now, ready, d)
	departure = start + d
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

// sendCopies splits off what a multicast sends to its own sender.
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

// pass lets the head of p go to where its link leads, as soon as no partition holds it.
func (k *kernel) pass(p packet, at dimmnet.Time) {
	if len(k.partitions) > 0 {
		k.passPartition(p, at)
		return
	}
	k.leave(p, at)
}

// leave lets the head of p go to where its link leads: round in the SWIF, through
// the cable to the peer, or to the first switch.
func (k *kernel) leave(p packet, at dimmnet.Time) {
	outside := k.preset.NIC.Outside.Time
	switch {
	case p.src == p.dst && p.dsts == nil:
		if k.cfg.ExternalLoop {
			at += outside
		}
		k.schedule(at, evEnter, k.packets.put(p))
	case k.fabric == nil:
		k.schedule(at+outside, evEnter, k.packets.put(p))
	default:
		k.schedule(at+outside, evHop, k.packets.put(p))
	}
}

// delay adds a random time to the flight of p and keeps the order of its pairs.
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

// enter passes a packet through the receiver, which may refuse it.
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
	if p.header.Command != 0 { // a store of a Port has none: its seed was the driver's
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
	k.schedule(land, evLand, ref)
}

// admit asks the receiving chip for the place of a packet's payload.
func (k *kernel) admit(n *node, p *packet) (hit bool, refusal martini.Refusal) {
	limits := &k.preset.Limits
	p.off, hit, refusal = n.chip.Admit(&p.header, limits.LLCM+limits.Bulk)
	return hit, refusal
}

// refuse drops a packet, and reports it: to the run's result, and by a status
// word to whoever waits for an ACK.
func (k *kernel) refuse(ref int32, why martini.Refusal, at dimmnet.Time) {
	p := k.packets.at(ref)
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

// land writes a packet's bytes to memory.
func (k *kernel) land(ref int32, at dimmnet.Time) {
	p := k.packets.at(ref)
	n := &k.nodes[p.dst]
	switch p.kind {
	case kindStore, kindAck:
		if int(p.off) < k.preset.Limits.LLCM {
			n.memory.store(p.off, p.word, int(p.size))
			n.arrivals++
		} else { // a User's; a Port has only blocks for it
			k.landBytes(n, p.off, binary.LittleEndian.AppendUint64(nil, p.word)[:p.size])
		}
	case kindBlock, kindData:
		k.landBytes(n, p.off, p.block)
	}
	k.trace.land(at, p)
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
		n.rouseAll(at)
	}
	k.packets.free(ref)
}

// visible says whether the receiving host can notice that p has landed.
func (k *kernel) visible(p *packet) bool {
	return p.kind != kindPull && int(p.off) < k.preset.Limits.LLCM
}

// landBytes writes to the LLCM, where the host may poll for it, or to the side
// of the bulk memory that it cannot see.
func (k *kernel) landBytes(n *node, off dimmnet.Offset, b []byte) {
	if llcm := dimmnet.Offset(k.preset.Limits.LLCM); off >= llcm {
		n.network.write(off-llcm, b)
		return
	}
	n.memory.write(off, b)
	n.arrivals++
}

// ack sends a status word that the hardware makes; ref is the transfer that it
// ends early, or -1.
func (k *kernel) ack(from, to dimmnet.Rank, off dimmnet.Offset, status uint64, at dimmnet.Time, ref int32) {
	k.send(packet{kind: kindAck, word: status, off: off, size: dimmnet.WordBytes, ref: ref, src: from, dst: to}, at+k.ackTime)
}

// interrupt lets the core PU serve one more interrupt that comes at t, and says
// when it has.
func (n *node) interrupt(t, service dimmnet.Time) dimmnet.Time {
	n.coreFree = max(n.coreFree, t) + service
	return n.coreFree
}

// kickPage looks up the header of a store's kick page, and says whether it was
// in the HTLB. dsts is nil but for a multicast.
func (k *kernel) kickPage(n *node, dst dimmnet.Rank, dsts []dimmnet.Rank, off dimmnet.Offset) (hit bool, err error) {
	key := uint64(off/martini.PageBytes)<<32 | uint64(dst)
	for _, r := range dsts { // a group has a header of its own
		key = mix(key^uint64(r)) | 1<<63
	}
	if key+1 == n.lastKick {
		return true, nil
	}
	page, ok := n.kicks[key]
	if !ok {
		page, err = n.mapKick(key, martini.Seed{
			Owner:    portOwner(),
			To:       dst,
			Physical: true,
			Command:  martini.CommandStore,
			Addr:     uint32(off) &^ (martini.PageBytes - 1),
		})
		if err != nil {
			return false, err
		}
	}
	n.lastKick = key + 1
	_, hit = n.chip.Seed(page)
	return hit, nil
}

// mapKick gives the Port a kick page. When there is none left the driver lets its
// oldest one lead elsewhere.
func (n *node) mapKick(key uint64, seed martini.Seed) (page int, err error) {
	page, err = n.chip.Map(seed)
	switch {
	case errors.Is(err, martini.ErrPages) && len(n.keys) > 0:
		oldest := &n.keys[n.givenUp%len(n.keys)]
		n.givenUp++
		page = n.kicks[*oldest]
		delete(n.kicks, *oldest)
		n.chip.Remap(page, seed)
		*oldest = key
	case err != nil:
		return 0, err
	default:
		n.keys = append(n.keys, key)
	}
	if n.kicks == nil {
		n.kicks = make(map[uint64]int)
	}
	n.kicks[key] = page
	return page, nil
}

// openPort makes the process of the ports a user of every NIC.
func (n *node) openPort(limits *dimmnet.Limits) {
	o := portOwner()
	err := n.chip.Open(o)
	if err == nil {
		err = n.chip.Register(o, regionLLCM, 0, limits.LLCM)
	}
	if err == nil {
		err = n.chip.Register(o, regionBulk, dimmnet.Offset(limits.LLCM), limits.Bulk)
	}
	if err != nil {
		panic(err) // it is the first user
	}
}

// portHeader is the header of a block or of RDMA that a Port posts to off.
func (k *kernel) portHeader(c martini.Command, dst dimmnet.Rank, off dimmnet.Offset, n int) martini.Header {
	h := martini.Header{Owner: portOwner(), To: dst, Region: regionLLCM, Command: c, Addr: uint32(off), Length: n}
	if llcm := dimmnet.Offset(k.preset.Limits.LLCM); off >= llcm {
		h.Region, h.Addr = regionBulk, uint32(off-llcm)
	}
	return h
}

// randomDelay draws the index-th delay of stream: half of them are 0, the rest
// mostly small and at times as long as limit.
func randomDelay(seed, stream, index uint64, limit dimmnet.Time) dimmnet.Time {
	x := mix(mix(seed^mix(stream)) + index)
	if x&1 == 0 {
		return 0
	}
	u := float64(x>>11) / (1 << 53)
	return dimmnet.Time(u * u * u * float64(limit))
}

// mix is the finisher of SplitMix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
