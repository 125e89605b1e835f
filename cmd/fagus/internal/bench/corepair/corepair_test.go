package corepair_test

import (
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/bench/corepair"
)

// TestRoundTrip: a round trip takes some time, but less than waking a thread would.
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
		t.Errorf("a round trip between two processors took %v", took)
	}
}

// TestMistakes: RoundTrip rejects a processor paired with itself, and a processor that does not
// exist.
func TestMistakes(t *testing.T) {
	for _, pair := range [][2]int{{0, 0}, {0, 1023}, {1023, 0}} {
		if took, err := corepair.RoundTrip(pair[0], pair[1]); err == nil {
			t.Errorf("processors %v: round trip of %v, want an error", pair, took)
		}
	}
}
