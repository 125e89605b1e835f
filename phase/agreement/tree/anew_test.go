package tree

import (
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/syncvar"
)

// TestEveryPhaseBeginsAnew: the state of a phase that is kept by peer or child is reset in the
// next phase, for the first and for the last of them.
func TestEveryPhaseBeginsAnew(t *testing.T) {
	const peers = 5
	var f folding
	f.begin(&syncvar.List{Call: syncvar.Reduce}, peers)
	for i := range f.below {
		f.below[i] = append(f.below[i], 1, 2, 3)
	}
	f.begin(&syncvar.List{Call: syncvar.Barrier}, peers)
	for i, words := range f.below {
		if len(words) > 0 || f.width != 0 || len(f.words) > 0 {
			t.Errorf("child %d has %d bytes of words of the phase before; width %d, %d own", i, len(words), f.width, len(f.words))
		}
	}

	var s signals
	for range 3 {
		s.begin(peers)
		if want := []int{0, 1, 2, 3, 4}; !slices.Equal(s.due, want) {
			t.Errorf("signals of %v are due, want %v", s.due, want)
		}
		s.due = slices.Delete(s.due, 1, 4)
	}
}
