package local

import (
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// While this process only spins, its monitor thread sleeps and wakes up every 0.1 ms.
const (
	monitorSpin   = 2 * time.Millisecond
	monitorSleeps = 8 // at least, in that time; all other threads sleep less than half as often
	monitorTries  = 5
)

// CalmMonitor keeps the monitor thread of Go's runtime from interrupting a rank that polls. It
// takes 2 ms, or 10 ms at most, and reports whether it has found the thread.
//
// The monitor wakes up every 0.1 ms for some milliseconds after the process has waited, and later
// every 10 ms. Each time, the kernel takes the processor from the rank for 11 us: between two ranks
// on two processors, a barrier took 1.5 times as long (docs/decisions/0071-calm-monitor.md). With
// the policy SCHED_BATCH the monitor waits for the scheduler's next tick instead. It keeps that
// policy.
func CalmMonitor() bool {
	for range monitorTries {
		before := sleeps()
		for tid := range before {
			if calm(tid) {
				return true // since an earlier run
			}
		}
		for begun := time.Now(); time.Since(begun) < monitorSpin; {
		}
		var most, second uint64
		var monitor int
		for tid, n := range sleeps() {
			if n -= before[tid]; n > most {
				most, second, monitor = n, most, tid
			} else {
				second = max(second, n)
			}
		}
		if most >= monitorSleeps && most > 2*second {
			return batch(monitor)
		}
	}
	return false
}

// sleeps returns, for each thread of this process, how often it has given up its processor.
func sleeps() map[int]uint64 {
	all := make(map[int]uint64)
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return all
	}
	for _, t := range tasks {
		status, err := os.ReadFile("/proc/self/task/" + t.Name() + "/status")
		if err != nil { // the thread has ended
			continue
		}
		_, count, _ := strings.Cut(string(status), "\nvoluntary_ctxt_switches:")
		count, _, _ = strings.Cut(count, "\n")
		n, err := strconv.ParseUint(strings.TrimSpace(count), 10, 64)
		if err != nil {
			continue
		}
		if tid, err := strconv.Atoi(t.Name()); err == nil {
			all[tid] = n
		}
	}
	return all
}

// calm reports whether batch has been called for a thread.
func calm(tid int) bool {
	attr, err := unix.SchedGetAttr(tid, 0)
	return err == nil && attr.Policy == unix.SCHED_BATCH && attr.Flags&unix.SCHED_FLAG_RESET_ON_FORK != 0
}

// batch gives a thread the policy SCHED_BATCH, but not the threads that it will start.
func batch(tid int) bool {
	attr, err := unix.SchedGetAttr(tid, 0)
	if err != nil || attr.Policy != unix.SCHED_NORMAL {
		return false // somebody has chosen another policy
	}
	attr.Policy = unix.SCHED_BATCH
	attr.Flags |= unix.SCHED_FLAG_RESET_ON_FORK
	return unix.SchedSetAttr(tid, attr, 0) == nil
}
