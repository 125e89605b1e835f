package inproc

import (
	"fmt"
	"sync"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// nap is where a thread sleeps: in Idle that of its port, in Wait that of the
// event. It belongs to the lock of the run.
type nap struct {
	cond    *sync.Cond  // signalled whenever due may have become true
	due     func() bool // whether there is something to wake for
	overdue func(slept time.Duration) error
	since   time.Duration // when it began, from the start of the run
	at      int           // in run.naps
}

// sleep returns when n is due or the run has failed. The lock is held.
func (r *run) sleep(n *nap, now time.Duration) {
	n.since, n.at = now, len(r.naps)
	r.naps = append(r.naps, n)
	for !n.due() {
		r.checkDeadlock()
		if r.failed.Load() {
			break
		}
		n.cond.Wait()
	}
	last := len(r.naps) - 1
	r.naps[n.at] = r.naps[last]
	r.naps[n.at].at = n.at
	r.naps[last] = nil
	r.naps = r.naps[:last]
}

// checkDeadlock fails the run when every thread that has not returned is asleep
// and none is due. The lock is held.
//
// It is exact. Threads start, fall asleep and return only under the lock, so none
// of those counted is inside a post or about to set an event, and nobody else
// does: nothing can become due any more. A thread that has been woken but has not
// run yet is still counted as asleep; it is due. And no deadlock is missed, because
// the last thread to fall asleep or return comes by here.
func (r *run) checkDeadlock() {
	if len(r.naps) < len(r.threads) || r.failed.Load() {
		return
	}
	for _, n := range r.naps {
		if n.due() {
			return
		}
	}
	err := fmt.Errorf("inproc: %w: ranks %s wait and nothing is in flight", dimmnet.ErrDeadlock, r.ranks())
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
	if r.failed.Load() || len(r.threads) == 0 {
		return
	}
	now := time.Since(r.start)
	next := now + r.patience
	for _, n := range r.naps {
		if n.due() {
			continue
		}
		if slept := now - n.since; slept >= r.patience {
			err := n.overdue(slept.Round(time.Millisecond))
			r.failLocked(err, err)
			return
		}
		next = min(next, n.since+r.patience)
	}
	r.timer.Reset(next - now)
}
