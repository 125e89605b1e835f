package swarm

import (
	"reflect"
	"testing"
)

// TestReductions checks that every reduction yields a smaller case that can be run, and leaves
// the original unchanged.
func TestReductions(t *testing.T) {
	for i := range uint64(12) {
		seed, c := i/2, New(i/2, nil)
		if i%2 == 1 {
			c = NewCycles(seed, nil)
			c.Deviations = c.Deviations[:min(2, len(c.Deviations))]
		}
		c.Rounds = c.Rounds[:min(2, len(c.Rounds))]
		before := c.clone()
		for number, leaveOut := range reductions() {
			for i := 0; ; i++ {
				less := c.clone()
				if !leaveOut(&less, i) {
					break
				}
				if _, err := less.connect(); err != nil {
					t.Errorf("seed %d, reduction %d of kind %d: %v\n%v", seed, i, number, err, less)
				}
				if reflect.DeepEqual(less, c) {
					t.Errorf("seed %d, reduction %d of kind %d left out nothing", seed, i, number)
				}
			}
		}
		if !reflect.DeepEqual(c, before) {
			t.Errorf("seed %d: the reductions have changed\n%v\ninto\n%v", seed, before, c)
		}
	}
}
