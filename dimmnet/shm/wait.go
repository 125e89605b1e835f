//go:build linux

package shm

import (
	"fmt"
	"runtime"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// waitLadder says how often Idle looks at the arrivals before it yields, and how
// often it yields before it sleeps. To wake a sleeper takes 20 us and more, so a
// waiter whose peers have processors of their own stays awake for that long.
func waitLadder(crowded bool) (spins, yields int) {
	if crowded {
		return 1, 2
	}
	return 2000, 100
}

// longestSleep bounds a system call that sleeps, so that whatever goes wrong is found
// out.
const longestSleep = time.Second

// Idle returns when something has arrived since the mark, or the run has failed.
func (p *port) Idle(since dimmnet.Mark) {
	s, seen := p.own, uint64(since)
	spins, yields := waitLadder(p.run.crowded.Load())
	for range spins {
		if s.arrivals.Load() != seen {
			return
		}
	}
	for range yields {
		runtime.Gosched() // to ranks of this process, if there are any
		yield()
		if s.arrivals.Load() != seen {
			return
		}
	}
	p.sleep(seen)
}

// sleep returns when the arrivals of p's node differ from seen or the run has failed.
func (p *port) sleep(seen uint64) {
	s := p.own
	s.sleepers.Add(1)
	defer s.sleepers.Add(^uint32(0))
	since := time.Now()
	for s.arrivals.Load() == seen && p.Err() == nil {
		if slept := time.Since(since); slept >= p.run.patience {
			p.run.fail(fmt.Errorf("shm: rank %s has waited %v and nothing arrived", dimmnet.ThreadLabel(p.rank, p.name), slept.Round(time.Millisecond)))
			return
		}
		sleepWhile(s.arrivalsWord(), uint32(seen), true, min(longestSleep, p.run.patience))
	}
}
