//go:build linux

package shm

import (
	"errors"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// TestLateBeats checks that a rank whose own beats are late gives the others more time: the
// silence that it tolerates grows with its delay.
func TestLateBeats(t *testing.T) {
	const stall = 10 * beatTime
	for _, late := range []time.Duration{0, beatTime} {
		cfg, err := Config{Heap: pageBytes}.withDefaults(2)
		if err != nil {
			t.Fatal(err)
		}
		segments := make([]*segment, 2)
		for rank := range segments {
			if segments[rank], err = newLocal(&cfg); err != nil {
				t.Fatal(err)
			}
			defer segments[rank].unmapLocal()
		}
		r, _ := newRun(cfg, segments, []dimmnet.Rank{0})
		var now time.Time
		w := r.newWatch(0, stall, now)
		turns := 0 // without a beat of rank 1
		for !r.Failed() && turns < 1000 {
			now = now.Add(beatTime + late)
			w.turn(now)
			turns++
		}
		least := int(stall / beatTime)
		most := least
		if late > 0 {
			least, most = 2*least, 999
		}
		if turns < least || turns > most {
			t.Errorf("beats %v late: rank 1 is lost after %d beats, want %d to %d", late, turns, least, most)
		}
		var f *dimmnet.Failed
		if err := r.Err(); !errors.As(err, &f) || f.Rank != 1 || f.Lost == nil {
			t.Errorf("beats %v late: the run fails with %v, want the loss of rank 1", late, err)
		}
		// Rank 1 goes on, and learns that it is lost: it did not fail by itself.
		victim, _ := newRun(cfg, segments, []dimmnet.Rank{1})
		if err := victim.failureAt(segments[1]); !errors.As(err, &f) || f.Rank != 1 || !dimmnet.IsGone(err) || err.Error() != r.Err().Error() {
			t.Errorf("beats %v late: rank 1 fails with %v, want what rank 0 says: %v", late, err, r.Err())
		}
	}
}
