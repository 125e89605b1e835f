package local

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
	"github.com/fagus-dsm/fagus/dimmnet/live/memory"
)

// Thread is one thread of a Run. Its posts copy bytes and are counted; the embedding network wakes
// the threads of the destination. Run.Enter initializes the Thread.
type Thread struct {
	Host
	run *Run
	own *memory.NIC
	_   [CacheLine]byte

	at     int // index in run.threads, or returned; guarded by run.Mu
	number int // position in the order in which the threads of the run started
}

// returned is the index of a thread that has returned.
const returned = -1

// Begin makes q another thread of the node of t. It panics if t has returned.
//
// A network calls Begin before its Host.Go returns. Otherwise the next action of t could look like
// the end of the run or like a deadlock.
func (t *Thread) Begin(q *Thread, name string) {
	t.run.Mu.Lock()
	defer t.run.Mu.Unlock()
	t.CheckStart(t.at == returned)
	t.run.Enter(q, t.rank, name)
}

// Store performs a Store. It returns false if the run has failed.
func (t *Thread) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) (posted bool) {
	r := t.run
	t.limits.CheckStore(t.nodes, dst, off, size)
	if r.failed.Load() {
		return false
	}
	if r.released && size == word {
		r.nics[dst].LLCM.StoreRelease(off, v)
	} else {
		r.nics[dst].LLCM.Store(off, v, size)
	}
	t.Counts.Stores++
	t.Counts.Bytes += uint64(size)
	return true
}

// PrefetchWord performs a PrefetchWord.
func (t *Thread) PrefetchWord(dst dimmnet.Rank, off dimmnet.Offset) {
	t.limits.CheckStore(t.nodes, dst, off, word)
	memory.Prefetch(t.run.nics[dst].LLCM.Bytes()[off:][:word], true)
}

// Prefetch performs a Prefetch.
func (t *Thread) Prefetch(p []byte, write bool) { memory.Prefetch(p, write) }

// Write performs a Write. It returns false if the run has failed.
func (t *Thread) Write(dst dimmnet.Rank, off dimmnet.Offset, p []byte) (posted bool) {
	r := t.run
	t.limits.CheckWrite(t.nodes, dst, off, len(p))
	if r.failed.Load() {
		return false
	}
	r.nics[dst].LLCM.Write(off, p)
	t.Counts.Writes++
	t.Counts.Bytes += uint64(len(p))
	return true
}

// Push performs a Push and its completion store. It returns false if the run has failed.
func (t *Thread) Push(dst dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) (posted bool) {
	return t.rdma(&t.Counts.Pushes, dst, true, from, to, n, done)
}

// Pull performs a Pull and its completion store. It returns false if the run has failed.
func (t *Thread) Pull(src dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) (posted bool) {
	return t.rdma(&t.Counts.Pulls, src, false, from, to, n, done)
}

func (t *Thread) rdma(count *uint64, peer dimmnet.Rank, push bool, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	r := t.run
	t.limits.CheckRDMA(t.nodes, peer, from, to, n, done)
	if r.failed.Load() {
		return false
	}
	dst, src := t.own, r.nics[peer]
	if push {
		dst, src = src, dst
	}
	memory.CopyNIC(dst, to, src, from, n)
	delay.Here()
	*count++
	t.Counts.Bytes += uint64(n)
	t.own.LLCM.Store(done, uint64(n), word)
	return true
}

// Fill copies p to off in this node's bulk memory.
func (t *Thread) Fill(off dimmnet.Offset, p []byte) {
	t.limits.CheckFill(off, len(p))
	m, off := t.own.AtHost(off)
	m.Write(off, p)
}

// Load returns the aligned word at off in this node's LLCM.
func (t *Thread) Load(off dimmnet.Offset) uint64 {
	t.limits.CheckLoad(off)
	t.Counts.Polls++
	return t.own.LLCM.Load(off)
}

// Read copies len(p) bytes at off in this node's memory to p.
func (t *Thread) Read(p []byte, off dimmnet.Offset) {
	t.limits.CheckRead(off, len(p))
	if t.limits.IsPoll(off, len(p)) {
		t.Counts.Polls++
	}
	m, off := t.own.AtHost(off)
	m.Read(p, off)
}
