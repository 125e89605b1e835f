package local

import (
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestCalmMonitor checks that the second thread of this process gets the policy SCHED_BATCH.
func TestCalmMonitor(t *testing.T) {
	tid, ok := second()
	if _, told := sleeps(tid); !ok || !told {
		t.Skip("the kernel does not tell how often threads sleep")
	}
	// On a busy machine the monitor may not wake up.
	for begun := time.Now(); !CalmMonitor(); {
		if time.Since(begun) > 10*time.Second {
			t.Fatal("the monitor thread was not found")
		}
	}
	if got := policy(t, tid); got != unix.SCHED_BATCH {
		t.Errorf("the monitor has the policy %d, want SCHED_BATCH", got)
	}
	if !CalmMonitor() {
		t.Error("when it has that policy, the monitor is not found")
	}
}

// TestCalmOnlyMonitor has a thread of the program sleep as often as the monitor. Its policy
// remains.
func TestCalmOnlyMonitor(t *testing.T) {
	if _, ok := second(); !ok {
		t.Skip("the kernel does not list threads")
	}
	stop, own := make(chan struct{}), make(chan int, 1)
	defer close(stop)
	go func() {
		runtime.LockOSThread() // the thread ends with this goroutine
		Foreground(true)
		own <- unix.Gettid()
		for {
			select {
			case <-stop:
				return
			default:
				_ = unix.Nanosleep(&unix.Timespec{Nsec: 10_000}, nil) // an error cuts it short
			}
		}
	}()
	tid := <-own
	for range 3 {
		CalmMonitor()
		if got := policy(t, tid); got != unix.SCHED_NORMAL {
			t.Fatalf("a thread of the program has the policy %d, want SCHED_NORMAL", got)
		}
	}
}

// TestForeground gives a thread the policy that it would have if the monitor had started it. It
// gets the normal policy only if the monitor was calmed; otherwise the policy is the user's.
func TestForeground(t *testing.T) {
	done := make(chan int)
	go func() {
		runtime.LockOSThread() // the thread ends with this goroutine
		defer close(done)
		attr, err := unix.SchedGetAttr(0, 0)
		if err != nil {
			t.Error(err)
			return
		}
		attr.Policy = unix.SCHED_BATCH
		if err := unix.SchedSetAttr(0, attr, 0); err != nil {
			t.Error(err)
			return
		}
		if Foreground(false); policy(t, unix.Gettid()) != unix.SCHED_BATCH {
			t.Errorf("the thread has the policy %d, want SCHED_BATCH as before", policy(t, unix.Gettid()))
		}
		if Foreground(true); policy(t, unix.Gettid()) != unix.SCHED_NORMAL {
			t.Errorf("the thread has the policy %d, want SCHED_NORMAL", policy(t, unix.Gettid()))
		}
	}()
	<-done
}

// TestSlices checks that a rank's thread asks for short time slices, whatever slice it had, and
// that ForegroundAll does so for another thread.
func TestSlices(t *testing.T) {
	tids, done := make(chan int), make(chan struct{})
	go func() {
		runtime.LockOSThread() // the thread ends with this goroutine
		tids <- unix.Gettid()
		<-done
	}()
	defer close(done)
	other := <-tids
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, err := unix.SchedGetAttr(0, 0)
	if err != nil || before.Runtime == 0 {
		t.Skipf("this kernel gives normal threads no time slices of their own (%v): Linux 6.12 does", err)
	}
	const long = 10 * time.Millisecond
	slice := *before
	slice.Policy = unix.SCHED_NORMAL // the monitor may have started these threads
	slice.Runtime = uint64(long)
	for _, tid := range []int{unix.Gettid(), other} {
		if err := unix.SchedSetAttr(tid, &slice, 0); err != nil {
			t.Fatal(err)
		}
	}
	want := func(tid int, slice time.Duration, when string) {
		t.Helper()
		if attr, err := unix.SchedGetAttr(tid, 0); err != nil || attr.Runtime != uint64(slice) || attr.Policy != unix.SCHED_NORMAL || attr.Nice != before.Nice {
			t.Errorf("%s: %+v, %v, want a slice of %v, and else the same", when, attr, err, slice)
		}
	}
	if n := testing.AllocsPerRun(10, func() { Foreground(false) }); n > 0 {
		t.Errorf("Foreground allocates %v times", n)
	}
	want(0, rankSlice, "the own thread")
	want(other, long, "another thread before ForegroundAll")
	ForegroundAll()
	want(other, rankSlice, "another thread")
}

func policy(t *testing.T, tid int) uint32 {
	attr, err := unix.SchedGetAttr(tid, 0)
	if err != nil {
		t.Errorf("thread %d: %v", tid, err)
		return 0
	}
	return attr.Policy
}
