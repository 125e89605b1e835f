package inproc

import (
	"fmt"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/memory"
)

// port is one thread: its handle on the node's memory, and its host. The fields
// up to counters belong to the thread, those below to the lock of the run.
type port struct {
	run      *run
	own      *node
	rank     dimmnet.Rank
	name     string // as Go had it; none for a body
	counters dimmnet.Counters
	_        [cacheLine]byte

	at     int // in run.threads, or returned
	number int // of all threads of the run, as they started
	shares int // so many pieces of shared memory it has
	nap    nap
	seen   uint64 // arrivals when it fell asleep
	_      [cacheLine]byte
}

// returned is where a thread is that has.
const returned = -1

var (
	_ dimmnet.Network = (*Network)(nil)
	_ dimmnet.Host    = (*port)(nil)
	_ dimmnet.Port    = (*port)(nil)
	_ dimmnet.Event   = (*event)(nil)
)

func (p *port) Port() dimmnet.Port { return p }

func (p *port) Now() dimmnet.Time {
	return dimmnet.Time(time.Since(p.run.start).Nanoseconds()) * dimmnet.Nanosecond
}

func (p *port) Spend(d dimmnet.Time) {
	if d < 0 {
		panic(fmt.Sprintf("inproc: Spend of %v", d))
	}
}

func (p *port) Note(string, uint64) {}

func (p *port) Rank() dimmnet.Rank         { return p.rank }
func (p *port) Nodes() int                 { return len(p.run.nodes) }
func (p *port) Limits() dimmnet.Limits     { return p.run.limits }
func (p *port) Counters() dimmnet.Counters { return p.counters }

func (p *port) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	r := p.run
	r.limits.CheckStore(len(r.nodes), dst, off, size)
	if r.failed.Load() {
		return false
	}
	n := &r.nodes[dst]
	n.memory.Store(off, v, size)
	p.counters.Stores++
	p.counters.Bytes += uint64(size)
	r.arrive(n)
	return true
}

func (p *port) Write(dst dimmnet.Rank, off dimmnet.Offset, b []byte) bool {
	r := p.run
	r.limits.CheckWrite(len(r.nodes), dst, off, len(b))
	if r.failed.Load() {
		return false
	}
	n := &r.nodes[dst]
	n.memory.Write(off, b)
	p.counters.Writes++
	p.counters.Bytes += uint64(len(b))
	r.arrive(n)
	return true
}

// Multicast panics: stores one by one are as fast here.
func (p *port) Multicast(dsts []dimmnet.Rank, off dimmnet.Offset, _ uint64, size int) bool {
	p.run.limits.CheckMulticast(len(p.run.nodes), dsts, off, size)
	return false
}

func (p *port) Push(dst dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	r := p.run
	r.limits.CheckRDMA(len(r.nodes), dst, from, to, n, done)
	if r.failed.Load() {
		return false
	}
	peer := &r.nodes[dst]
	r.transfer(peer, to, p.own, from, n)
	r.arrive(peer)
	p.counters.Pushes++
	p.finish(n, done)
	return true
}

func (p *port) Pull(src dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	r := p.run
	r.limits.CheckRDMA(len(r.nodes), src, from, to, n, done)
	if r.failed.Load() {
		return false
	}
	r.transfer(p.own, to, &r.nodes[src], from, n)
	p.counters.Pulls++
	p.finish(n, done)
	return true
}

// transfer copies n bytes between the sides of two nodes that face the network.
func (r *run) transfer(dst *node, to dimmnet.Offset, src *node, from dimmnet.Offset, n int) {
	into, to := dst.place(to, dst.network)
	out, from := src.place(from, src.network)
	memory.Copy(into, to, out, from, n)
}

// finish tells the own node that a Push or Pull of n bytes has landed.
func (p *port) finish(n int, done dimmnet.Offset) {
	p.counters.Bytes += uint64(n)
	p.own.memory.Store(done, uint64(n), word)
	p.run.arrive(p.own)
}

func (p *port) Fill(off dimmnet.Offset, b []byte) {
	p.run.limits.CheckFill(off, len(b))
	m, off := p.own.place(off, p.own.host)
	m.Write(off, b)
}

func (p *port) Flip() {
	p.own.host, p.own.network = p.own.network, p.own.host
}

func (p *port) Load(off dimmnet.Offset) uint64 {
	p.run.limits.CheckLoad(off)
	p.counters.Polls++
	return p.own.memory.Load(off)
}

func (p *port) Read(b []byte, off dimmnet.Offset) {
	p.run.limits.CheckRead(off, len(b))
	if p.run.limits.IsPoll(off, len(b)) {
		p.counters.Polls++
	}
	m, off := p.own.place(off, p.own.host)
	m.Read(b, off)
}

func (p *port) Arrivals() dimmnet.Mark { return dimmnet.Mark(p.own.arrivals.Load()) }

func (p *port) Err() error {
	if !p.run.failed.Load() {
		return nil
	}
	return p.run.err // written before failed was set, and never again
}
