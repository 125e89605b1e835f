package pump

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
	"github.com/fagus-dsm/fagus/dimmnet/live/stream"
)

// Poll is where a thread sleeps until a link is ready. docs/internals/model/ring.pml is a model of
// a link's rings and the Poll.
type Poll struct {
	woken      chan struct{}          // contains an element after Wake
	links      []atomic.Pointer[link] // by rank; nil for the own rank
	next       atomic.Uint32          // where the next check begins: each link gets a turn
	goroutines sync.WaitGroup
	release    func()
}

var _ stream.Poll = (*Poll)(nil)

// NewPoll returns a Poll for so many ranks. It calls release when all connections are closed.
func NewPoll(ranks int, release func()) *Poll {
	return &Poll{woken: make(chan struct{}, 1), links: make([]atomic.Pointer[link], ranks), release: release}
}

// Wake ends the Wait of a thread, or the next Wait for more than 0.
func (p *Poll) Wake() {
	select {
	case p.woken <- struct{}{}:
	default: // a wake-up is pending
	}
}

// Wait checks all links, and checks again after a wake-up.
func (p *Poll) Wait(ready []dimmnet.Rank, atMost time.Duration) []dimmnet.Rank {
	if ready = p.check(ready[:0]); len(ready) > 0 || atMost == 0 {
		return ready
	}
	delay.Here()
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	select {
	case <-p.woken:
	case <-timer.C:
	}
	delay.Here()
	return p.check(ready[:0])
}

// check appends the ranks of the links that are ready, up to the capacity of ready.
func (p *Poll) check(ready []dimmnet.Rank) []dimmnet.Rank {
	first := int(p.next.Load())
	for i := range p.links {
		rank := (first + i) % len(p.links)
		if l := p.links[rank].Load(); l != nil && (l.received.readable() || l.outgoing.writable()) {
			ready = append(ready, dimmnet.Rank(rank))
			if len(ready) == cap(ready) {
				p.next.Store(uint32(rank + 1))
				break
			}
		}
	}
	return ready
}

// Close waits until all links are closed, for about leaveTime at most, and calls release.
func (p *Poll) Close() {
	p.goroutines.Wait()
	p.release()
}
