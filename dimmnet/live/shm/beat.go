//go:build linux

package shm

import (
	"fmt"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/local"
)

const beatTime = 100 * time.Millisecond

// Until stop is called, watch increments the beat of rank own, and fails the run if the beat of
// another rank does not change for stall. The beat of a process that computes goes on; that of a
// process that is stopped (by SIGSTOP, a debugger, a host that swaps) does not.
//
// Time is counted in beats of this process, so a job that was stopped as a whole goes on. Where the
// beats of this process are late, those of others may be, too.
func (r *run) watch(own dimmnet.Rank, stall time.Duration) (stop func()) {
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(beatTime)
		defer ticker.Stop()
		var lag local.Lag
		last := time.Now()
		seen := make([]uint32, len(r.segments))         // the last beat of each rank
		still := make([]time.Duration, len(r.segments)) // by rank: time since the last change
		for {
			select {
			case <-over:
				return
			case <-ticker.C:
			}
			now := time.Now()
			lag.Observe(now.Sub(last) - beatTime)
			last = now
			r.segments[own].beat.Add(1)
			for rank, s := range r.segments {
				beat := s.beat.Load()
				if still[rank] += beatTime; beat != seen[rank] || s.ended.Load() != 0 {
					seen[rank], still[rank] = beat, 0
				}
				if stall > 0 && still[rank] >= lag.Extend(stall) {
					r.lost(dimmnet.Rank(rank), fmt.Errorf("its process has shown no sign of life for %v: the process or its host is stopped", still[rank]))
				}
			}
		}
	}()
	return func() {
		close(over)
		<-done
		r.segments[own].ended.Store(1)
	}
}
