package porttest

import (
	"runtime"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// The ports of this file use the freedom that the contract leaves them, so that
// TestAccepts can see the suite pass.

// fewCredits refuses every third post; its Idle after that gives credit at once.
type fewCredits struct {
	dimmnet.Port
	posts   int
	refused bool
}

func (p *fewCredits) room() bool {
	if p.Err() != nil {
		return true
	}
	p.posts++
	p.refused = p.posts%3 == 0
	return !p.refused
}

func (p *fewCredits) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	p.Limits().CheckStore(p.Nodes(), dst, off, size)
	return p.room() && p.Port.Store(dst, off, v, size)
}

func (p *fewCredits) Write(dst dimmnet.Rank, off dimmnet.Offset, b []byte) bool {
	p.Limits().CheckWrite(p.Nodes(), dst, off, len(b))
	return p.room() && p.Port.Write(dst, off, b)
}

func (p *fewCredits) Multicast(dsts []dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	p.Limits().CheckMulticast(p.Nodes(), dsts, off, size)
	return p.room() && p.Port.Multicast(dsts, off, v, size)
}

func (p *fewCredits) Push(dst dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	p.Limits().CheckRDMA(p.Nodes(), dst, from, to, n, done)
	return p.room() && p.Port.Push(dst, from, to, n, done)
}

func (p *fewCredits) Pull(src dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	p.Limits().CheckRDMA(p.Nodes(), src, from, to, n, done)
	return p.room() && p.Port.Pull(src, from, to, n, done)
}

func (p *fewCredits) Idle(since dimmnet.Mark) {
	if p.refused {
		p.refused = false
		return
	}
	p.Port.Idle(since)
}

// idlesNot returns early from every Idle; nobody then sees a deadlock.
type idlesNot struct{ dimmnet.Port }

func (p idlesNot) Idle(dimmnet.Mark) { runtime.Gosched() }

// small has other limits.
type small struct {
	dimmnet.Port
	limits dimmnet.Limits
}

func (p small) Limits() dimmnet.Limits { return p.limits }

func (p small) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	p.limits.CheckStore(p.Nodes(), dst, off, size)
	return p.Port.Store(dst, off, v, size)
}

func (p small) Write(dst dimmnet.Rank, off dimmnet.Offset, b []byte) bool {
	p.limits.CheckWrite(p.Nodes(), dst, off, len(b))
	return p.Port.Write(dst, off, b)
}

func (p small) Push(dst dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	p.limits.CheckRDMA(p.Nodes(), dst, from, to, n, done)
	return p.Port.Push(dst, from, to, n, done)
}

func (p small) Pull(src dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	p.limits.CheckRDMA(p.Nodes(), src, from, to, n, done)
	return p.Port.Pull(src, from, to, n, done)
}

func (p small) Load(off dimmnet.Offset) uint64 {
	p.limits.CheckLoad(off)
	return p.Port.Load(off)
}

func (p small) Read(b []byte, off dimmnet.Offset) {
	p.limits.CheckRead(off, len(b))
	p.Port.Read(b, off)
}

func (p small) Fill(off dimmnet.Offset, b []byte) {
	p.limits.CheckFill(off, len(b))
	p.Port.Fill(off, b)
}

// casts does a Multicast by Stores. The port below has none, and never refuses a
// Store for want of room.
type casts struct {
	dimmnet.Port
	limit  int
	copies dimmnet.Counters // what the port below has counted too much
}

func (p *casts) Limits() dimmnet.Limits {
	l := p.Port.Limits()
	l.Multicast = p.limit
	return l
}

func (p *casts) Multicast(dsts []dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	p.Limits().CheckMulticast(p.Nodes(), dsts, off, size)
	before := p.Port.Counters()
	for _, dst := range dsts {
		if !p.Store(dst, off, v, size) {
			return false
		}
	}
	counted := p.Port.Counters().Minus(before)
	p.copies = p.copies.Plus(counted.Minus(dimmnet.Counters{Stores: 1, Bytes: uint64(size)}))
	return true
}

func (p *casts) Counters() dimmnet.Counters { return p.Port.Counters().Minus(p.copies) }

// ownTime does its Pushes and Pulls after the Stores and Writes that follow, the
// last one first: when the thread idles, or has polled for a while.
type ownTime struct {
	dimmnet.Port
	waiting []func() bool
	posted  dimmnet.Counters // the waiting ones
	loads   int
}

func (p *ownTime) Push(dst dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	p.Limits().CheckRDMA(p.Nodes(), dst, from, to, n, done)
	return p.later(dimmnet.Counters{Pushes: 1, Bytes: uint64(n)}, func() bool { return p.Port.Push(dst, from, to, n, done) })
}

func (p *ownTime) Pull(src dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	p.Limits().CheckRDMA(p.Nodes(), src, from, to, n, done)
	return p.later(dimmnet.Counters{Pulls: 1, Bytes: uint64(n)}, func() bool { return p.Port.Pull(src, from, to, n, done) })
}

func (p *ownTime) later(c dimmnet.Counters, move func() bool) bool {
	if p.Err() != nil {
		return false
	}
	p.waiting = append(p.waiting, move)
	p.posted = p.posted.Plus(c)
	return true
}

func (p *ownTime) work() {
	for i := range p.waiting {
		p.waiting[len(p.waiting)-1-i]()
	}
	p.waiting, p.posted = nil, dimmnet.Counters{}
}

func (p *ownTime) Counters() dimmnet.Counters { return p.Port.Counters().Plus(p.posted) }

func (p *ownTime) Idle(since dimmnet.Mark) {
	p.work()
	p.Port.Idle(since)
}

func (p *ownTime) Load(off dimmnet.Offset) uint64 {
	if p.loads++; p.loads%50 == 0 {
		p.work()
	}
	return p.Port.Load(off)
}
