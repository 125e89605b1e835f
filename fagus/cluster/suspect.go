package cluster

import (
	"errors"
	"fmt"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

const (
	// pingTick is the unit of the time that a rank has to answer a ping. The pinging process counts
	// ticks: a time in which it is stopped itself is one tick.
	pingTick = 100 * time.Millisecond
	// pingPause is the pause between pings of a rank that answers but still seems to be gone.
	pingPause = 500 * time.Millisecond
)

// confirm starts to ping p and returns at once. If p does not answer, the job fails: because of p
// or, if alone reports that all other ranks seem to be gone, because of this rank. The pings are
// repeated while missing reports that p still seems to be gone; a nil missing means one ping.
func (m *member) confirm(p *peer, missing, alone func() bool) {
	if p.left() || p.pinging.Swap(true) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.over {
		return
	}
	m.readers.Go(func() {
		defer p.pinging.Store(false)
		for {
			answered, over := m.ping(p)
			if !answered && !over {
				m.lose(p, alone != nil && alone())
			}
			if !answered || missing == nil || !m.pause(p, pingPause) || !missing() {
				return
			}
		}
	})
}

// lose fails the job because p does not answer.
func (m *member) lose(p *peer, alone bool) {
	if alone {
		m.fail(m.Rank(), dimmnet.Gone(fmt.Errorf("cluster: rank %d (%s) has heard of no other rank for %v: its host is cut off", m.Rank(), m.own.process(), m.spec.Stall)))
		return
	}
	m.lost(p, errors.New("it does not answer: it is stopped, or its host is cut off"))
}

// ping reports whether p answers within Spec.Stall; over means that the answer is not needed
// any more.
func (m *member) ping(p *peer) (answered, over bool) {
	select {
	case <-p.pong: // discard the answer to an earlier ping
	default:
	}
	m.notify(p, message{kind: kindPing, rank: m.Rank()})
	for ticks := time.Duration(0); m.spec.Stall < 0 || ticks*pingTick < m.spec.Stall; ticks++ {
		select {
		case <-p.pong:
			return true, false
		case <-p.gone:
		case <-m.broken:
		case <-m.ending:
		case <-time.After(pingTick):
			continue
		}
		return false, true
	}
	return false, false
}

// pause waits for d and reports whether p is still a connected peer of a running job.
func (m *member) pause(p *peer, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-p.gone:
	case <-m.broken:
	case <-m.ending:
	}
	return false
}

// notify sends msg without waiting. It ignores errors: a peer that is gone needs no message. The
// channel is closed when msg has been sent, or will not be.
func (m *member) notify(p *peer, msg message) (sent <-chan struct{}) {
	return m.background(func() { _ = p.send(msg) })
}

// background calls f in a goroutine, unless this process leaves the job. The channel is closed when
// f has returned, or will not be called.
func (m *member) background(f func()) <-chan struct{} {
	done := make(chan struct{})
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.over {
		close(done)
		return done
	}
	m.notices.Go(func() {
		defer close(done)
		f()
	})
	return done
}
