package sim

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/martini"
)

// Rank, Nodes, Limits and Counters answer from the run's constants.
func (th *thread) Rank() dimmnet.Rank         { return th.rank }
func (th *thread) Nodes() int                 { return len(th.k.nodes) }
func (th *thread) Limits() dimmnet.Limits     { return th.k.preset.Limits }
func (th *thread) Counters() dimmnet.Counters { return th.counters }

// Err also looks whether the run may go on: who only computes calls nothing else.
func (th *thread) Err() error {
	th.k.countCall(th.now)
	return th.k.err
}

// Store is an AOTF: one uncached write to a kick page. Software counts its
// credits, so there is nothing to ask the NIC first; when they are used up, it
// reads the NIC's status to learn of new ones.
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
	k := th.k
	th.sync()
	if k.err != nil || !th.room(&th.node.fifo, k.preset.FIFO) {
		th.now += k.preset.Host.Read
		return false
	}
	th.now += k.preset.Host.Write
	hit, err := k.kickPage(th.node, dst, dsts, off)
	if err != nil {
		k.fail(fmt.Errorf("sim: rank %d: %w", th.rank, err))
		return false
	}
	p := packet{kind: kindStore, word: lowBytes(v, size), dsts: dsts, off: off, size: int32(size), ref: -1, src: th.rank, dst: dst}
	th.node.fifo.add(k.post(p, th.kicked(hit)))
	th.counters.Stores++
	th.counters.Bytes += uint64(size)
	return true
}

// kicked says when a store that the CPU has just made can be on the link. A miss
// in the HTLB interrupts the core PU first.
func (th *thread) kicked(hit bool) dimmnet.Time {
	ready := th.now + th.k.sendTime
	if !hit {
		ready = th.node.interrupt(ready, th.k.preset.NIC.HTLBRefill)
	}
	return ready
}

// lowBytes is the low size bytes of v.
func lowBytes(v uint64, size int) uint64 {
	if size < dimmnet.WordBytes {
		v &= 1<<(8*size) - 1
	}
	return v
}

// Write is a BOTF: the header and the payload into a window, and the kick. One
// uncached read tells which of the 64 windows have left; the program asks when
// it knows of none.
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

// window takes a free window.
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
	// What follows is decided when the status is back: in that order it must
	// stand among the posts of other threads, or ties between packets would be
	// broken in another way when polls are skipped.
	th.now += k.preset.Host.Read
	th.sync()
	if k.err != nil || !th.room(&n.windows, k.preset.Windows-n.chip.Windows()) {
		return false
	}
	n.knownFree = k.preset.Windows - n.chip.Windows() - n.windows.waiting(th.now) - 1
	return true
}

// fillWindow charges the CPU for a header and n bytes, and for the kick.
func (th *thread) fillWindow(n int, kind WindowKind) {
	h := &th.k.preset.Host
	word := h.Fill
	if kind == Uncached {
		word = h.Write
	}
	words := (th.k.preset.HeaderBytes + n + dimmnet.WordBytes - 1) / dimmnet.WordBytes
	th.now += dimmnet.Time(words)*word + h.Write
}

// launch sends the payload of a window, and says when the last of it has left.
func (th *thread) launch(p packet, b []byte) (departure dimmnet.Time) {
	p.block = th.k.packets.blockOf(len(b))
	copy(p.block, b)
	p.kind, p.size, p.src = kindBlock, int32(len(b)), th.rank
	return th.k.post(p, th.now+th.k.sendTime)
}

// room says whether fewer than limit packets of d wait to leave. If not, the
// thread will be woken when the first of them has left.
func (th *thread) room(d *departures, limit int) bool {
	if d.waiting(th.now) < limit {
		return true
	}
	th.wakeAt(d.first())
	return false
}

// wakeAt wakes the thread when something of its node becomes free at t.
func (th *thread) wakeAt(t dimmnet.Time) {
	if n := th.node; n.freeAt == 0 || t < n.freeAt {
		n.freeAt = t
		th.k.schedule(t, evFree, int32(th.rank))
	}
}

// Load is one uncached read. The word is sampled when the read starts: what
// lands while it is on its way back is seen by the next one.
func (th *thread) Load(off dimmnet.Offset) uint64 {
	th.k.preset.Limits.CheckLoad(off)
	th.sync()
	th.now += th.k.preset.Host.Read
	th.counters.Polls++
	return th.node.memory.load(off)
}

// Read is one uncached read for every word of the LLCM that p touches, a
// cheaper one for up to 4 bytes. A bank can be cached: it is copied at its speed.
func (th *thread) Read(p []byte, off dimmnet.Offset) {
	k := th.k
	limits, host := &k.preset.Limits, &k.preset.Host
	limits.CheckRead(off, len(p))
	th.sync()
	if llcm := dimmnet.Offset(limits.LLCM); off >= llcm {
		th.now += host.Read + k.bankTime(len(p))
		th.node.host.read(p, off-llcm)
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
	th.node.memory.read(p, off)
}

// Arrivals counts what has landed, and starts a polling pass.
func (th *thread) Arrivals() dimmnet.Mark {
	if len(th.node.threads) > 1 {
		th.sync() // who wants a CPU by now
		th.share()
	}
	th.polls, th.idled = th.idled, false
	th.markAt, th.markPolls = th.now, th.counters.Polls
	return th.node.arrivals
}

// Idle skips polling passes until something happens at this node.
func (th *thread) Idle(since dimmnet.Mark) {
	th.sync()
	th.idled, th.fresh = true, false
	if th.k.cfg.Spin || th.node.arrivals != since || th.k.err != nil || th.due() {
		return
	}
	th.park()
}
