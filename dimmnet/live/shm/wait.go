//go:build linux

package shm

import (
	"fmt"
	"runtime"
	"time"
	"unsafe"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
)

// waitLadder returns how often Idle returns at once, so that the caller polls again, and how often
// it yields before it sleeps. Waking a sleeper takes 20 us and more: where every peer has a
// processor of its own, a waiter stays awake for about as long.
func waitLadder(crowded bool) (idles, yields int) {
	if crowded {
		return 1, 2
	}
	return 4000, 100
}

// yieldEvery is the number of calls of Idle between two yields. The scheduler may have queued the
// rank that this thread waits for on this processor.
const yieldEvery = 64

// longestSleep bounds one system call that sleeps, so that every failure is noticed eventually.
const longestSleep = time.Second

// Arrivals returns the number of wake-ups of the node if this thread is about to sleep, and
// otherwise dimmnet.Awake. Wake-ups are counted only while a thread may sleep. At other times a
// poster writes only its data, and a waiter polls that data.
func (p *port) Arrivals() dimmnet.Mark {
	if !p.announces {
		return dimmnet.Awake
	}
	// wakes comes first: a poster that clears asleep after the store changes wakes after the load.
	seen := p.own.wakes.Load()
	delay.Here()
	p.own.asleep.Store(1)
	delay.Here()
	return dimmnet.Mark(seen)<<1 | 1
}

// Idle returns at once for a while. Then the next mark announces that this thread may sleep: the
// caller's next poll sees all posts before the mark, and each later post changes wakes. Given such
// a mark, Idle sleeps.
func (p *port) Idle(since dimmnet.Mark) {
	idles, yields := waitLadder(p.run.Crowded())
	if since == dimmnet.Awake || !p.announces {
		if p.idles++; p.idles > idles {
			p.announces = true
		} else if p.idles%yieldEvery == 0 {
			yield()
		}
		return
	}
	s, seen := p.own, uint32(since>>1)
	for range yields {
		runtime.Gosched() // to other ranks of this process
		yield()           // to other processes
		if s.wakes.Load() != seen {
			break
		}
	}
	if s.wakes.Load() == seen {
		p.sleep(seen)
	}
	p.announces, p.idles = false, 0
}

// sleep returns when the node's wakes differ from seen, or the run has failed.
func (p *port) sleep(seen uint32) {
	s := p.own
	since := time.Now()
	for s.wakes.Load() == seen && p.Err() == nil {
		if slept := time.Since(since); slept >= p.run.patience {
			p.run.fail(fmt.Errorf("shm: rank %s has waited %v and nothing arrived", p.Label(), slept.Round(time.Millisecond)))
			return
		}
		sleepWhile((*uint32)(unsafe.Pointer(&s.wakes)), seen, true, min(longestSleep, p.run.patience))
	}
}
