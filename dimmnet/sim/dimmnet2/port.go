package dimmnet2

import (
	"encoding/binary"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/host"
)

type thread struct {
	*host.Thread
	nic *nic
}

// Port returns the thread's port to the node's NIC.
func (h thread) Port() dimmnet.Port { return port{h} }

// Go starts another thread of this node, with the same NIC.
func (h thread) Go(name string, f func(dimmnet.Host) error) {
	h.Thread.Go(name, func(inner dimmnet.Host) error { return f(thread{inner.(*host.Thread), h.nic}) })
}

// port is a dimmnet.Port on a DIMMnet-2. Store and Write are a BOTF of an RVS to the LLCM. Push
// is an RVS, Pull an RVL, Fill a VS, and Read of bulk memory a VL.
type port struct{ thread }

// Limits is constant in a run.
func (p port) Limits() dimmnet.Limits { return p.nic.limits }

// locate converts an offset of the port to one of the NIC. The port's LLCM lacks the words of
// the NWAs, so its bulk memory starts at a lower offset than SO-DIMM does on the NIC.
func (p port) locate(off dimmnet.Offset) dimmnet.Offset {
	if llcm := dimmnet.Offset(p.nic.limits.LLCM); off >= llcm {
		return off - llcm + dimmnet.Offset(p.nic.LLCM)
	}
	return off
}

// Store is a BOTF of an RVS of up to 8 bytes.
func (p port) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	p.nic.limits.CheckStore(p.Nodes(), dst, off, size)
	var b [dimmnet.WordBytes]byte
	binary.LittleEndian.PutUint64(b[:], v)
	if !p.block(dst, off, b[:size]) {
		return false
	}
	p.CountStore(size)
	return true
}

// Write is a BOTF of an RVS.
func (p port) Write(dst dimmnet.Rank, off dimmnet.Offset, b []byte) bool {
	p.nic.limits.CheckWrite(p.Nodes(), dst, off, len(b))
	if !p.block(dst, off, b) {
		return false
	}
	p.Count(dimmnet.Counters{Writes: 1, Bytes: uint64(len(b))})
	return true
}

// Multicast is not supported.
func (p port) Multicast(dsts []dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	p.nic.limits.CheckMulticast(p.Nodes(), dsts, off, size)
	return false
}

// block sends b through a window, if one is free. A program counts the windows that it uses, and
// reads UR only if it knows of no free one.
func (p port) block(dst dimmnet.Rank, off dimmnet.Offset, b []byte) bool {
	n := p.nic
	if !n.takeWindow(p.Thread) {
		return false
	}
	words := (n.ImageBytes + len(b) + dimmnet.WordBytes - 1) / dimmnet.WordBytes
	p.Busy(dimmnet.Time(words)*n.Params.Fill + n.command())
	p.Sync()
	n.counts.Commands++
	t := n.start(p.Now()) + n.inside(n.ImageBytes+len(b))
	n.busy = t
	n.leaving = append(n.leaving, t)
	k := packet{kind: kindRVS, src: n.rank, dst: dst, to: Contiguous(off, len(b)), payload: append([]byte(nil), b...)}
	p.At(t, n.rank, false, func(at dimmnet.Time) { n.send(p.Thread, at, k) })
	return true
}

func (n *nic) takeWindow(c *host.Thread) bool {
	c.Sync()
	if c.Failure() != nil {
		return false
	}
	if len(n.leaving) < n.Windows {
		return true
	}
	c.Busy(n.Read)
	c.Sync()
	for len(n.leaving) > 0 && n.leaving[0] <= c.Now() {
		n.leaving = n.leaving[1:]
	}
	if c.Failure() != nil || len(n.leaving) < n.Windows {
		return c.Failure() == nil
	}
	c.WakeAt(n.leaving[0])
	return false
}

// Push is an RVS.
func (p port) Push(dst dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	p.nic.limits.CheckRDMA(p.Nodes(), dst, from, to, n, done)
	return p.move(dst, from, to, n, done, dimmnet.Counters{Pushes: 1, Bytes: uint64(n)}, (&User{p.Thread, p.nic}).RVS)
}

// Pull is an RVL.
func (p port) Pull(src dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	p.nic.limits.CheckRDMA(p.Nodes(), src, from, to, n, done)
	return p.move(src, from, to, n, done, dimmnet.Counters{Pulls: 1, Bytes: uint64(n)}, (&User{p.Thread, p.nic}).RVL)
}

func (p port) move(peer dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset, count dimmnet.Counters,
	command func(dimmnet.Rank, Pattern, Pattern, dimmnet.Offset) (uint64, error)) bool {
	p.Sync()
	if p.Failure() != nil {
		return false
	}
	if _, err := command(peer, Contiguous(p.locate(from), n), Contiguous(p.locate(to), n), done); err != nil {
		p.Fail(err)
		return false
	}
	p.Count(count)
	return true
}

// Load is one uncached load of the LLCM.
func (p port) Load(off dimmnet.Offset) uint64 {
	p.nic.limits.CheckLoad(off)
	p.nic.poll(p.Thread)
	return p.nic.memory.load(off)
}

// Read of the LLCM is an uncached load for each word. Read of bulk memory is, for each part that
// fits into PW, a VL, a poll of UR, and an uncached load for each word.
func (p port) Read(b []byte, off dimmnet.Offset) {
	n := p.nic
	l := &n.limits
	l.CheckRead(off, len(b))
	p.Sync()
	if int(off) < l.LLCM {
		p.Busy(p.words(off, len(b)))
		if l.IsPoll(off, len(b)) {
			p.CountPoll()
		}
		n.memory.Read(b, off)
		return
	}
	at := p.locate(off)
	for len(b) > 0 {
		size := min(len(b), len(n.prefetch))
		p.Busy(n.command())
		p.Sync() // packets that arrived in the meantime come first
		n.counts.Commands++
		end := n.start(p.Now()) + n.bank(1, size)
		n.busy = end
		p.Busy(max(0, end+n.clocks(n.Publish)-p.Now()) + n.Read + p.words(0, size))
		n.memory.Read(b[:size], at)
		b, at = b[size:], at+dimmnet.Offset(size)
	}
}

// words returns the time to load n bytes at off word by word.
func (p port) words(off dimmnet.Offset, n int) dimmnet.Time {
	return dimmnet.Time((int(off)%dimmnet.WordBytes+n+dimmnet.WordBytes-1)/dimmnet.WordBytes) * p.nic.Params.Read
}

// Fill is a VS for each window of data. The host fills the next window during a VS.
func (p port) Fill(off dimmnet.Offset, b []byte) {
	n := p.nic
	n.limits.CheckFill(off, len(b))
	p.Sync()
	n.memory.Write(p.locate(off), b)
	for len(b) > 0 {
		size := min(len(b), n.WindowBytes)
		p.Busy(dimmnet.Time((size+dimmnet.WordBytes-1)/dimmnet.WordBytes)*n.Params.Fill + n.command())
		p.Sync()
		n.counts.Commands++
		n.busy = n.start(p.Now()) + n.bank(1, size)
		if ahead := n.busy - p.Now() - dimmnet.Time(n.Windows)*n.bank(1, n.WindowBytes); ahead > 0 {
			p.Busy(ahead) // all windows are in use: wait for one
		}
		b = b[size:]
	}
}

// Flip does nothing, because there is only one bank.
func (p port) Flip() {}
