package inproc

import (
	"fmt"
	"runtime"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// waitLadder says how often Idle looks at the arrivals before it yields, and
// how often it yields before it sleeps.
//
// Waking a sleeper on an idle processor costs 20 to 70 us, a look 0.3 ns, a
// yield 55 ns (BenchmarkCompute and its like, 2 vCPU Zen 4). A waiter whose
// peers have processors of their own therefore stays awake for about as long
// as waking it would take. Where threads outnumber processors it keeps the awaited
// one from running; a ring of 64 ranks on 2 processors then takes 8 us a lap
// with one yield, 130 us with 16.
func waitLadder(crowded bool) (spins, yields int) {
	if crowded {
		return 1, 1
	}
	return 2000, 300
}

// Idle returns when something has arrived since the mark, or the run has failed.
func (p *port) Idle(since dimmnet.Mark) {
	n, seen := p.own, uint64(since)
	if p.run.poll > 0 && p.poll(seen) {
		return
	}
	spins, yields := waitLadder(p.run.crowded.Load())
	for range spins {
		if n.arrivals.Load() != seen {
			return
		}
	}
	for range yields {
		runtime.Gosched()
		if n.arrivals.Load() != seen {
			return
		}
	}
	p.sleep(seen)
}

// poll looks at the arrivals for as long as Config.Poll says, and says whether Idle
// is over.
func (p *port) poll(seen uint64) bool {
	const looks = 1000 // at the arrivals, between two at the clock
	for began := time.Now(); time.Since(began) < p.run.poll; {
		for range looks {
			if p.own.arrivals.Load() != seen {
				return true
			}
		}
		if p.run.failed.Load() {
			return true
		}
	}
	return false
}

// arrive notes that bytes have landed at n. They are in place already.
//
// No wake-up is lost. The poster bumps arrivals and then looks at sleepers; the
// waiter sets sleepers and then looks at arrivals. Go's atomics are sequentially
// consistent, so at least one of them sees what the other wrote: either the
// waiter sees the arrival and does not sleep, or the poster sees the sleeper and
// takes the lock. The waiter holds that lock from before it looked at arrivals
// until it is on the cond's list, so the broadcast finds it there.
func (r *run) arrive(n *node) {
	n.arrivals.Add(1)
	if n.sleepers.Load() {
		r.wake(n)
	}
}

// wake wakes all threads of n.
func (r *run) wake(n *node) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n.sleepers.Store(false) // all are about to run; who sleeps again sets it again
	n.cond.Broadcast()
}

// sleep returns when the arrivals of p's node differ from seen or the run has
// failed.
func (p *port) sleep(seen uint64) {
	now := time.Since(p.run.start)
	p.run.mu.Lock()
	defer p.run.mu.Unlock()
	p.seen = seen
	p.run.sleep(&p.nap, now)
}

// due says whether something has arrived since p fell asleep.
func (p *port) due() bool {
	p.own.sleepers.Store(true) // before looking at arrivals: see arrive
	return p.own.arrivals.Load() != p.seen
}

// overdue is the failure of a run in which nothing arrives for so long.
func (p *port) overdue(slept time.Duration) error {
	return fmt.Errorf("inproc: rank %s has waited %v and nothing arrived", dimmnet.ThreadLabel(p.rank, p.name), slept)
}
