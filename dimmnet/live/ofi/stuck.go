//go:build ofi && linux && cgo

package ofi

import (
	"fmt"
	"time"
)

// Calls of libfabric do not wait. But ranks over provider shm share locks, and a process that was
// killed may hold one: then the next call never returns, and keeps locks of this process, too.

// stuckTime is how long a call may take. The time in which this process is stopped does not count.
const (
	stuckTime = time.Second
	tickTime  = 100 * time.Millisecond
)

// guard watches the calls of a fabric, and ends the process if one does not return: nothing else
// could end the run.
func (f *fabric) guard() {
	ticks := time.NewTicker(tickTime)
	defer ticks.Stop()
	var last uint64
	for stuck := time.Duration(0); ; {
		select {
		case <-f.over:
			return
		case <-ticks.C:
		}
		if turn := f.turns.Load(); turn != last || f.mu.TryLock() {
			if turn == last {
				f.mu.Unlock()
			}
			last, stuck = turn, 0
			continue
		}
		if stuck += tickTime; stuck >= stuckTime {
			f.fatal(fmt.Sprintf("ofi: rank %d: a call of libfabric (provider %s) has not returned for %v: the process of another rank may have died with a lock of the provider", f.self, f.provider, stuck))
			return
		}
	}
}

// lock takes the lock of the fabric for a turn, which does not wait.
func (f *fabric) lock() {
	f.mu.Lock()
	f.turns.Add(1)
}
