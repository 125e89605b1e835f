package porttest

import (
	"runtime"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// The ports of this file break the rules of bulk memory, Push, Pull and Read.

// wrongDone moves one byte less than requested.
type wrongDone struct{ dimmnet.Port }

func (p wrongDone) Push(dst dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	return p.Port.Push(dst, from, to, max(1, n-1), done)
}

func (p wrongDone) Pull(src dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	return p.Port.Pull(src, from, to, max(1, n-1), done)
}

// halfDone does not change the upper half of the done word.
type halfDone struct{ dimmnet.Port }

func (p halfDone) Push(dst dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	upper := p.Port.Load(done) >> 32
	return p.Port.Push(dst, from, to, n, done) && p.Store(p.Rank(), done+4, upper, 4)
}

func (p halfDone) Pull(src dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	upper := p.Port.Load(done) >> 32
	return p.Port.Pull(src, from, to, n, done) && p.Store(p.Rank(), done+4, upper, 4)
}

// earlyDone stores done at once, and performs the move before the third Store after that.
type earlyDone struct {
	dimmnet.Port
	late   []func() bool
	stores int
}

func (p *earlyDone) Push(dst dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	return p.later(n, done, func() bool { return p.Port.Push(dst, from, to, n, done) })
}

func (p *earlyDone) Pull(src dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	return p.later(n, done, func() bool { return p.Port.Pull(src, from, to, n, done) })
}

func (p *earlyDone) later(n int, done dimmnet.Offset, move func() bool) bool {
	p.late, p.stores = append(p.late, move), 0
	return p.Port.Store(p.Rank(), done, uint64(n), word)
}

func (p *earlyDone) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	if p.stores++; p.stores == 3 {
		for _, move := range p.late {
			move()
		}
		p.late = nil
	}
	return p.Port.Store(dst, off, v, size)
}

// wideMove moves one byte more than requested, where it fits.
type wideMove struct{ dimmnet.Port }

func (p wideMove) wider(from, to dimmnet.Offset, n int) int {
	l := p.Limits()
	end := dimmnet.Offset(n + 1)
	llcm, all := dimmnet.Offset(l.LLCM), dimmnet.Offset(l.LLCM+l.Bulk)
	for _, off := range []dimmnet.Offset{from, to} {
		if n == l.RDMA || off < llcm && off+end > llcm || off+end > all {
			return n
		}
	}
	return n + 1
}

func (p wideMove) Push(dst dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	return p.Port.Push(dst, from, to, p.wider(from, to, n), done) && p.Store(p.Rank(), done, uint64(n), word)
}

func (p wideMove) Pull(src dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	return p.Port.Pull(src, from, to, p.wider(from, to, n), done) && p.Store(p.Rank(), done, uint64(n), word)
}

// oneMove loses a Push or Pull that still waits when the next is posted.
type oneMove struct {
	filter
	waiting func() bool
}

func newOneMove(p dimmnet.Port) dimmnet.Port {
	o := &oneMove{}
	o.filter = filter{p, func(c posting) bool {
		if !c.isMove() {
			return c.do()
		}
		o.waiting = c.do
		return true
	}}
	return o
}

func (p *oneMove) Load(off dimmnet.Offset) uint64 {
	if p.waiting != nil {
		p.waiting()
		p.waiting = nil
	}
	return p.Port.Load(off)
}

// flipless has two banks and never exchanges them.
type flipless struct{ dimmnet.Port }

func (p flipless) Flip() {}

// wideFill fills one byte more, where it fits.
type wideFill struct{ dimmnet.Port }

func (p wideFill) Fill(off dimmnet.Offset, b []byte) {
	if l := p.Limits(); int(off)+len(b) < l.LLCM+l.Bulk {
		b = append(append([]byte(nil), b...), 0)
	}
	p.Port.Fill(off, b)
}

// shiftedFill fills one byte further up, where it fits.
type shiftedFill struct{ dimmnet.Port }

func (p shiftedFill) Fill(off dimmnet.Offset, b []byte) {
	if l := p.Limits(); int(off)+len(b) < l.LLCM+l.Bulk {
		off++
	}
	p.Port.Fill(off, b)
}

// lazyFill reads the buffer at the next Read or Flip.
type lazyFill struct {
	dimmnet.Port
	late func()
}

func (p *lazyFill) Fill(off dimmnet.Offset, b []byte) {
	p.flush()
	p.late = func() { p.Port.Fill(off, b) }
}

func (p *lazyFill) Flip() {
	p.flush()
	p.Port.Flip()
}

func (p *lazyFill) Read(b []byte, off dimmnet.Offset) {
	p.flush()
	p.Port.Read(b, off)
}

func (p *lazyFill) flush() {
	if p.late != nil {
		p.late()
		p.late = nil
	}
}

// cutFill truncates a Fill that reaches over the end.
type cutFill struct{ dimmnet.Port }

func (p cutFill) Fill(off dimmnet.Offset, b []byte) {
	l := p.Limits()
	p.Port.Fill(off, b[:min(len(b), max(1, l.LLCM+l.Bulk-int(off)))])
}

// wideRead reads whole words into buffers with enough capacity.
type wideRead struct{ dimmnet.Port }

func (p wideRead) Read(b []byte, off dimmnet.Offset) {
	if n := (len(b) + word - 1) / word * word; n <= cap(b) && int(off)+n <= p.Limits().LLCM {
		b = b[:n]
	}
	p.Port.Read(b, off)
}

// tornRead reads a word byte by byte.
type tornRead struct{ dimmnet.Port }

func (p tornRead) Read(b []byte, off dimmnet.Offset) {
	at := off / word * word
	for i, old, until := 0, p.Load(at), time.Now().Add(10*time.Millisecond); i < len(b); i++ {
		p.Port.Read(b[i:i+1], off+dimmnet.Offset(i))
		for i == 0 && 1 < len(b) && len(b) < word && p.Load(at) == old && time.Now().Before(until) {
			runtime.Gosched() // until the word changes, between the first byte and the second
		}
	}
}

// staleRead returns what an earlier Read of less than a word found.
type staleRead struct {
	dimmnet.Port
	seen map[dimmnet.Offset][]byte
}

func (p *staleRead) Read(b []byte, off dimmnet.Offset) {
	if seen := p.seen[off]; len(seen) == len(b) {
		copy(b, seen)
		return
	}
	p.Port.Read(b, off)
	if len(b) < word {
		p.seen = map[dimmnet.Offset][]byte{off: append([]byte(nil), b...)}
	}
}

// readCounts adds the given number of polls for each kind of Read.
type readCounts struct {
	dimmnet.Port
	narrow, wide, bulk int
	polls              int
}

func (p *readCounts) Read(b []byte, off dimmnet.Offset) {
	switch l := p.Limits(); {
	case l.IsPoll(off, len(b)):
		p.polls += p.narrow
	case int(off) < l.LLCM:
		p.polls += p.wide
	default:
		p.polls += p.bulk
	}
	p.Port.Read(b, off)
}

func (p *readCounts) Counters() dimmnet.Counters {
	c := p.Port.Counters()
	c.Polls += uint64(p.polls)
	return c
}

// undead accepts a Push after it has failed.
type undead struct{ dimmnet.Port }

func (p undead) Push(dst dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	return p.Port.Push(dst, from, to, n, done) || p.Err() != nil
}

// strayMove wraps around ranks that do not exist.
type strayMove struct{ dimmnet.Port }

func (p strayMove) Pull(src dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	return p.Port.Pull(src%dimmnet.Rank(p.Nodes()), from, to, n, done)
}

// secret announces limits for Stores and Writes only, but supports the other operations.
type secret struct{ dimmnet.Port }

func (p secret) Limits() dimmnet.Limits {
	l := p.Port.Limits()
	l.RDMA, l.Bulk, l.Multicast = 0, 0, 0
	return l
}

// tornSample has the upper half of each word from before the first Store.
type tornSample struct{ dimmnet.Port }

func (p tornSample) Pull(src dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	posted := p.Port.Pull(src, from, to, n, done)
	for i := dimmnet.Offset(word / 2); posted && i < dimmnet.Offset(n); i += word {
		posted = p.Port.Store(p.Rank(), to+i, 0, word/2)
	}
	return posted
}
