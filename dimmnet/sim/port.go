package sim

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/host"
	"github.com/fagus-dsm/fagus/dimmnet/sim/martini"
	"github.com/fagus-dsm/fagus/dimmnet/sim/network"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
)

// port is a thread's port to a DIMMnet-1. It charges what an access costs the CPU.
type port struct {
	*host.Thread
	nic    *driver
	preset *presets.Preset
	run    *run
}

// Limits is constant in a run.
func (p *port) Limits() dimmnet.Limits { return p.preset.Limits }

// Store is an AOTF: one uncached write to a kick page. Software counts its credits; when they are
// used up, it reads the NIC's status to learn of new ones.
func (p *port) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	p.preset.Limits.CheckStore(p.Nodes(), dst, off, size)
	return p.store(dst, nil, off, v, size)
}

// Multicast is an AOTF whose header names a group of the switch.
func (p *port) Multicast(dsts []dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	p.preset.Limits.CheckMulticast(p.Nodes(), dsts, off, size)
	return p.store(dsts[0], slices.Clone(dsts), off, v, size)
}

func (p *port) store(dst dimmnet.Rank, dsts []dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	times := &p.preset.Host
	ahead := p.Ahead() && p.Failure() == nil && p.nic.FIFO.Waiting(p.Now())+p.Deferred() < p.preset.FIFO
	if !ahead {
		p.Sync()
		if p.Failure() != nil || !p.nic.Below(&p.nic.FIFO, p.preset.FIFO, p.Now()) {
			p.Busy(times.Read)
			return false
		}
	}
	hit, err := p.nic.kickPage(dst, dsts, off)
	if err != nil {
		p.Busy(times.Write)
		p.Fail(fmt.Errorf("sim: rank %d: %w", p.Rank(), err))
		return false
	}
	s := network.Store{Written: p.Now() + times.Write, Word: lowBytes(v, size), Off: off, To: dst, Group: dsts, Size: int32(size), Hit: hit}
	if ahead {
		p.Defer(&s)
	} else {
		p.nic.Post(&s)
	}
	p.Busy(times.Write)
	p.CountStore(size)
	return true
}

func lowBytes(v uint64, size int) uint64 {
	if size < dimmnet.WordBytes {
		v &= 1<<(8*size) - 1
	}
	return v
}

// Write is a BOTF: header and payload are written into a window, then the kick address. If the
// program knows of no free window, an uncached read returns the status of all 64.
func (p *port) Write(dst dimmnet.Rank, off dimmnet.Offset, b []byte) bool {
	p.preset.Limits.CheckWrite(p.Nodes(), dst, off, len(b))
	if !p.window() {
		return false
	}
	p.fillWindow(len(b), WriteCombining)
	p.nic.blocks.Add(p.nic.Block(p.header(martini.CommandBlock, dst, off, len(b)), b, -1, p.Now()))
	p.Count(dimmnet.Counters{Writes: 1, Bytes: uint64(len(b))})
	return true
}

func (p *port) window() bool {
	if p.nic.knownFree > 0 {
		p.Sync()
		if p.Failure() != nil {
			return false
		}
		p.nic.knownFree--
		return true
	}
	// The program decides when the status has arrived, so Sync comes after the cost of the read.
	// The order matters: otherwise ties with the posts of other threads would resolve differently
	// when polls are skipped.
	p.Busy(p.preset.Host.Read)
	p.Sync()
	all := p.preset.Windows - p.nic.Chip.Windows()
	if p.Failure() != nil || !p.nic.Below(&p.nic.blocks, all, p.Now()) {
		return false
	}
	p.nic.knownFree = all - p.nic.blocks.Waiting(p.Now()) - 1
	return true
}

func (p *port) fillWindow(n int, kind WindowKind) {
	times := &p.preset.Host
	word := times.Fill
	if kind == Uncached {
		word = times.Write
	}
	words := (p.preset.HeaderBytes + n + dimmnet.WordBytes - 1) / dimmnet.WordBytes
	p.Busy(dimmnet.Time(words)*word + times.Write)
}

// Load is one uncached read. It samples the word when the read starts: a store that lands
// while the word travels to the CPU is seen by the next Load.
func (p *port) Load(off dimmnet.Offset) uint64 {
	p.preset.Limits.CheckLoad(off)
	p.Observe()
	p.Busy(p.preset.Host.Read)
	p.CountPoll()
	return p.Thread.Load(off)
}

// Read makes one uncached read for every word of the LLCM that b touches; a read of up to 4 bytes
// costs less. A bank can be cached, so it is copied at its own speed.
func (p *port) Read(b []byte, off dimmnet.Offset) {
	limits, times := &p.preset.Limits, &p.preset.Host
	limits.CheckRead(off, len(b))
	p.Observe()
	if llcm := dimmnet.Offset(limits.LLCM); off >= llcm {
		p.Busy(times.Read + p.bankTime(len(b)))
		p.nic.Bank.Read(b, off-llcm)
		return
	}
	const half = dimmnet.WordBytes / 2
	if int(off)%half+len(b) <= half {
		p.Busy(times.ReadHalf)
	} else {
		words := (int(off)%dimmnet.WordBytes + len(b) + dimmnet.WordBytes - 1) / dimmnet.WordBytes
		p.Busy(dimmnet.Time(words) * times.Read)
	}
	if limits.IsPoll(off, len(b)) {
		p.CountPoll()
	}
	p.Thread.Read(b, off)
}

// Push writes a request to the NIC: 32 bytes and a kick, all uncached.
func (p *port) Push(dst dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	p.preset.Limits.CheckRDMA(p.Nodes(), dst, from, to, n, done)
	if !p.request() {
		return false
	}
	p.nic.Push(p.header(martini.CommandPush, dst, to, n), from, n, done, p.Now())
	p.Count(dimmnet.Counters{Pushes: 1, Bytes: uint64(n)})
	return true
}

// Pull writes a request to the NIC, as Push does.
func (p *port) Pull(src dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	p.preset.Limits.CheckRDMA(p.Nodes(), src, from, to, n, done)
	if !p.request() {
		return false
	}
	ask, into := p.header(martini.CommandPull, src, from, n), p.header(martini.CommandPush, p.Rank(), to, n)
	p.nic.Pull(ask, into, n, done, p.Now())
	p.Count(dimmnet.Counters{Pulls: 1, Bytes: uint64(n)})
	return true
}

// request writes a request for the NIC. It returns false if every window already holds one.
func (p *port) request() bool {
	p.Sync()
	if p.Failure() != nil || p.nic.QueueFull() {
		p.nic.AwaitQueue()
		p.Busy(p.preset.Host.Read) // the read of the status
		return false
	}
	p.fillWindow(0, Uncached)
	return true
}

// Fill writes to the bank that faces the host, at the speed of the bus or of the bank.
func (p *port) Fill(off dimmnet.Offset, b []byte) {
	limits := &p.preset.Limits
	limits.CheckFill(off, len(b))
	p.Observe() // only the node's own thread uses the host's side
	p.Busy(p.bankTime(len(b)))
	p.nic.Bank.Write(off-dimmnet.Offset(limits.LLCM), b)
}

// bankTime returns the time that the host needs to copy n bytes to or from its bank.
func (p *port) bankTime(n int) dimmnet.Time {
	words := (n + dimmnet.WordBytes - 1) / dimmnet.WordBytes
	return dimmnet.Time(words) * max(p.preset.Host.Fill, dimmnet.WordBytes*p.preset.NIC.BankByte)
}

// Flip swaps the banks. During a transfer that uses a bank, a swap would mix the data of both
// banks; such a Flip fails the run.
func (p *port) Flip() {
	p.Busy(p.preset.Host.Write)
	p.Sync()
	if n := p.nic.Transfers(); n > 0 && p.Failure() == nil {
		p.Fail(fmt.Errorf("sim: at %v rank %d calls Flip while %d transfers use its banks; wait for their done words first", p.Now(), p.Rank(), n))
		return
	}
	p.nic.Swap()
	p.Busy(p.preset.NIC.Flip)
}
