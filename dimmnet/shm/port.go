//go:build linux

package shm

import (
	"fmt"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/memory"
)

// port is one thread: its handle on the node's memory, and its host.
type port struct {
	run      *run
	own      *segment
	rank     dimmnet.Rank
	name     string // as Go had it; none for a body
	returned bool   // under the lock of the run
	notice   *event
	taken    int  // bytes of each heap
	awake    int  // how often Idle has returned at once since the thread last posted or slept
	waiting  bool // its next mark tells that it may sleep
	counters dimmnet.Counters
	_        [cacheLine]byte
}

var (
	_ dimmnet.Network = (*Network)(nil)
	_ dimmnet.Host    = (*port)(nil)
	_ dimmnet.Port    = (*port)(nil)
	_ dimmnet.Event   = (*event)(nil)
	_ dimmnet.Sharer  = (*port)(nil)
	_ dimmnet.Viewer  = (*port)(nil)
)

func (r *run) newPort(rank dimmnet.Rank, name string) *port {
	p := &port{run: r, own: r.segments[rank], rank: rank, name: name}
	p.notice = &event{run: r, own: p.own, rank: rank, bell: &p.own.bell, shared: true}
	return p
}

func (p *port) Port() dimmnet.Port { return p }

func (p *port) Now() dimmnet.Time {
	return dimmnet.Time(time.Since(p.run.start).Nanoseconds()) * dimmnet.Nanosecond
}

func (p *port) Spend(d dimmnet.Time) {
	if d < 0 {
		panic(fmt.Sprintf("shm: Spend of %v", d))
	}
}

func (p *port) Note(string, uint64) {}

func (p *port) Rank() dimmnet.Rank         { return p.rank }
func (p *port) Nodes() int                 { return len(p.run.segments) }
func (p *port) Limits() dimmnet.Limits     { return p.run.limits }
func (p *port) Counters() dimmnet.Counters { return p.counters }

func (p *port) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	r := p.run
	r.limits.CheckStore(len(r.segments), dst, off, size)
	if r.failed.Load() {
		return false
	}
	s := r.segments[dst]
	s.memory.Store(off, v, size)
	p.counters.Stores++
	p.awake, p.waiting = 0, false // it has gone on
	p.counters.Bytes += uint64(size)
	s.arrive()
	return true
}

func (p *port) Write(dst dimmnet.Rank, off dimmnet.Offset, b []byte) bool {
	r := p.run
	r.limits.CheckWrite(len(r.segments), dst, off, len(b))
	if r.failed.Load() {
		return false
	}
	s := r.segments[dst]
	s.memory.Write(off, b)
	p.counters.Writes++
	p.awake, p.waiting = 0, false // it has gone on
	p.counters.Bytes += uint64(len(b))
	s.arrive()
	return true
}

// Multicast panics: stores one by one are as fast here.
func (p *port) Multicast(dsts []dimmnet.Rank, off dimmnet.Offset, _ uint64, size int) bool {
	p.run.limits.CheckMulticast(len(p.run.segments), dsts, off, size)
	return false
}

func (p *port) Push(dst dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	r := p.run
	r.limits.CheckRDMA(len(r.segments), dst, from, to, n, done)
	if r.failed.Load() {
		return false
	}
	copyBetween(r.segments[dst], to, p.own, from, n)
	r.segments[dst].arrive()
	p.counters.Pushes++
	p.finish(n, done)
	return true
}

func (p *port) Pull(src dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	r := p.run
	r.limits.CheckRDMA(len(r.segments), src, from, to, n, done)
	if r.failed.Load() {
		return false
	}
	copyBetween(p.own, to, r.segments[src], from, n)
	p.counters.Pulls++
	p.finish(n, done)
	return true
}

func copyBetween(dst *segment, to dimmnet.Offset, src *segment, from dimmnet.Offset, n int) {
	into, to := dst.place(to)
	out, from := src.place(from)
	memory.Copy(into, to, out, from, n)
}

// finish tells the own node that a Push or Pull of n bytes has landed.
func (p *port) finish(n int, done dimmnet.Offset) {
	p.counters.Bytes += uint64(n)
	p.own.memory.Store(done, uint64(n), word)
	p.own.arrive()
}

func (p *port) Fill(off dimmnet.Offset, b []byte) {
	p.run.limits.CheckFill(off, len(b))
	m, off := p.own.place(off)
	m.Write(off, b)
}

// Flip does nothing: the bulk memory has one side.
func (p *port) Flip() {}

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
	m, off := p.own.place(off)
	m.Read(b, off)
}

func (p *port) Err() error {
	if !p.run.failed.Load() {
		if p.own.failed.Load() == 0 {
			return nil
		}
		p.run.adopt(p.own)
	}
	return p.run.err // written before failed was set, and never again
}
