//go:build linux

package faults

import "testing"

// TestMissing: the ranks of a report of ranks that have not come are read right.
func TestMissing(t *testing.T) {
	for _, line := range []string{
		`2: fagus: cluster: of the 12 ranks of job "a", these joined in time: 0, 2-3; these did not: 1, 4-6, 11`,
		`0: fagus: cluster: rank 0 stops joining: context deadline exceeded: of the 12 ranks of job "a", these had joined: 0, 2-3; these had not: 1, 4-6, 11; 1 error occurred`,
	} {
		for rank, want := range []bool{false, true, false, false, true, true, true, false, false, false, false, true} {
			if got := missing(rank)(line); got != want {
				t.Errorf("rank %d is missing: %v, want %v: %s", rank, got, want, line)
			}
		}
	}
	if line := "3: fagus: tcp: connecting to rank 1: 127.0.0.1:45479: context deadline exceeded"; !missing(1)(line) || missing(3)(line) {
		t.Errorf("%q names rank 1 alone", line)
	}
}
