package quic

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/stream"
)

// poll is where a thread sleeps until something comes on one of the links of a rank.
type poll struct {
	bell       chan struct{}
	links      []*link       // by rank; nil for the own
	next       atomic.Uint32 // the rank with which the next look begins, so that none has to wait for ever
	goroutines sync.WaitGroup
	release    func()
}

var _ stream.Poll = (*poll)(nil)

// Wake ends the Wait of a thread, or the next one.
func (p *poll) Wake() {
	select {
	case p.bell <- struct{}{}:
	default: // it rings already
	}
}

// Wait looks at all links, and again when the bell has rung. One thread at a time calls it
// with a time to wait.
func (p *poll) Wait(ready []dimmnet.Rank, atMost time.Duration) []dimmnet.Rank {
	if ready = p.look(ready[:0]); len(ready) > 0 || atMost == 0 {
		return ready
	}
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	select {
	case <-p.bell:
	case <-timer.C:
	}
	return p.look(ready[:0])
}

// look appends the ranks of the links that are ready, as far as there is room.
func (p *poll) look(ready []dimmnet.Rank) []dimmnet.Rank {
	first := int(p.next.Load())
	for i := range p.links {
		rank := (first + i) % len(p.links)
		if l := p.links[rank]; l != nil && (l.from.readable() || l.to.roomy()) {
			ready = append(ready, dimmnet.Rank(rank))
			if len(ready) == cap(ready) {
				p.next.Store(uint32(rank + 1))
				break
			}
		}
	}
	return ready
}

// Close waits until all links are closed, which takes no longer than partTime, and gives the
// socket back.
func (p *poll) Close() {
	p.goroutines.Wait()
	p.release()
}
