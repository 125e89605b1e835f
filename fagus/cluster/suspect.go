package cluster

import (
	"fmt"
	"time"
)

const (
	// A rank that is asked has so many ticks to answer. They are counted, so that the time
	// in which this process itself is stopped counts as one of them.
	askTicks = 11
	askTick  = 100 * time.Millisecond
	// askAgain is the pause before a rank that has answered, and still seems to be gone, is
	// asked again.
	askAgain = 500 * time.Millisecond
)

// confirm asks p whether it is alive, and fails the job if it does not answer. It returns at
// once. It asks again while missing says that p seems to be gone; nil: it does not.
func (h *member) confirm(p *peer, missing func() bool) {
	if p.left() || p.asked.Swap(true) {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over {
		return
	}
	h.readers.Go(func() {
		defer p.asked.Store(false)
		for h.ask(p) && missing != nil {
			if !h.pause(p, askAgain) || !missing() {
				return
			}
		}
	})
}

// ask says whether p has answered. The job fails if it has not in time.
func (h *member) ask(p *peer) bool {
	select {
	case <-p.alive: // to an earlier question
	default:
	}
	h.notify(p, message{kind: kindAsk, rank: h.Rank()})
	for range askTicks {
		tick := time.NewTimer(askTick)
		select {
		case <-p.alive:
			tick.Stop()
			return true
		case <-p.gone:
		case <-h.broken:
		case <-h.ending:
		case <-tick.C:
			continue
		}
		tick.Stop()
		return false
	}
	h.fail(p.rank, fmt.Errorf("cluster: rank %d (%s) is lost: it does not answer: stopped, or its host is cut off", p.rank, p.who))
	return false
}

// pause says whether p is still to be asked after so long.
func (h *member) pause(p *peer, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-p.gone:
	case <-h.broken:
	case <-h.ending:
	}
	return false
}

// notify sends m to p, and does not wait for it: p may read nothing. Who is gone need not know.
func (h *member) notify(p *peer, m message) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.over {
		h.notices.Go(func() { _ = p.send(m) })
	}
}
