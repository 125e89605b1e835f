//go:build linux

package shm

import (
	"fmt"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// beatTime is the time between two beats of a process.
const beatTime = 100 * time.Millisecond

// watch beats for the rank of this process, and looks whether the others do, until stop
// is called. It tells a process that is stopped (by SIGSTOP, a debugger, a host that
// swaps) from one that computes: that beats.
//
// Time is counted in own beats, so that a job that was stopped as a whole goes on.
func (r *run) watch(own dimmnet.Rank, stall time.Duration) (stop func()) {
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(beatTime)
		defer ticker.Stop()
		seen := make([]uint32, len(r.segments))
		still := make([]time.Duration, len(r.segments))
		for {
			select {
			case <-over:
				return
			case <-ticker.C:
			}
			r.segments[own].beat.Add(1)
			for rank, s := range r.segments {
				beat := s.beat.Load()
				if still[rank] += beatTime; beat != seen[rank] || s.ended.Load() != 0 {
					seen[rank], still[rank] = beat, 0
				}
				if still[rank] >= stall && stall > 0 {
					r.lost(dimmnet.Rank(rank), fmt.Errorf("its process has shown no sign of life for %v: it is stopped, or its host is", still[rank]))
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
