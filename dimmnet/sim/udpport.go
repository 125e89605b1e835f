package sim

import (
	"encoding/binary"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// udpPort is a thread's port on a UDP network. Operations that need a NIC (Multicast, Push,
// Pull, Fill) have limit 0, so the methods of port reject them.
type udpPort struct{ port }

// Store goes into the open datagram.
func (p *udpPort) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	p.preset.Limits.CheckStore(p.Nodes(), dst, off, size)
	var b [dimmnet.WordBytes]byte
	binary.LittleEndian.PutUint64(b[:], v)
	if !p.post(dst, off, b[:size]) {
		return false
	}
	p.CountStore(size)
	return true
}

// Write goes into the open datagram.
func (p *udpPort) Write(dst dimmnet.Rank, off dimmnet.Offset, b []byte) bool {
	p.preset.Limits.CheckWrite(p.Nodes(), dst, off, len(b))
	if !p.post(dst, off, b) {
		return false
	}
	p.Count(dimmnet.Counters{Writes: 1, Bytes: uint64(len(b))})
	return true
}

func (p *udpPort) post(dst dimmnet.Rank, off dimmnet.Offset, b []byte) (posted bool) {
	if dst != p.Rank() {
		return p.Gather(dst, off, b)
	}
	// a post of a rank to itself copies b to off
	u := &p.preset.UDP
	p.Sync()
	p.Advance(u.Post + dimmnet.Time(len(b))*u.LoadByte)
	if p.Failure() != nil {
		return false
	}
	p.nic.Copy(off, b, p.Now())
	return true
}

// Load reads ordinary memory.
func (p *udpPort) Load(off dimmnet.Offset) uint64 {
	p.preset.Limits.CheckLoad(off)
	p.Sync()
	p.Advance(p.preset.UDP.Load)
	p.CountPoll()
	return p.nic.Load(off)
}

// Read reads ordinary memory.
func (p *udpPort) Read(b []byte, off dimmnet.Offset) {
	limits, u := &p.preset.Limits, &p.preset.UDP
	limits.CheckRead(off, len(b))
	p.Sync()
	p.Advance(u.Load)
	if limits.IsPoll(off, len(b)) {
		p.CountPoll()
	} else {
		p.Advance(dimmnet.Time(len(b)) * u.LoadByte)
	}
	p.nic.Read(b, off)
}

// Flip does nothing: there are no banks.
func (p *udpPort) Flip() {}

// Arrivals returns the number of arrivals.
func (p *udpPort) Arrivals() dimmnet.Mark { return p.nic.Arrivals() }

// Idle sleeps without a CPU until something happens at this node.
func (p *udpPort) Idle(since dimmnet.Mark) { p.Sleep(since) }
