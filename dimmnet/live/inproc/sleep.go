package inproc

import (
	"fmt"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
)

// sleeper is a thread that sleeps, in Idle or in the Wait of an event. The run's lock guards it.
type sleeper struct {
	cond    *delay.Cond                     // signalled whenever due may have become true
	due     func() bool                     // reports whether the thread has a reason to wake
	overdue func(slept time.Duration) error // returns the error after Config.Patience
	since   time.Duration                   // when the sleep began, since the start of the run
	at      int                             // index in run.sleepers
}

// sleep returns when s is due or the run has failed. The lock is held.
func (r *run) sleep(s *sleeper, now time.Duration) {
	s.since, s.at = now, len(r.sleepers)
	r.sleepers = append(r.sleepers, s)
	for !s.due() {
		r.checkDeadlock()
		if r.Failed() {
			break
		}
		delay.Here()
		s.cond.Wait()
	}
	last := len(r.sleepers) - 1
	r.sleepers[s.at] = r.sleepers[last]
	r.sleepers[s.at].at = s.at
	r.sleepers[last] = nil
	r.sleepers = r.sleepers[:last]
}

// checkDeadlock fails the run when all its threads are asleep and none is due. The lock is held.
//
// The check is exact. Threads start, fall asleep and return only under the lock, so none of the
// sleepers is inside a post or about to set an event. Only threads of the run post and set events,
// so no sleeper can become due any more. A thread that was woken but has not run yet still counts
// as asleep, but is due. No deadlock is missed, because the last thread that falls asleep or
// returns calls checkDeadlock.
func (r *run) checkDeadlock() {
	if len(r.sleepers) < r.Threads() || r.Failed() {
		return
	}
	for _, s := range r.sleepers {
		if s.due() {
			return
		}
	}
	err := fmt.Errorf("inproc: %w: ranks %s wait and nothing is in flight", dimmnet.ErrDeadlock, r.Labels())
	r.failLocked(err, err)
}

func (r *run) watchPatience() *time.Timer {
	r.Mu.Lock()
	defer r.Mu.Unlock()
	r.timer = time.AfterFunc(r.patience, r.checkPatience)
	return r.timer
}

// checkPatience fails the run if a thread has slept for Config.Patience. Otherwise it restarts the
// timer for the earliest time at which a present sleeper will have slept that long. Threads that
// fall asleep later become overdue later.
func (r *run) checkPatience() {
	r.Mu.Lock()
	defer r.Mu.Unlock()
	if r.Failed() || r.Threads() == 0 {
		return
	}
	now := r.Elapsed()
	next := now + r.patience
	for _, s := range r.sleepers {
		if s.due() {
			continue
		}
		if slept := now - s.since; slept >= r.patience {
			err := s.overdue(slept.Round(time.Millisecond))
			r.failLocked(err, err)
			return
		}
		next = min(next, s.since+r.patience)
	}
	r.timer.Reset(next - now)
}
