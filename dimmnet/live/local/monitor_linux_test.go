package local

import (
	"os"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestCalmMonitor checks that one thread of this process gets the policy SCHED_BATCH, and that it
// is the same one when CalmMonitor is called again.
func TestCalmMonitor(t *testing.T) {
	if len(sleeps()) < 2 {
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
