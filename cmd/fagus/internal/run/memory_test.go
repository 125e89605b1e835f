package run

import (
	"sync/atomic"
	"testing"

	"github.com/fagus-dsm/fagus/apps/catalog"
	"github.com/fagus-dsm/fagus/dimmnet/capacity"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestMemory checks that a job that needs more memory than any machine has does not begin, with
// and without Fagus, and that the same job begins if it needs little.
func TestMemory(t *testing.T) {
	if capacity.Left().Limit == "" {
		t.Skip("this system does not tell how much memory is available")
	}
	for _, args := range [][]string{{"--plain"}, {"--net", "inproc"}, {"--net", "shm"}} {
		for memory, want := range map[int]bool{1 << 20: true, 1 << 60: false} {
			if want && args[0] == "--net" && args[1] == "shm" {
				continue // would start this test as a rank
			}
			var began atomic.Bool // every rank sets it
			j := &catalog.Job{App: "program", Memory: func(int) int { return memory },
				Run: func(*fagus.Node, func(int)) (catalog.Outcome, error) {
					began.Store(true)
					return catalog.Outcome{}, nil
				},
				Plain: func(func(func()) fagus.Time, func(int)) (catalog.Outcome, error) {
					began.Store(true)
					return catalog.Outcome{}, nil
				}}
			if _, code := runCommand(t, j, args...); began.Load() != want || (code == 0) != want {
				t.Errorf("%v, %d bytes: began %v, exit code %d; want it to begin: %v", args, memory, began.Load(), code, want)
			}
		}
	}
}
