package sim

import (
	"encoding/binary"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// udpPort is a thread's port on a UDP network. Operations that need a NIC (Multicast, Push,
// Pull, Fill) have limit 0, so the methods of the thread itself reject them.
type udpPort struct{ *thread }

// Store goes into the open datagram.
func (p udpPort) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	p.k.preset.Limits.CheckStore(len(p.k.nodes), dst, off, size)
	var b [dimmnet.WordBytes]byte
	binary.LittleEndian.PutUint64(b[:], v)
	if !p.post(dst, off, b[:size]) {
		return false
	}
	p.counters.Stores++
	p.counters.Bytes += uint64(size)
	return true
}

// Write goes into the open datagram.
func (p udpPort) Write(dst dimmnet.Rank, off dimmnet.Offset, b []byte) bool {
	p.k.preset.Limits.CheckWrite(len(p.k.nodes), dst, off, len(b))
	if !p.post(dst, off, b) {
		return false
	}
	p.counters.Writes++
	p.counters.Bytes += uint64(len(b))
	return true
}

func (p udpPort) post(dst dimmnet.Rank, off dimmnet.Offset, b []byte) (posted bool) {
	if dst == p.rank {
		return p.own(off, b)
	}
	return p.gather(dst, off, b)
}

// own performs a post of a rank to itself: it copies b to off.
func (p udpPort) own(off dimmnet.Offset, b []byte) (posted bool) {
	k, u := p.k, &p.k.preset.UDP
	p.sync()
	p.advance(u.Post + dimmnet.Time(len(b))*u.LoadByte)
	if k.err != nil {
		return false
	}
	block := k.packets.blockOf(len(b))
	copy(block, b)
	k.schedule(p.now, evLand, k.packets.put(packet{kind: kindBlock, block: block, off: off, size: int32(len(b)), ref: -1, src: p.rank, dst: p.rank}))
	return true
}

// Load reads ordinary memory.
func (p udpPort) Load(off dimmnet.Offset) uint64 {
	p.k.preset.Limits.CheckLoad(off)
	p.sync()
	p.advance(p.k.preset.UDP.Load)
	p.counters.Polls++
	return p.node.memory.load(off)
}

// Read reads ordinary memory.
func (p udpPort) Read(b []byte, off dimmnet.Offset) {
	limits, u := &p.k.preset.Limits, &p.k.preset.UDP
	limits.CheckRead(off, len(b))
	p.sync()
	p.advance(u.Load)
	if limits.IsPoll(off, len(b)) {
		p.counters.Polls++
	} else {
		p.advance(dimmnet.Time(len(b)) * u.LoadByte)
	}
	p.node.memory.read(b, off)
}

// Flip does nothing: there are no banks.
func (p udpPort) Flip() {}

// Arrivals returns the number of arrivals.
func (p udpPort) Arrivals() dimmnet.Mark { return p.node.arrivals }

// Idle sleeps without a CPU until something happens at this node.
func (p udpPort) Idle(since dimmnet.Mark) {
	th, n := p.thread, p.node
	th.sync()
	if n.arrivals != since || th.k.err != nil {
		return
	}
	n.sleepers = append(n.sleepers, th)
	th.releaseCPU(asleep)
	th.suspend()
	th.advance(th.k.preset.UDP.Wake)
}
