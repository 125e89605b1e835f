package sim

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/martini"
)

// Rank, Nodes and Limits are constant in a run. Counters returns the thread's counts.
func (th *thread) Rank() dimmnet.Rank         { return th.rank }
func (th *thread) Nodes() int                 { return len(th.k.nodes) }
func (th *thread) Limits() dimmnet.Limits     { return th.k.preset.Limits }
func (th *thread) Counters() dimmnet.Counters { return th.counters }

// Err also checks the limits of the run, because a thread that only computes calls nothing else.
func (th *thread) Err() error {
	th.k.countCall(th.now)
	return th.k.err
}

// Store is an AOTF: one uncached write to a kick page. Software counts its credits; when they are
// used up, it reads the NIC's status to learn of new ones.
func (th *thread) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	th.k.preset.Limits.CheckStore(len(th.k.nodes), dst, off, size)
	return th.store(dst, nil, off, v, size)
}

// Multicast is an AOTF whose header names a group of the switch.
func (th *thread) Multicast(dsts []dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	th.k.preset.Limits.CheckMulticast(len(th.k.nodes), dsts, off, size)
	return th.store(dsts[0], slices.Clone(dsts), off, v, size)
}

func (th *thread) store(dst dimmnet.Rank, dsts []dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	k, n := th.k, th.node
	ahead := th.ahead() && k.err == nil && n.fifo.waiting(th.now)+int(th.deferrals.stores) < k.preset.FIFO
	if !ahead {
		th.sync()
		if k.err != nil || !th.hasCredit(&n.fifo, k.preset.FIFO) {
			th.now += k.preset.Host.Read
			return false
		}
	}
	hit, err := n.kickPage(dst, dsts, off)
	if err != nil {
		th.now += k.preset.Host.Write
		k.fail(fmt.Errorf("sim: rank %d: %w", th.rank, err))
		return false
	}
	d := deferral{at: th.now, word: lowBytes(v, size), dst: dst, dsts: dsts, off: off, size: int32(size), hit: hit, own: never}
	if !ahead {
		th.launchStore(&d)
	} else {
		if dst == th.rank || slices.Contains(dsts, th.rank) {
			d.own = th.now + k.preset.Host.Write + k.sendTime + k.receiveTime - k.preset.NIC.Own
			n.expected.add(d.own)
		}
		th.deferrals.stores++
		th.postpone(d)
	}
	th.now += k.preset.Host.Write
	th.counters.Stores++
	th.counters.Bytes += uint64(size)
	return true
}

// launchStore sends the packet of a Store or Multicast.
func (th *thread) launchStore(d *deferral) {
	p := packet{kind: kindStore, word: d.word, dsts: d.dsts, off: d.off, size: d.size, ref: -1, src: th.rank, dst: d.dst}
	th.node.fifo.add(th.k.post(p, th.kicked(d.at+th.k.preset.Host.Write, d.hit)))
}

// kicked returns when a store that is written up to the time at can be on the link. On an HTLB
// miss, the interrupt comes first.
func (th *thread) kicked(at dimmnet.Time, hit bool) dimmnet.Time {
	ready := at + th.k.sendTime
	if !hit {
		ready = th.node.interrupt(ready, th.k.preset.NIC.HTLBRefill)
	}
	return ready
}

func lowBytes(v uint64, size int) uint64 {
	if size < dimmnet.WordBytes {
		v &= 1<<(8*size) - 1
	}
	return v
}

// Write is a BOTF: header and payload are written into a window, then the kick address. If the
// program knows of no free window, an uncached read returns the status of all 64.
func (th *thread) Write(dst dimmnet.Rank, off dimmnet.Offset, b []byte) bool {
	k := th.k
	k.preset.Limits.CheckWrite(len(k.nodes), dst, off, len(b))
	if !th.window() {
		return false
	}
	th.fillWindow(len(b), WriteCombining)
	p := packet{header: k.portHeader(martini.CommandBlock, dst, off, len(b)), ref: -1, dst: dst}
	th.node.windows.add(th.launch(p, b))
	th.counters.Writes++
	th.counters.Bytes += uint64(len(b))
	return true
}

func (th *thread) window() bool {
	k, n := th.k, th.node
	if n.knownFree > 0 {
		th.sync()
		if k.err != nil {
			return false
		}
		n.knownFree--
		return true
	}
	// The program decides when the status has arrived, so sync comes after the cost of the read.
	// The order matters: otherwise ties with the posts of other threads would resolve differently
	// when polls are skipped.
	th.now += k.preset.Host.Read
	th.sync()
	if k.err != nil || !th.hasCredit(&n.windows, k.preset.Windows-n.chip.Windows()) {
		return false
	}
	n.knownFree = k.preset.Windows - n.chip.Windows() - n.windows.waiting(th.now) - 1
	return true
}

func (th *thread) fillWindow(n int, kind WindowKind) {
	h := &th.k.preset.Host
	word := h.Fill
	if kind == Uncached {
		word = h.Write
	}
	words := (th.k.preset.HeaderBytes + n + dimmnet.WordBytes - 1) / dimmnet.WordBytes
	th.now += dimmnet.Time(words)*word + h.Write
}

// launch sends the payload of a window. It returns the time when the last byte has left.
func (th *thread) launch(p packet, b []byte) (departure dimmnet.Time) {
	p.block = th.k.packets.blockOf(len(b))
	copy(p.block, b)
	p.kind, p.size, p.src = kindBlock, int32(len(b)), th.rank
	return th.k.post(p, th.now+th.k.sendTime)
}

// hasCredit reports whether fewer than limit packets of d wait. If not, th wakes when one leaves.
func (th *thread) hasCredit(d *departures, limit int) bool {
	if d.waiting(th.now) < limit {
		return true
	}
	th.wakeAt(d.first())
	return false
}

// wakeAt wakes the thread at t, the time when a resource of its node becomes free.
func (th *thread) wakeAt(t dimmnet.Time) {
	if n := th.node; n.freeAt == 0 || t < n.freeAt {
		n.freeAt = t
		th.k.scheduleFree(th.rank, t)
	}
}

// Load is one uncached read. It samples the word when the read starts: a store that lands
// while the word travels to the CPU is seen by the next Load.
func (th *thread) Load(off dimmnet.Offset) uint64 {
	th.k.preset.Limits.CheckLoad(off)
	th.observe()
	th.now += th.k.preset.Host.Read
	th.counters.Polls++
	return th.node.load(off)
}

// Read makes one uncached read for every word of the LLCM that p touches; a read of up to 4 bytes
// costs less. A bank can be cached, so it is copied at its own speed.
func (th *thread) Read(p []byte, off dimmnet.Offset) {
	k := th.k
	limits, host := &k.preset.Limits, &k.preset.Host
	limits.CheckRead(off, len(p))
	th.observe()
	if llcm := dimmnet.Offset(limits.LLCM); off >= llcm {
		th.now += host.Read + k.bankTime(len(p))
		th.node.host.Read(p, off-llcm)
		return
	}
	const half = dimmnet.WordBytes / 2
	if int(off)%half+len(p) <= half {
		th.now += host.ReadHalf
	} else {
		words := (int(off)%dimmnet.WordBytes + len(p) + dimmnet.WordBytes - 1) / dimmnet.WordBytes
		th.now += dimmnet.Time(words) * host.Read
	}
	if limits.IsPoll(off, len(p)) {
		th.counters.Polls++
	}
	th.node.read(p, off)
}

// Arrivals returns the number of arrivals, and starts a polling pass.
func (th *thread) Arrivals() dimmnet.Mark {
	if len(th.node.threads) > 1 {
		th.sync() // this lets other threads become ready
		th.yieldWhileDue()
	}
	kind := working
	if th.pass.kind == idled {
		kind = afterIdle
	}
	th.pass.kind, th.pass.start, th.pass.polls, th.pass.charged = kind, th.now, th.counters.Polls, false
	return th.node.seen()
}

// Idle skips polling passes until something happens at this node.
func (th *thread) Idle(since dimmnet.Mark) {
	th.observe()
	th.pass.kind, th.turn.fresh = idled, false
	if th.k.cfg.Spin || th.node.seen() != since || th.k.err != nil || th.due() || th.pass.charged {
		return
	}
	if until := th.node.past.until; until != 0 {
		th.pass.end = th.now
		th.skipTo(until) // what is to wake it has landed
		return
	}
	th.park()
}
