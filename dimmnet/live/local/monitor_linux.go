package local

import (
	"os"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// While this process only spins, its monitor thread sleeps and wakes up every 0.1 ms.
const (
	monitorSpin   = 2 * time.Millisecond
	monitorSleeps = 8 // at least, in that time
	monitorTries  = 5
)

// CalmMonitor keeps the monitor thread of Go's runtime from interrupting a rank that polls. It
// spins for 2 ms, up to 5 times, and reports whether it found the thread.
//
// The monitor wakes up every 0.1 ms for some milliseconds after the process has waited, and later
// every 10 ms. Each time, the kernel takes the processor from the rank for 11 us: between two ranks
// on two processors, a barrier took 1.5 times as long (docs/internals/decisions, 0071). With the
// policy SCHED_BATCH the monitor waits for the scheduler's next tick instead. It keeps that policy,
// and the threads that it starts have it, too: see Foreground.
//
// The runtime starts the monitor before any other thread. So it is the second oldest thread of the
// process, and it sleeps often while the process spins. CalmMonitor changes a thread only if both
// are true. Where another language started the runtime (cmd/libfagus), that language's thread is
// the oldest, and CalmMonitor changes nothing.
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

// sleeps returns how often a thread of this process gave up its processor.
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

// calm reports whether batch was called for a thread.
func calm(tid int) bool {
	attr, err := unix.SchedGetAttr(tid, 0)
	return err == nil && attr.Policy == unix.SCHED_BATCH && attr.Flags&unix.SCHED_FLAG_RESET_ON_FORK != 0
}

// batch gives a thread the policy SCHED_BATCH. The flag marks the thread: its only other effect is
// on real-time policies.
func batch(tid int) bool {
	attr, err := unix.SchedGetAttr(tid, 0)
	if err != nil || attr.Policy != unix.SCHED_NORMAL {
		return false // the thread has a policy that somebody else has chosen
	}
	attr.Policy = unix.SCHED_BATCH
	attr.Flags |= unix.SCHED_FLAG_RESET_ON_FORK
	return unix.SchedSetAttr(tid, attr, 0) == nil
}

// rankSlice is the time slice that a rank asks for: the smallest that Linux 6.12 and newer accept.
const rankSlice = 100 * time.Microsecond

// Foreground prepares the calling thread to be woken: a rank calls it before each sleep, because
// its goroutine may run on another thread each time. It does two things.
//
// It asks for short time slices. A thread gets the same share of the processor as before, in
// smaller pieces. So it need not wait for the end of a computing program's long slice. The threads
// that it starts inherit that. Beside 16 busy processes two ranks took a third of the time.
//
// If CalmMonitor returned true (calmed), Foreground changes the thread's policy from SCHED_BATCH
// to SCHED_NORMAL: a thread that the monitor started has the monitor's policy, and may have to
// wait for a processor when it is woken. All other policies are the user's, and stay.
func Foreground(calmed bool) { foreground(0, calmed) }

// ForegroundAll is Foreground for all threads of this process except the monitor: some of them
// work for a rank beside its own thread. Threads with a policy that the user has chosen stay as
// they are.
func ForegroundAll() {
	tasks, _ := os.ReadDir("/proc/self/task") // if this fails, they run a little later
	for _, task := range tasks {
		if tid, err := strconv.Atoi(task.Name()); err == nil {
			foreground(tid, false)
		}
	}
}

// foreground does this for a thread, 0 for the calling one. It allocates nothing.
func foreground(tid int, calmed bool) {
	attr := unix.SchedAttr{Size: unix.SizeofSchedAttr}
	_, _, failed := unix.RawSyscall6(unix.SYS_SCHED_GETATTR, uintptr(tid), uintptr(unsafe.Pointer(&attr)), unix.SizeofSchedAttr, 0, 0, 0)
	own := attr.Policy == unix.SCHED_NORMAL || attr.Policy == unix.SCHED_BATCH && calmed
	if failed != 0 || !own || attr.Policy == unix.SCHED_NORMAL && attr.Runtime == uint64(rankSlice) {
		return
	}
	attr.Policy, attr.Runtime = unix.SCHED_NORMAL, uint64(rankSlice)
	// At worst the rank wakes up later.
	_, _, _ = unix.RawSyscall(unix.SYS_SCHED_SETATTR, uintptr(tid), uintptr(unsafe.Pointer(&attr)), 0)
}
