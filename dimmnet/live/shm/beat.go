//go:build linux

package shm

import (
	"fmt"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/local"
)

const beatTime = 100 * time.Millisecond

// watch observes the beats of all ranks. Each turn increments the beat of this process's rank, and
// fails the run if the beat of another rank does not change for stall. A process that computes
// still beats; one that is stopped (by SIGSTOP, a debugger, a host that swaps) does not.
//
// Time is counted in beats of this process, so a job that was stopped as a whole goes on. If the
// beats of this process are late, the beats of others may be late, too.
type watch struct {
	*run
	own   dimmnet.Rank
	stall time.Duration // negative: no rank is taken for stopped
	lag   local.Lag
	last  time.Time       // the last turn
	seen  []uint32        // the last beat of each rank
	still []time.Duration // by rank: time since the last change
}

func (r *run) newWatch(own dimmnet.Rank, stall time.Duration, now time.Time) *watch {
	ranks := len(r.segments)
	return &watch{run: r, own: own, stall: stall, last: now, seen: make([]uint32, ranks), still: make([]time.Duration, ranks)}
}

// watch takes a turn every beatTime until stop is called.
func (r *run) watch(own dimmnet.Rank, stall time.Duration) (stop func()) {
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(beatTime)
		defer ticker.Stop()
		w := r.newWatch(own, stall, time.Now())
		for {
			select {
			case <-over:
				return
			case <-ticker.C:
			}
			w.turn(time.Now())
		}
	}()
	return func() {
		close(over)
		<-done
		r.segments[own].ended.Store(1)
	}
}

func (w *watch) turn(now time.Time) {
	w.lag.Observe(now.Sub(w.last) - beatTime)
	w.last = now
	w.segments[w.own].beat.Add(1)
	_ = w.failureAt(w.segments[w.own]) // for a rank that computes and does not ask
	for rank, s := range w.segments {
		beat := s.beat.Load()
		if w.still[rank] += beatTime; beat != w.seen[rank] || s.ended.Load() != 0 {
			w.seen[rank], w.still[rank] = beat, 0
		}
		if w.stall > 0 && w.still[rank] >= w.lag.Extend(w.stall) {
			w.lost(dimmnet.Rank(rank), fmt.Errorf("its process has shown no sign of life for %v: the process or its host is stopped", w.still[rank]))
		}
	}
}
