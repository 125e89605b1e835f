package pairs

import (
	"slices"
	"testing"
)

// TestEveryPhaseBeginsAnew: the requests of all peers are due in every phase.
func TestEveryPhaseBeginsAnew(t *testing.T) {
	const peers = 5
	r := newRequests(peers)
	for range 3 {
		r.alike, r.posted, r.before = 2, peers, 3
		r.expect()
		if want := []int{0, 1, 2, 3, 4}; !slices.Equal(r.due, want) || r.alike+r.posted+r.before != 0 {
			t.Errorf("requests of %v are due, want %v; %+v", r.due, want, r)
		}
		r.due = append(r.due[:1], r.due[3:]...)
	}
}
