//go:build linux

package shm

import (
	"fmt"
	"runtime"
	"time"
	"unsafe"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// waitLadder says how often Idle returns at once, so that the caller looks again, and
// how often it yields before it sleeps. To wake a sleeper takes 20 us and more, so a
// waiter whose peers have processors of their own stays awake for that long.
func waitLadder(crowded bool) (looks, yields int) {
	if crowded {
		return 1, 2
	}
	return 4000, 100
}

// yieldEvery is after how many looks a waiter gives its processor away for a moment: the
// rank that it waits for may have been put behind it.
const yieldEvery = 64

// longestSleep bounds a system call that sleeps, so that whatever goes wrong is found
// out.
const longestSleep = time.Second

// Arrivals counts what has woken the threads of the node, if this one is about to sleep.
// What lands while nobody is, is counted nowhere: a poster then touches no word but its
// own, and who waits looks at that.
func (p *port) Arrivals() dimmnet.Mark {
	if !p.waiting {
		return dimmnet.Awake
	}
	// In this order: who takes asleep back after it changes wakes after it.
	seen := p.own.wakes.Load()
	p.own.asleep.Store(1)
	return dimmnet.Mark(seen)<<1 | 1
}

// Idle returns at once for a while. Then the next mark tells that this thread may sleep:
// what landed before it is seen by the caller's next look, and what lands after it
// changes wakes. With such a mark Idle sleeps.
func (p *port) Idle(since dimmnet.Mark) {
	looks, yields := waitLadder(p.run.crowded.Load())
	if since == dimmnet.Awake || !p.waiting {
		if p.awake++; p.awake > looks {
			p.waiting = true
		} else if p.awake%yieldEvery == 0 {
			yield()
		}
		return
	}
	s, seen := p.own, uint32(since>>1)
	for range yields {
		runtime.Gosched() // to ranks of this process, if there are any
		yield()
		if s.wakes.Load() != seen {
			break
		}
	}
	if s.wakes.Load() == seen {
		p.sleep(seen)
	}
	p.waiting, p.awake = false, 0
}

// sleep returns when the node was stirred since seen, or the run has failed.
func (p *port) sleep(seen uint32) {
	s := p.own
	since := time.Now()
	for s.wakes.Load() == seen && p.Err() == nil {
		if slept := time.Since(since); slept >= p.run.patience {
			p.run.fail(fmt.Errorf("shm: rank %s has waited %v and nothing arrived", dimmnet.ThreadLabel(p.rank, p.name), slept.Round(time.Millisecond)))
			return
		}
		sleepWhile((*uint32)(unsafe.Pointer(&s.wakes)), seen, true, min(longestSleep, p.run.patience))
	}
}
