package sim

import "github.com/fagus-dsm/fagus/dimmnet"

// node is one host with its NIC.
type node struct {
	memory   memory
	arrivals dimmnet.Mark
	parked   *thread // the thread that idles, if it does

	sendFree    dimmnet.Time // when the outgoing link is free
	receiveFree dimmnet.Time // when the incoming link is free
	fifo        departures   // AOTF packets that have not left
	windows     departures   // BOTF packets that have not left
	freeAt      dimmnet.Time // when the pending evFree happens, or 0

	flights map[dimmnet.Rank]*flight // per destination; only with random delays
}

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

// packet is on its way from src to dst. A Store keeps its bytes in word, a
// Write in block.
type packet struct {
	word     uint64
	block    []byte
	off      dimmnet.Offset
	size     int32
	src, dst dimmnet.Rank
}

// send lets p leave src at the time t at which the CPU's write was done, and
// says when the last of it is on the link.
func (k *kernel) send(p packet, t dimmnet.Time) (departure dimmnet.Time) {
	n := &k.nodes[p.src]
	start := max(t+k.sendTime, n.sendFree)
	n.sendFree = start + k.preset.linkTime(int(p.size))
	head := start
	if p.src != p.dst { // a packet to oneself turns round in the SWIF
		head += k.preset.Flight
	}
	if k.cfg.Seed != 0 {
		head = k.delay(n, &p, head)
	}
	k.schedule(head, evEnter, k.packets.put(p))
	return n.sendFree
}

// delay adds a random time to the flight of p and keeps the order of its pair.
func (k *kernel) delay(n *node, p *packet, head dimmnet.Time) dimmnet.Time {
	if n.flights == nil {
		n.flights = make(map[dimmnet.Rank]*flight)
	}
	f := n.flights[p.dst]
	if f == nil {
		f = new(flight)
		n.flights[p.dst] = f
	}
	f.count++
	pair := uint64(p.src)<<16 | uint64(p.dst)
	head += randomDelay(k.cfg.Seed, pair, f.count, k.cfg.MaxDelay)
	f.last = max(head, f.last)
	return f.last
}

// enter passes a packet through the receiver's link and stages.
func (k *kernel) enter(ref int32, at dimmnet.Time) {
	p := k.packets.at(ref)
	n := &k.nodes[p.dst]
	start := max(at, n.receiveFree)
	n.receiveFree = start + k.preset.linkTime(int(p.size))
	land := start + k.preset.tailTime(int(p.size)) + k.receiveTime
	k.schedule(land, evLand, ref)
}

// land writes a packet's bytes to memory.
func (k *kernel) land(ref int32, at dimmnet.Time) {
	p := k.packets.at(ref)
	n := &k.nodes[p.dst]
	if p.block == nil {
		n.memory.store(p.off, p.word, int(p.size))
	} else {
		n.memory.write(p.off, p.block)
	}
	n.arrivals++
	k.trace.land(at, p)
	k.packets.free(ref)
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
