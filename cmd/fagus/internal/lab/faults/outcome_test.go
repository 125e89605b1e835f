//go:build linux

package faults

import "testing"

// TestMissing: the ranks of a report of ranks that have not come are read right.
func TestMissing(t *testing.T) {
	const line = `2: fagus: cluster: of the 12 ranks of job "a", these joined in time: 0, 2-3; these did not: 1, 4-6, 11`
	for rank, want := range []bool{false, true, false, false, true, true, true, false, false, false, false, true} {
		if got := missing(rank)(line); got != want {
			t.Errorf("rank %d is missing: %v, want %v", rank, got, want)
		}
	}
	if line := "3: fagus: tcp: connecting to rank 1: 127.0.0.1:45479: context deadline exceeded"; !missing(1)(line) || missing(3)(line) {
		t.Errorf("%q names rank 1 alone", line)
	}
}
