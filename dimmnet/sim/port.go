package sim

import "github.com/fagus-dsm/fagus/dimmnet"

// Rank, Nodes, Limits and Counters answer from the run's constants.
func (th *thread) Rank() dimmnet.Rank         { return th.rank }
func (th *thread) Nodes() int                 { return len(th.k.nodes) }
func (th *thread) Limits() dimmnet.Limits     { return th.k.preset.Limits }
func (th *thread) Counters() dimmnet.Counters { return th.counters }
func (th *thread) Err() error                 { return th.k.err }

// Store is an AOTF: one uncached write. Software counts its credits, so there
// is nothing to ask the NIC first; when they are used up, it reads the NIC's
// status to learn of new ones.
func (th *thread) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	k := th.k
	k.preset.Limits.CheckStore(len(k.nodes), dst, off, size)
	th.sync()
	if k.err != nil || !th.room(&th.node.fifo, k.preset.FIFO) {
		th.now += k.preset.CPURead
		return false
	}
	th.now += k.preset.CPUWrite
	if size < 8 {
		v &= 1<<(8*size) - 1
	}
	p := packet{word: v, off: off, size: int32(size), src: th.rank, dst: dst}
	th.node.fifo.add(k.send(p, th.now))
	th.counters.Stores++
	th.counters.Bytes += uint64(size)
	return true
}

// Write is a BOTF: an uncached read to see whether the window's last packet has
// left, the header and the payload into the window, and the kick.
func (th *thread) Write(dst dimmnet.Rank, off dimmnet.Offset, b []byte) bool {
	k := th.k
	k.preset.Limits.CheckWrite(len(k.nodes), dst, off, len(b))
	// What follows is decided when the status is back: in that order it must
	// stand among the posts of other threads, or ties between packets would be
	// broken in another way when polls are skipped.
	th.now += k.preset.CPURead
	th.sync()
	if k.err != nil || !th.room(&th.node.windows, k.preset.Windows) {
		return false
	}
	words := (k.preset.HeaderBytes + len(b) + dimmnet.WordBytes - 1) / dimmnet.WordBytes
	th.now += dimmnet.Time(words)*k.preset.CPUFill + k.preset.CPUWrite
	p := packet{block: k.packets.copyOf(b), off: off, size: int32(len(b)), src: th.rank, dst: dst}
	th.node.windows.add(k.send(p, th.now))
	th.counters.Writes++
	th.counters.Bytes += uint64(len(b))
	return true
}

// room says whether fewer than limit packets of d wait to leave. If not, the
// thread will be woken when the first of them has left.
func (th *thread) room(d *departures, limit int) bool {
	if d.waiting(th.now) < limit {
		return true
	}
	n := th.node
	if t := d.first(); n.freeAt == 0 || t < n.freeAt {
		n.freeAt = t
		th.k.schedule(t, evFree, int32(th.rank))
	}
	return false
}

// Multicast panics: this model has no switch.
func (th *thread) Multicast(dsts []dimmnet.Rank, off dimmnet.Offset, _ uint64, size int) bool {
	th.k.preset.Limits.CheckMulticast(len(th.k.nodes), dsts, off, size)
	return false
}

// Fill panics: this model has no bulk memory.
func (th *thread) Fill(off dimmnet.Offset, p []byte) {
	th.k.preset.Limits.CheckFill(off, len(p))
}

// Flip does nothing: this model has no bulk memory.
func (th *thread) Flip() {}

// Push panics: this model has no RDMA.
func (th *thread) Push(dst dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	th.k.preset.Limits.CheckRDMA(len(th.k.nodes), dst, from, to, n, done)
	return false
}

// Pull panics: this model has no RDMA.
func (th *thread) Pull(src dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	th.k.preset.Limits.CheckRDMA(len(th.k.nodes), src, from, to, n, done)
	return false
}

// Load is one uncached read. The word is sampled when the read starts: what
// lands while it is on its way back is seen by the next one.
func (th *thread) Load(off dimmnet.Offset) uint64 {
	th.k.preset.Limits.CheckLoad(off)
	th.sync()
	th.now += th.k.preset.CPURead
	th.counters.Polls++
	return th.node.memory.load(off)
}

// Read is one uncached read for every word that p touches.
func (th *thread) Read(p []byte, off dimmnet.Offset) {
	limits := &th.k.preset.Limits
	limits.CheckRead(off, len(p))
	if limits.IsPoll(off, len(p)) {
		th.counters.Polls++
	}
	th.sync()
	words := (int(off)%dimmnet.WordBytes + len(p) + dimmnet.WordBytes - 1) / dimmnet.WordBytes
	th.now += dimmnet.Time(words) * th.k.preset.CPURead
	th.node.memory.read(p, off)
}

// Arrivals counts what has landed, and starts a polling pass.
func (th *thread) Arrivals() dimmnet.Mark {
	th.markAt, th.markPolls = th.now, th.counters.Polls
	return th.node.arrivals
}

// Idle skips polling passes until something happens at this node.
func (th *thread) Idle(since dimmnet.Mark) {
	th.sync()
	if th.k.cfg.Spin || th.node.arrivals != since || th.k.err != nil {
		return
	}
	th.park()
}
