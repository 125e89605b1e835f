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
	monitorSleeps = 8 // at least, in that time
	monitorTries  = 5
)

// CalmMonitor keeps the monitor thread of Go's runtime from interrupting a rank that polls. It
// spins for 2 ms, up to 5 times, and reports whether it has found the thread.
//
// The monitor wakes up every 0.1 ms for some milliseconds after the process has waited, and later
// every 10 ms. Each time, the kernel takes the processor from the rank for 11 us: between two ranks
// on two processors, a barrier took 1.5 times as long (docs/decisions, 0071). With the policy
// SCHED_BATCH the monitor waits for the scheduler's next tick instead. It keeps that policy, and
// the threads that it starts have it, too: see Foreground.
//
// The runtime starts the monitor before any other thread. So it is the oldest thread of the process
// but for the first, and it sleeps often while the process spins; a thread of which only one of
// the two is true stays as it is. Where another language has started the runtime
// (cmd/libfagus), its thread is the oldest, and the monitor stays as it is.
func CalmMonitor() bool {
	tid, ok := second()
	if !ok || calm(tid) {
		return ok
	}
	for range monitorTries {
		before, ok := sleeps(tid)
		if !ok {
			return false
		}
		for begun := time.Now(); time.Since(begun) < monitorSpin; {
		}
		if after, ok := sleeps(tid); ok && after-before >= monitorSleeps {
			return batch(tid)
		}
	}
	return false
}

// second returns the second thread of this process: the kernel lists threads by age.
func second() (tid int, ok bool) {
	dir, err := os.Open("/proc/self/task")
	if err != nil {
		return 0, false
	}
	defer dir.Close()
	names, err := dir.Readdirnames(2)
	if err != nil || len(names) < 2 {
		return 0, false
	}
	tid, err = strconv.Atoi(names[1])
	return tid, err == nil
}

// sleeps returns how often a thread of this process has given up its processor.
func sleeps(tid int) (n uint64, ok bool) {
	status, err := os.ReadFile("/proc/self/task/" + strconv.Itoa(tid) + "/status")
	if err != nil {
		return 0, false
	}
	_, count, _ := strings.Cut(string(status), "\nvoluntary_ctxt_switches:")
	count, _, _ = strings.Cut(count, "\n")
	n, err = strconv.ParseUint(strings.TrimSpace(count), 10, 64)
	return n, err == nil
}

// calm reports whether batch has been called for a thread.
func calm(tid int) bool {
	attr, err := unix.SchedGetAttr(tid, 0)
	return err == nil && attr.Policy == unix.SCHED_BATCH && attr.Flags&unix.SCHED_FLAG_RESET_ON_FORK != 0
}

// batch gives a thread the policy SCHED_BATCH. The flag marks the thread: its only other effect is
// on real-time policies.
func batch(tid int) bool {
	attr, err := unix.SchedGetAttr(tid, 0)
	if err != nil || attr.Policy != unix.SCHED_NORMAL {
		return false // somebody has chosen another policy
	}
	attr.Policy = unix.SCHED_BATCH
	attr.Flags |= unix.SCHED_FLAG_RESET_ON_FORK
	return unix.SchedSetAttr(tid, attr, 0) == nil
}

// Foreground gives the calling thread the policy SCHED_NORMAL if it has SCHED_BATCH: a thread that
// the calmed monitor has started has its policy. A rank calls it before it sleeps, because a thread
// of that policy may have to wait for a processor when it is woken.
func Foreground() {
	policy, _, _ := unix.RawSyscall(unix.SYS_SCHED_GETSCHEDULER, 0, 0, 0)
	if policy != unix.SCHED_BATCH {
		return
	}
	if attr, err := unix.SchedGetAttr(0, 0); err == nil {
		attr.Policy = unix.SCHED_NORMAL
		_ = unix.SchedSetAttr(0, attr, 0) // at worst the rank wakes up later
	}
}
