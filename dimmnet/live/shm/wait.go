//go:build linux

package shm

import (
	"fmt"
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
	"github.com/fagus-dsm/fagus/dimmnet/live/local"
)

// checkEvery is the number of calls of Idle between two checks of where this thread runs, and of
// how long it has waited.
const checkEvery = 64

// moveEvery is the least time between two moves of a thread to another processor.
const moveEvery = 5 * time.Millisecond

// A thread with a processor polls before it sleeps, for as long as being woken has been seen to
// take: so a wait takes at most twice as long as with the best choice between the two. The time of
// a wake-up is 20 to 70 us where a processor is free. Where another program has taken it, that is
// the time until the scheduler takes it away again: some milliseconds.
const (
	leastSpin = 50 * time.Microsecond
	firstSpin = 100 * time.Microsecond
	mostSpin  = 10 * time.Millisecond
)

// adapt returns how long to poll before the next sleep, given the time before the last one, and how
// long after the wake-up the sleeper ran.
func adapt(spin, took time.Duration) time.Duration {
	if took < spin {
		took = spin - (spin-took)/8
	}
	return max(leastSpin, min(took, mostSpin))
}

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

// Idle returns at once for a while. Then the next mark announces that this thread may sleep: the
// caller's next poll sees all posts before the mark, and each later post changes wakes. Given such
// a mark, Idle sleeps. Where ranks outnumber processors Idle yields first, because a rank that
// polls keeps the rank it waits for from running.
func (p *port) Idle(since dimmnet.Mark) {
	if since != dimmnet.Awake && p.announces {
		if seen := uint32(since >> 1); p.own.wakes.Load() == seen {
			p.sleep(seen)
		}
		p.announces, p.idles = false, 0
		return
	}
	crowded := p.run.Crowded()
	if crowded {
		if len(p.run.own) > 1 { // in a locked thread Gosched takes 10 us
			runtime.Gosched() // to other ranks of this process
		}
		yield() // to other processes
	}
	if p.idles++; p.idles%checkEvery == 0 {
		p.check(crowded)
	}
}

// check announces that the thread may sleep when it has polled for long enough. If another rank
// has waited on the processor of this thread, one of the two moves to another processor, or the
// thread yields. Otherwise it does not: a thread that yields to another program gets its processor
// back some milliseconds later.
func (p *port) check(crowded bool) {
	now := time.Duration(p.Now().Nanoseconds())
	if p.idles == checkEvery {
		p.polling = now
	}
	p.announces = now-p.polling > p.spin
	if crowded {
		return
	}
	own := processor()
	p.own.processor.Store(own)
	for rank, s := range p.run.segments {
		if s == p.own || s.processor.Load() != own {
			continue
		}
		if int(p.Rank()) < rank || now-p.moved < moveEvery || !p.move() {
			yield()
		}
		p.moved = now
		break
	}
}

// move moves the thread to a processor on which no rank was seen to wait. It returns false if the
// thread may use no such processor.
func (p *port) move() bool {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var all, free unix.CPUSet
	if unix.SchedGetaffinity(0, &all) != nil {
		return false
	}
	free = all
	for _, s := range p.run.segments {
		if n := s.processor.Load(); n > 0 {
			free.Clear(int(n - 1))
		}
	}
	if free.Count() == 0 || unix.SchedSetaffinity(0, &free) != nil {
		return false
	}
	_ = unix.SchedSetaffinity(0, &all) // as before; the scheduler may move the thread again
	return true
}

// sleep returns when the node's wakes differ from seen, or the run has failed.
func (p *port) sleep(seen uint32) {
	s := p.own
	if p.run.calmed {
		local.Foreground()
	}
	since := time.Now()
	for s.wakes.Load() == seen && p.Err() == nil {
		if slept := time.Since(since); slept >= p.run.patience {
			p.run.fail(fmt.Errorf("shm: rank %s has waited %v and nothing arrived", p.Label(), slept.Round(time.Millisecond)))
			return
		}
		sleepWhile((*uint32)(unsafe.Pointer(&s.wakes)), seen, true, min(longestSleep, p.run.patience))
	}
	p.spin = adapt(p.spin, monotonic()-time.Duration(s.woken.Load()))
}
