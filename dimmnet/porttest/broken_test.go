package porttest

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// The ports of this file break one rule each; TestCatches checks that the suite detects it.

// gap is where a broken port gives its peers time to see what is broken: a millisecond the first
// times, so that a peer that waits for a processor sees it too, and then hardly any.
type gap struct{ times atomic.Int64 }

func (g *gap) open() {
	if g.times.Add(1) <= 50 {
		time.Sleep(time.Millisecond)
		return
	}
	runtime.Gosched()
}

// lateWrite posts a Write after the next Store.
type lateWrite struct {
	dimmnet.Port
	late func()
	gap  gap
}

func (p *lateWrite) Write(dst dimmnet.Rank, off dimmnet.Offset, b []byte) bool {
	p.flush()
	b = append([]byte(nil), b...)
	p.late = func() { p.Port.Write(dst, off, b) }
	return true
}

func (p *lateWrite) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	defer p.flush()
	return p.Port.Store(dst, off, v, size)
}

func (p *lateWrite) flush() {
	if p.late != nil {
		p.gap.open() // the peer finds the flag before the block has landed
		p.late()
		p.late = nil
	}
}

// tornStore stores the two halves of 8 bytes separately.
type tornStore struct {
	dimmnet.Port
	gap gap
}

func (p *tornStore) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	if size == 8 {
		p.Port.Store(dst, off, v, 4)
		p.gap.open()
		return p.Port.Store(dst, off+4, v>>32, 4)
	}
	return p.Port.Store(dst, off, v, size)
}

// wideStore stores 2 bytes instead of 1.
type wideStore struct{ dimmnet.Port }

func (p wideStore) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	if size == 1 && off%8 < 7 {
		size = 2
	}
	return p.Port.Store(dst, off, v, size)
}

// wideWrite rounds sizes up to whole words.
type wideWrite struct{ dimmnet.Port }

func (p wideWrite) Write(dst dimmnet.Rank, off dimmnet.Offset, b []byte) bool {
	if rest := len(b) % 8; rest != 0 && len(b) < 100 {
		b = append(append([]byte(nil), b...), make([]byte, 8-rest)...)
	}
	return p.Port.Write(dst, off, b)
}

// lazyWrite reads the buffer at the next post.
type lazyWrite struct {
	dimmnet.Port
	late func()
}

func (p *lazyWrite) Write(dst dimmnet.Rank, off dimmnet.Offset, b []byte) bool {
	p.flush()
	p.late = func() { p.Port.Write(dst, off, b) }
	return true
}

func (p *lazyWrite) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	p.flush()
	return p.Port.Store(dst, off, v, size)
}

func (p *lazyWrite) flush() {
	if p.late != nil {
		p.late()
		p.late = nil
	}
}

// deafIdle waits for arrivals after the call, not after the mark.
type deafIdle struct{ dimmnet.Port }

func (p deafIdle) Idle(dimmnet.Mark) { p.Port.Idle(p.Arrivals()) }

// endlessIdle does not return when the port has failed.
type endlessIdle struct{ dimmnet.Port }

func (p endlessIdle) Idle(since dimmnet.Mark) {
	if p.Port.Idle(since); p.Err() != nil {
		leftBehind()
	}
}

// leftBehind sleeps longer than the grace of Run, and then ends the goroutine.
func leftBehind() {
	time.Sleep(time.Second)
	runtime.Goexit()
}

// miscounts counts no polls.
type miscounts struct{ dimmnet.Port }

func (p miscounts) Counters() dimmnet.Counters {
	c := p.Port.Counters()
	c.Polls = 0
	return c
}

// lenient truncates a Write that is too large.
type lenient struct{ dimmnet.Port }

func (p lenient) Write(dst dimmnet.Rank, off dimmnet.Offset, b []byte) bool {
	return p.Port.Write(dst, off, b[:min(len(b), p.Limits().Block)])
}

// moody returns a new error each time.
type moody struct{ dimmnet.Port }

func (p moody) Err() error {
	if err := p.Port.Err(); err != nil {
		return fmt.Errorf("again: %w", err)
	}
	return nil
}

// cheerful never fails.
type cheerful struct{ dimmnet.Port }

func (p cheerful) Idle(since dimmnet.Mark) { endlessIdle(p).Idle(since) }

func (p cheerful) Err() error { return nil }

// liar posts every fifth post but returns false for it.
type liar struct{ filter }

func newLiar(p dimmnet.Port) dimmnet.Port {
	posts := 0
	return &liar{filter{p, func(c posting) bool {
		posts++
		return c.do() && posts%5 != 0
	}}}
}

func (p *liar) Counters() dimmnet.Counters { return dimmnet.Counters{} }

// overcounts refuses every third post, but counts it.
type overcounts struct {
	dimmnet.Port
	posts *uint64
}

func newOvercounts(p dimmnet.Port) dimmnet.Port {
	posts := uint64(0)
	return overcounts{Refuse(p, func() bool { posts++; return posts%3 == 0 }), &posts}
}

func (p overcounts) Counters() dimmnet.Counters {
	return p.Port.Counters().Plus(dimmnet.Counters{Bytes: *p.posts})
}

// dirty leaves a byte in the memory of the node.
func dirty(p dimmnet.Port) dimmnet.Port {
	p.Store(p.Rank(), dataStart+9, 1, 1)
	return p
}
