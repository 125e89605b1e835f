package inproc

import (
	"fmt"
	"runtime"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
	"github.com/fagus-dsm/fagus/dimmnet/live/local"
)

// The first reads of the arrivals take 0.3 ns each; between later ones the thread yields to other
// goroutines, which takes 55 ns (BenchmarkCompute and others, 2 vCPU Zen 4).
//
// Where every peer has a processor of its own, a waiter stays awake for about as long as waking it
// would take: a rank that sleeps is late for the next step, so that the others sleep next.
// PolyBench's trmm has 800 steps of 0.5 ms: two ranks are 1.5 times as fast as one with 17 us, 1.9
// times with 66 us. Where threads outnumber processors, a waiter that stays awake takes the
// processor of the thread that it waits for: a ring of 64 ranks on 2 processors takes 8 us per lap
// with one yield and 130 us with 16.
const (
	spins         = 2000
	yields        = 1200 // at most: a clock may stand still
	yieldsPerTime = 16
	awake         = 66 * time.Microsecond
)

// Idle returns when something has arrived since the mark, or the run has failed.
func (p *port) Idle(since dimmnet.Mark) {
	n, seen := p.own, uint64(since)
	if p.run.poll > 0 && p.poll(seen) {
		return
	}
	crowded := p.run.Crowded()
	reads := spins
	if crowded {
		reads = 1
	}
	for range reads {
		if n.arrivals.Load() != seen {
			return
		}
	}
	p.ladder.Progress()
	for range yields {
		if p.ladder.Polled(false) && p.ladder.Next(p.run.Elapsed(), false) == local.Sleep {
			break
		}
		runtime.Gosched()
		if n.arrivals.Load() != seen {
			return
		}
		if crowded {
			break
		}
	}
	p.sleep(seen)
}

// poll polls the arrivals for Config.Poll, and reports whether Idle can return.
func (p *port) poll(seen uint64) bool {
	const readsPerClock = 1000 // a clock read takes as long as many reads of the arrivals
	for began := time.Now(); time.Since(began) < p.run.poll; {
		for range readsPerClock {
			if p.own.arrivals.Load() != seen {
				return true
			}
		}
		if p.run.Failed() {
			return true
		}
	}
	return false
}

// arrive counts an arrival at n after its bytes are in place, and wakes the sleepers of n.
//
// No wake-up is lost. The poster increments arrivals and then reads asleep; the waiter sets asleep
// and then reads arrivals. Go's atomics are sequentially consistent, so at least one of the two
// sees the other's write: either the waiter sees the arrival and does not sleep, or the poster
// sees the sleeper and takes the lock. The waiter holds that lock from before it reads arrivals
// until it is in the list of the cond, where Broadcast finds it.
func (r *run) arrive(n *node) {
	n.arrivals.Add(1)
	delay.Here()
	if n.asleep.Load() {
		r.wake(n)
	}
}

// wake wakes all threads of n.
func (r *run) wake(n *node) {
	r.Mu.Lock()
	defer r.Mu.Unlock()
	n.asleep.Store(false) // all sleepers run; a thread that sleeps again sets asleep again
	delay.Here()
	n.cond.Broadcast()
}

// sleep returns when the arrivals of p's node differ from seen, or the run has failed.
func (p *port) sleep(seen uint64) {
	now := p.run.Elapsed()
	p.run.Mu.Lock()
	defer p.run.Mu.Unlock()
	p.seen = seen
	p.run.sleep(&p.sleeper, now)
}

// due reports whether something has arrived since p fell asleep.
func (p *port) due() bool {
	p.own.asleep.Store(true) // before the read of arrivals: see arrive
	delay.Here()
	return p.own.arrivals.Load() != p.seen
}

// overdue returns the error of a thread that has slept too long in Idle.
func (p *port) overdue(slept time.Duration) error {
	return fmt.Errorf("inproc: rank %s has waited %v and nothing arrived", p.Label(), slept)
}
