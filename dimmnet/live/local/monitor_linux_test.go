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
		Foreground()
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

// TestForeground gives a thread the policy that it would have if the monitor had started it.
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
		Foreground()
		if got := policy(t, unix.Gettid()); got != unix.SCHED_NORMAL {
			t.Errorf("the thread has the policy %d, want SCHED_NORMAL", got)
		}
	}()
	<-done
}

func policy(t *testing.T, tid int) uint32 {
	attr, err := unix.SchedGetAttr(tid, 0)
	if err != nil {
		t.Errorf("thread %d: %v", tid, err)
		return 0
	}
	return attr.Policy
}
