//go:build ofi && linux && cgo

package ofi

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// Calls of libfabric do not wait. But ranks over provider shm share locks, and a process that was
// killed may hold one: then the next call never returns, and keeps locks of this process, too.
const (
	// stuckTime is how long a call may take that uses a processor, as a spinning call does.
	stuckTime = time.Second
	// asleepTime is how long a call may take otherwise: its thread may wait for a processor.
	asleepTime = 30 * time.Second
	tickTime   = 100 * time.Millisecond
)

// guard watches the calls of a fabric, and ends the process if one does not return: nothing else
// could end the run. Time in which this process is stopped does not count.
func (f *fabric) guard() {
	ticks := time.NewTicker(tickTime)
	defer ticks.Stop()
	var last uint64
	var stuck, used time.Duration // of the present call: its time, and its processor time
	before := cpuTime()
	for {
		select {
		case <-f.over:
			return
		case <-ticks.C:
		}
		now := cpuTime()
		if turn := f.turns.Load(); turn != last || f.mu.TryLock() {
			if turn == last {
				f.mu.Unlock()
			}
			last, stuck, used, before = turn, 0, 0, now
			continue
		}
		stuck, used, before = stuck+tickTime, used+now-before, now
		if used >= stuckTime && stuck >= stuckTime || stuck >= asleepTime {
			f.fatal(fmt.Sprintf("ofi: rank %d: a call of libfabric (provider %s) has not returned for %v: the process of another rank may have died with a lock of the provider", f.self, f.provider, stuck))
			return
		}
	}
}

// cpuTime returns the processor time that this process has used.
func cpuTime() time.Duration {
	var u unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &u) // cannot fail with these arguments
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// lock takes the lock of the fabric for a turn, which does not wait.
func (f *fabric) lock() {
	f.mu.Lock()
	f.turns.Add(1)
}
