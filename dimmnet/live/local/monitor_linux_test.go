package local

import (
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestCalmMonitor checks that one thread of this process gets the policy SCHED_BATCH, and that it
// is the same one when CalmMonitor is called again.
func TestCalmMonitor(t *testing.T) {
	tid, ok := second()
	if _, told := sleeps(tid); !ok || !told {
		t.Skip("the kernel does not tell how often threads sleep")
	}
	var first []int
	for range 2 {
		for begun := time.Now(); !CalmMonitor(); { // on a busy machine the monitor may not wake up
			if time.Since(begun) > 10*time.Second {
				t.Fatal("the monitor thread was not found")
			}
		}
		calm := batchThreads(t)
		if len(calm) != 1 || first != nil && calm[0] != first[0] {
			t.Fatalf("threads %v have the policy SCHED_BATCH, before %v: want one, the same each time", calm, first)
		}
		first = calm
	}
}

func batchThreads(t *testing.T) (tids []int) {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		tid, err := strconv.Atoi(task.Name())
		if err != nil {
			t.Fatal(err)
		}
		if attr, err := unix.SchedGetAttr(tid, 0); err == nil && attr.Policy == unix.SCHED_BATCH {
			tids = append(tids, tid)
		}
	}
	return tids
}

// TestCalmOnlyMonitor has a thread of the program sleep as often as the monitor: its policy
// remains.
func TestCalmOnlyMonitor(t *testing.T) {
	if _, ok := second(); !ok {
		t.Skip("the kernel does not list threads")
	}
	stop, own := make(chan struct{}), make(chan int, 1)
	defer close(stop)
	go func() {
		runtime.LockOSThread()
		own <- unix.Gettid()
		for {
			select {
			case <-stop:
				return
			default:
				unix.Nanosleep(&unix.Timespec{Nsec: 10_000}, nil)
			}
		}
	}()
	tid := <-own
	for range 3 {
		CalmMonitor()
		if calm := batchThreads(t); slices.Contains(calm, tid) || len(calm) > 1 {
			t.Fatalf("threads %v have the policy SCHED_BATCH, one of them is the program's thread %d, or there are several", calm, tid)
		}
	}
}
