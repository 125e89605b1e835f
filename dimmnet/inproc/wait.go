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
// as waking it would take. Where ranks outnumber processors it keeps the awaited
// rank from running; a ring of 64 ranks on 2 processors then takes 8 us a lap
// with one yield, 130 us with 16.
func waitLadder(ranks, procs int) (spins, yields int) {
	if ranks > procs {
		return 1, 1
	}
	return 2000, 300
}

// Idle returns when something has arrived since the mark, or the run has failed.
func (p *port) Idle(since dimmnet.Mark) {
	n, seen := p.own, uint64(since)
	for range p.run.spins {
		if n.arrivals.Load() != seen {
			return
		}
	}
	for range p.run.yields {
		runtime.Gosched()
		if n.arrivals.Load() != seen {
			return
		}
	}
	p.run.sleep(p, seen)
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
func (r *run) sleep(p *port, seen uint64) {
	now := time.Since(r.start)
	r.mu.Lock()
	defer r.mu.Unlock()
	p.asleep, p.seen, p.since = true, seen, now
	r.asleep++
	for {
		p.own.sleepers.Store(true) // before looking at arrivals: see arrive
		if p.own.arrivals.Load() != seen {
			break
		}
		r.checkDeadlock()
		if r.failed.Load() {
			break
		}
		p.own.cond.Wait()
	}
	p.asleep = false
	r.asleep--
}

// checkDeadlock fails the run when every thread that has not returned is asleep
// and has seen all its arrivals. The lock is held.
//
// It is exact. Threads fall asleep and return only under the lock, so none of
// those counted is inside a post, and nobody else posts: no counter can move any
// more. A thread that has been posted to but has not run yet is still counted as
// asleep; its counter differs from what it has seen. And no deadlock is missed,
// because the last thread to fall asleep or return comes by here.
func (r *run) checkDeadlock() {
	if r.asleep < r.running || r.failed.Load() {
		return
	}
	for _, p := range r.threads {
		if p.asleep && p.own.arrivals.Load() != p.seen {
			return
		}
	}
	ranks := r.ranks(func(p *port) bool { return p.asleep })
	err := fmt.Errorf("inproc: deadlock: ranks %s wait and nothing is in flight", ranks)
	r.failLocked(err, err)
}

// watch starts the timer that ends the patience of sleepers.
func (r *run) watch() *time.Timer {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.timer = time.AfterFunc(r.patience, r.lookAfterSleepers)
	return r.timer
}

// lookAfterSleepers fails the run if a thread has slept for too long, and else
// comes back when the first of the present sleepers will have. Whoever falls
// asleep later has patience for longer than that.
func (r *run) lookAfterSleepers() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed.Load() || r.running == 0 {
		return
	}
	now := time.Since(r.start)
	next := now + r.patience
	for _, p := range r.threads {
		if !p.asleep || p.own.arrivals.Load() != p.seen {
			continue
		}
		if slept := now - p.since; slept >= r.patience {
			err := fmt.Errorf("inproc: rank %d has waited %v and nothing arrived", p.rank, slept.Round(time.Millisecond))
			r.failLocked(err, err)
			return
		}
		next = min(next, p.since+r.patience)
	}
	r.timer.Reset(next - now)
}
