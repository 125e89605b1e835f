package meter

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
)

// TestBuckets: each bucket has the durations up to its bound, and none above.
func TestBuckets(t *testing.T) {
	for i := range Buckets - 1 {
		bound := uint64(Bound(i))
		if bucketOf(bound) != i || bucketOf(bound+1) != i+1 {
			t.Errorf("%d ns is in bucket %d, and %d ns in bucket %d", bound, bucketOf(bound), bound+1, bucketOf(bound+1))
		}
	}
	if bucketOf(0) != 0 || bucketOf(1<<63) != Buckets-1 {
		t.Errorf("0 ns is in bucket %d, and 2^63 ns in bucket %d", bucketOf(0), bucketOf(1<<63))
	}
}

// TestCounts: a reader gets what the rank has added.
func TestCounts(t *testing.T) {
	var r Rank
	r.Phase()
	r.Called(rollcall.Update, 3*dimmnet.Microsecond, dimmnet.Counters{Stores: 1, Writes: 2, Pushes: 3, Pulls: 4, Bytes: 50, Polls: 9}, 7)
	r.Called(rollcall.Update, -dimmnet.Microsecond, dimmnet.Counters{}, 0) // the clock steps back
	r.Waited(Late, 2*dimmnet.Millisecond)
	r.Saved(4, nil)
	r.Saved(5, errors.New("the disk is full"))
	r.Stepped(6, 10)
	r.Requested(8, 9)
	r.Wrote([Methods]uint64{Twin: 2})
	r.Wrote([Methods]uint64{Twin: 3, Kernel: 1})
	c := r.Counts()
	if age := time.Since(c.Saved); age < 0 || age > time.Minute {
		t.Errorf("the checkpoint was saved at %v", c.Saved)
	}
	c.Saved = time.Time{}
	want := Counts{Phases: 1, Posts: 10, Bytes: 50, Arrived: 7, Checkpoint: 4, Lost: 1, Steps: 6, End: 10, Requests: 8, Takes: 9, Writes: [Methods]uint64{Twin: 3, Kernel: 1}}
	want.Waits[Late] = Wait{1, 2 * time.Millisecond}
	want.Calls[rollcall.Update].Time = 3 * time.Microsecond
	want.Calls[rollcall.Update].Buckets[0], want.Calls[rollcall.Update].Buckets[2] = 1, 1
	if c != want {
		t.Errorf("the counts are %+v, want %+v", c, want)
	}
}

// TestReady: a run is ready from when its last rank begins until the first one returns.
func TestReady(t *testing.T) {
	m := New()
	ready := func(want string) {
		t.Helper()
		if got := fmt.Sprint(m.Ready()); got != want {
			t.Errorf("the run is ready: %s, want %s", got, want)
		}
	}
	ready("the ranks have not met")
	board := rollcall.Open(rollcall.Config{After: -1}, rollcall.About{Nodes: 2})
	defer board.Close()
	end := m.Begin(Run{Nodes: 2, Board: board})
	ready("0 of 2 ranks have begun")
	m.Rank(1, nil)
	ready("1 of 2 ranks have begun")
	r := m.Rank(0, nil)
	ready("<nil>")
	board.Monitor(1).Return(nil, false)
	ready("rank 1 has returned")
	end()
	ready("the run has ended")
	m.Begin(Run{Nodes: 2, Board: board})
	m.Rank(0, nil)
	if r.Failed(); m.Healthy() != nil {
		t.Errorf("a rank of the run before has failed: %v", m.Healthy())
	}
	m.Rank(0, nil).Failed()
	if m.Healthy() == nil {
		t.Error("a rank has failed, and the run is healthy")
	}
}
