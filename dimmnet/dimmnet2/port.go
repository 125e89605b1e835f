package dimmnet2

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

// host is a node of a Network: a simulated host with a DIMMnet-2.
type host struct {
	dimmnet.Host
	core sim.Core
	nic  *nic
}

// Port is the thread's handle on its NIC.
func (h host) Port() dimmnet.Port { return port{h} }

// Go starts another thread of this node, with the same NIC.
func (h host) Go(name string, f func(dimmnet.Host) error) {
	h.Host.Go(name, func(inner dimmnet.Host) error {
		core, err := sim.OpenCore(inner)
		if err != nil {
			return err
		}
		return f(host{inner, core, h.nic})
	})
}

// port is a DIMMnet-2 as Fagus sees one. A Store and a Write are BOTFs with an RVS to the LLCM, Push and Pull are RVS and RVL, Fill is VS, and a Read of bulk
// memory VL.
type port struct{ host }

func (p port) Rank() dimmnet.Rank         { return p.nic.rank }
func (p port) Nodes() int                 { return len(p.nic.nics) }
func (p port) Counters() dimmnet.Counters { return p.core.Counters() }
func (p port) Arrivals() dimmnet.Mark     { return p.core.Arrivals() }
func (p port) Idle(since dimmnet.Mark)    { p.core.Idle(since) }
func (p port) Err() error                 { return p.core.Err() }
func (p port) Limits() dimmnet.Limits     { return p.nic.limits() }

// limits are what a port can do: the words where NWAs are published are the LLCM's last, and the rings the last of SO-DIMM.
func (m *machine) limits() dimmnet.Limits {
	n := len(m.nics)
	return dimmnet.Limits{
		Store: dimmnet.WordBytes, Block: m.WindowBytes - m.ImageBytes, RDMA: 1 << 20,
		LLCM: m.LLCM - dimmnet.WordBytes*n, Bulk: m.SODIMM - m.RingBytes*n,
	}
}

// bulk is where the bulk memory's offset off is: the LLCM of the contract is shorter than the NIC's.
func (p port) place(off dimmnet.Offset) dimmnet.Offset {
	if llcm := dimmnet.Offset(p.nic.LLCM - dimmnet.WordBytes*len(p.nic.nics)); off >= llcm {
		return off - llcm + dimmnet.Offset(p.nic.LLCM)
	}
	return off
}

// Store is a BOTF of an RVS of up to 8 bytes.
func (p port) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	l := p.nic.limits()
	l.CheckStore(len(p.nic.nics), dst, off, size)
	var b [dimmnet.WordBytes]byte
	for i := range size {
		b[i] = byte(v >> (8 * i))
	}
	if !p.block(dst, off, b[:size]) {
		return false
	}
	p.core.Count(dimmnet.Counters{Stores: 1, Bytes: uint64(size)})
	return true
}

// Write is a BOTF of an RVS.
func (p port) Write(dst dimmnet.Rank, off dimmnet.Offset, b []byte) bool {
	l := p.nic.limits()
	l.CheckWrite(len(p.nic.nics), dst, off, len(b))
	if !p.block(dst, off, b) {
		return false
	}
	p.core.Count(dimmnet.Counters{Writes: 1, Bytes: uint64(len(b))})
	return true
}

// Multicast is not there.
func (p port) Multicast(dsts []dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	l := p.nic.limits()
	l.CheckMulticast(len(p.nic.nics), dsts, off, size)
	return false
}

// block sends b through a window, if one is free. A program counts the windows that it has used, and asks UR only when it knows of none.
func (p port) block(dst dimmnet.Rank, off dimmnet.Offset, b []byte) bool {
	n := p.nic
	if !n.takeWindow(p.core) {
		return false
	}
	words := (n.ImageBytes + len(b) + dimmnet.WordBytes - 1) / dimmnet.WordBytes
	p.core.Charge(dimmnet.Time(words)*n.Params.Fill + n.command())
	p.core.Sync()
	n.counts.Commands++
	t := n.start(p.core.Now()) + n.inside(n.ImageBytes+len(b))
	n.busy = t
	n.leaving = append(n.leaving, t)
	k := packet{kind: kindRVS, src: n.rank, dst: dst, to: Contiguous(off, len(b)), payload: append([]byte(nil), b...)}
	p.core.At(t, n.rank, false, func(at dimmnet.Time) { n.send(p.core, at, k) })
	return true
}

// takeWindow takes a free window, if there is one.
func (n *nic) takeWindow(c sim.Core) bool {
	c.Sync()
	if c.Failed() {
		return false
	}
	if len(n.leaving) < n.Windows {
		return true
	}
	c.Charge(n.Read)
	c.Sync()
	for len(n.leaving) > 0 && n.leaving[0] <= c.Now() {
		n.leaving = n.leaving[1:]
	}
	if c.Failed() || len(n.leaving) < n.Windows {
		return !c.Failed()
	}
	c.WakeAt(n.leaving[0])
	return false
}

// Push is an RVS, Pull an RVL.
func (p port) Push(dst dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	l := p.nic.limits()
	l.CheckRDMA(len(p.nic.nics), dst, from, to, n, done)
	return p.move(dst, from, to, n, done, dimmnet.Counters{Pushes: 1, Bytes: uint64(n)}, (&User{p.core, p.nic}).RVS)
}

// Pull: see Push.
func (p port) Pull(src dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	l := p.nic.limits()
	l.CheckRDMA(len(p.nic.nics), src, from, to, n, done)
	return p.move(src, from, to, n, done, dimmnet.Counters{Pulls: 1, Bytes: uint64(n)}, (&User{p.core, p.nic}).RVL)
}

func (p port) move(peer dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset, count dimmnet.Counters,
	command func(dimmnet.Rank, Pattern, Pattern, dimmnet.Offset) (uint64, error)) bool {
	p.core.Sync()
	if p.core.Failed() {
		return false
	}
	if _, err := command(peer, Contiguous(p.place(from), n), Contiguous(p.place(to), n), done); err != nil {
		p.core.Fail(err)
		return false
	}
	p.core.Count(count)
	return true
}

// Load is one uncached read of the LLCM.
func (p port) Load(off dimmnet.Offset) uint64 {
	l := p.nic.limits()
	l.CheckLoad(off)
	p.core.Sync()
	p.core.Charge(p.nic.Read)
	p.core.Count(dimmnet.Counters{Polls: 1})
	return p.nic.memory.load(off)
}

// Read of the LLCM is an uncached read for every word; of bulk memory a VL for as much as PW takes, a poll of UR, and an uncached read for every word
// of PW.
func (p port) Read(b []byte, off dimmnet.Offset) {
	n := p.nic
	l := n.limits()
	l.CheckRead(off, len(b))
	p.core.Sync()
	if int(off) < l.LLCM {
		p.core.Charge(p.words(off, len(b)))
		if l.IsPoll(off, len(b)) {
			p.core.Count(dimmnet.Counters{Polls: 1})
		}
		n.memory.read(b, off)
		return
	}
	at := p.place(off)
	for len(b) > 0 {
		size := min(len(b), len(n.prefetch))
		p.core.Charge(n.command())
		p.core.Sync() // packets that have come meanwhile were first
		n.counts.Commands++
		end := n.start(p.core.Now()) + n.bank(1, size)
		n.busy = end
		p.core.Charge(max(0, end+n.clocks(n.Publish)-p.core.Now()) + n.Read + p.words(0, size))
		n.memory.read(b[:size], at)
		b, at = b[size:], at+dimmnet.Offset(size)
	}
}

// words is what reading bytes takes, word by word.
func (p port) words(off dimmnet.Offset, n int) dimmnet.Time {
	return dimmnet.Time((int(off)%dimmnet.WordBytes+n+dimmnet.WordBytes-1)/dimmnet.WordBytes) * p.nic.Params.Read
}

// Fill is a VS for every window's worth: the next is filled while one is stored.
func (p port) Fill(off dimmnet.Offset, b []byte) {
	n := p.nic
	l := n.limits()
	l.CheckFill(off, len(b))
	p.core.Sync()
	n.memory.write(p.place(off), b)
	for len(b) > 0 {
		size := min(len(b), n.WindowBytes)
		p.core.Charge(dimmnet.Time((size+dimmnet.WordBytes-1)/dimmnet.WordBytes)*n.Params.Fill + n.command())
		p.core.Sync()
		n.counts.Commands++
		n.busy = n.start(p.core.Now()) + n.bank(1, size)
		if ahead := n.busy - p.core.Now() - dimmnet.Time(n.Windows)*n.bank(1, n.WindowBytes); ahead > 0 {
			p.core.Charge(ahead) // all windows are full
		}
		b = b[size:]
	}
}

// Flip does nothing: there is one memory.
func (p port) Flip() {}
