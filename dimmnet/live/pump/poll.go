package quic

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
	"github.com/fagus-dsm/fagus/dimmnet/live/stream"
)

// poll is where a thread sleeps until a link is ready. docs/internals/model/ring.pml is a model of
// a link's rings and the poll.
type poll struct {
	woken      chan struct{} // contains an element after Wake
	links      []*link       // by rank; nil for the own rank
	next       atomic.Uint32 // the rank at which the next check begins: each link gets a turn
	goroutines sync.WaitGroup
	release    func() // closes the socket
}

var _ stream.Poll = (*poll)(nil)

func newPoll(ranks int, release func()) *poll {
	return &poll{woken: make(chan struct{}, 1), links: make([]*link, ranks), release: release}
}

// Wake ends the Wait of a thread, or the next Wait for more than 0.
func (p *poll) Wake() {
	select {
	case p.woken <- struct{}{}:
	default: // a wake-up is pending
	}
}

// Wait checks all links, and checks again after a wake-up.
func (p *poll) Wait(ready []dimmnet.Rank, atMost time.Duration) []dimmnet.Rank {
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
func (p *poll) check(ready []dimmnet.Rank) []dimmnet.Rank {
	first := int(p.next.Load())
	for i := range p.links {
		rank := (first + i) % len(p.links)
		if l := p.links[rank]; l != nil && (l.received.readable() || l.outgoing.writable()) {
			ready = append(ready, dimmnet.Rank(rank))
			if len(ready) == cap(ready) {
				p.next.Store(uint32(rank + 1))
				break
			}
		}
	}
	return ready
}

// Close waits until all links are closed, for at most receiptTime, and closes the socket.
func (p *poll) Close() {
	p.goroutines.Wait()
	p.release()
}
