//go:build linux

package shm

import (
	"fmt"
	"runtime"
	"slices"
	"time"
	"unsafe"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
	"github.com/fagus-dsm/fagus/dimmnet/live/local"
)

// pollsPerTime is the number of calls of Idle between two readings of the clock.
const pollsPerTime = 64

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
	if p.run.barriers {
		if err := barrierEverywhere(); err != nil {
			p.run.fail(err)
		}
	}
	delay.Here()
	return dimmnet.Mark(seen)<<1 | 1
}

// Idle returns at once for as long as the ladder says. Then the next mark announces that this
// thread may sleep: the caller's next poll sees all posts before the mark, and each later post
// changes wakes. Given such a mark, Idle sleeps.
func (p *port) Idle(since dimmnet.Mark) {
	if since != dimmnet.Awake && p.announces {
		if seen := uint32(since >> 1); p.own.wakes.Load() == seen {
			p.sleep(seen)
		}
		p.progress()
		return
	}
	crowded := p.run.Crowded()
	if !p.ladder.Polled(crowded) {
		return
	}
	switch p.ladder.Next(time.Duration(p.Now().Nanoseconds()), crowded) {
	case local.Sleep:
		p.announces = true
	case local.Poll:
		p.announces = p.inTheWay()
	case local.Yield:
		if len(p.run.own) > 1 { // in a locked thread Gosched takes 10 us
			runtime.Gosched() // to other ranks of this process
		}
		yield() // to other processes
	}
}

// inTheWay reports whether another rank has waited on this thread's processor, although there is a
// processor for each rank. Another program then uses the other rank's processor, and the rank
// cannot run while this thread polls. Beside one busy process, two ranks with phases of 10 us took
// five times as long.
func (p *port) inTheWay() bool {
	own := processor()
	p.own.processor.Store(own)
	return own != 0 && slices.ContainsFunc(p.run.segments, func(s *segment) bool { return s != p.own && s.processor.Load() == own })
}

// progress says that the thread has posted, or was woken: its next Idle begins another wait.
func (p *port) progress() {
	p.ladder.Progress()
	p.announces = false
}

// sleep returns when the node's wakes differ from seen, or the run has failed.
func (p *port) sleep(seen uint32) {
	s := p.own
	if p.run.joined {
		local.Foreground(p.run.calmed)
	}
	since := time.Now()
	for s.wakes.Load() == seen && p.Err() == nil {
		if slept := time.Since(since); slept >= p.run.patience {
			p.run.fail(fmt.Errorf("shm: rank %s has waited %v and nothing arrived", p.Label(), slept.Round(time.Millisecond)))
			return
		}
		sleepWhile((*uint32)(unsafe.Pointer(&s.wakes)), seen, true, min(longestSleep, p.run.patience))
	}
}
