package corepair_test

import (
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/cmd/fagus/corepair"
)

// TestRoundTrip: a cache line takes longer than nothing, and less than a system call on a sleeper.
func TestRoundTrip(t *testing.T) {
	cpus, err := corepair.Allowed()
	if err != nil {
		t.Skip(err)
	}
	if len(cpus) < 2 {
		t.Skipf("processors %v: want two", cpus)
	}
	took, err := corepair.RoundTrip(cpus[0], cpus[1])
	if err != nil {
		t.Fatal(err)
	}
	if took <= 0 || took > time.Second/100 {
		t.Errorf("a round trip took %v", took)
	}
}

// TestMistakes: one processor is no pair, and one that does not exist cannot be had.
func TestMistakes(t *testing.T) {
	for _, pair := range [][2]int{{0, 0}, {0, 1023}, {1023, 0}} {
		if took, err := corepair.RoundTrip(pair[0], pair[1]); err == nil {
			t.Errorf("processors %v: %v", pair, took)
		}
	}
}
