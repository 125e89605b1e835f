package host_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

// runWithin runs body with a limit of memory, in MiB, and returns how many nodes have begun.
func runWithin(t *testing.T, mib int64, nodes int, body func(h dimmnet.Host) error) (begun int, err error) {
	t.Helper()
	if _, err := os.Stat("/proc/self/statm"); err != nil {
		t.Skip("this system does not say how much memory a process has")
	}
	w, err := sim.New(sim.Config{Memory: mib << 20})
	if err != nil {
		t.Fatal(err)
	}
	err = w.Run(context.Background(), nodes, func(h dimmnet.Host) error {
		begun++
		return body(h)
	})
	return begun, err
}

// TestTooManyNodes starts more nodes than can fit, and as many as fit.
func TestTooManyNodes(t *testing.T) {
	idle := func(dimmnet.Host) error { return nil }
	begun, err := runWithin(t, 1, 1000, idle)
	if !errors.Is(err, syscall.ENOMEM) || begun != 0 || !strings.Contains(err.Error(), "1000 simulated nodes take at least 4 MiB of memory, and 1 MiB are available") {
		t.Errorf("%d nodes have begun, error %v; want none and an error of 4 MiB", begun, err)
	}
	if begun, err := runWithin(t, 100, 1000, idle); begun != 1000 || err != nil {
		t.Errorf("%d nodes have begun, error %v; want all, without an error", begun, err)
	}
}

// fill allocates 1 MiB that is not zero.
func fill() []byte {
	b := make([]byte, 1<<20)
	for i := range b {
		b[i] = 1
	}
	return b
}

// TestRunExceedsItsMemory: every node keeps 1 MiB, and 100 are more than there are. The run fails
// before all have begun; without a limit it does not fail.
func TestRunExceedsItsMemory(t *testing.T) {
	var kept [][]byte
	keep := func(h dimmnet.Host) error {
		kept = append(kept, fill())
		for range 100 {
			h.Port().Load(0)
		}
		return h.Port().Err()
	}
	begun, err := runWithin(t, 64, 150, keep)
	if !errors.Is(err, syscall.ENOMEM) || !strings.Contains(err.Error(), "of 150 simulated nodes take") {
		t.Fatalf("error %v, want one of memory", err)
	}
	if begun < 40 || begun > 130 {
		t.Errorf("the run failed when %d nodes had begun, want some 64", begun)
	}
	kept = nil
	if begun, err := runWithin(t, 1000, 150, keep); begun != 150 || err != nil {
		t.Errorf("%d nodes have begun, error %v; want all, without an error", begun, err)
	}
}

// TestGarbageIsNoMemory: each node allocates 1 MiB and drops it.
func TestGarbageIsNoMemory(t *testing.T) {
	var last []byte
	if begun, err := runWithin(t, 64, 150, func(h dimmnet.Host) error {
		last = fill()
		h.Port().Load(0)
		return h.Port().Err()
	}); begun != 150 || err != nil {
		t.Errorf("%d nodes have begun, error %v; want all, without an error", begun, err)
	}
	_ = last
}

// TestBlockedThread: a thread that waits for something outside of the simulation does not keep Run
// from returning when its context ends.
func TestBlockedThread(t *testing.T) {
	w, err := sim.New(sim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	never := make(chan struct{})
	defer close(never)
	err = w.Run(ctx, 3, func(h dimmnet.Host) error {
		if h.Port().Rank() == 1 {
			cancel()
			<-never
		}
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "rank 1 did not return in time") {
		t.Errorf("error %v, want one that names rank 1", err)
	}
}
