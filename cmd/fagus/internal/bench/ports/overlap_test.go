//go:build !race

// The race detector would report what is measured: memory is read while a peer writes it.

package ports_test

import (
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/bench/ports"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
)

// TestOverlap: on one memory every post lands while rank 1 computes. A network without bulk memory
// has no Push.
func TestOverlap(t *testing.T) {
	tests := []struct {
		name string
		bulk int
		want []string
	}{
		{"with bulk memory", 2 * ports.PushBytes, []string{ports.Store, ports.Write, ports.Push}},
		{"without", 0, []string{ports.Store, ports.Write}},
	}
	for _, test := range tests {
		err := ports.Run(t.Context(), inproc.New(inproc.Config{Bulk: test.bulk}), func(pair *ports.Pair) error {
			const samples = 2
			all, err := pair.Overlap(ports.OverlapConfig{Kernel: 100 * time.Millisecond, Samples: samples})
			if pair.Rank() == 1 {
				if len(all) > 0 {
					t.Errorf("%s: rank 1 got %v", test.name, all)
				}
				return err
			}
			if len(all) != samples*len(test.want) {
				t.Errorf("%s: %d landings, want %d of each of %q", test.name, len(all), samples, test.want)
				return err
			}
			for i, l := range all {
				if l.Post != test.want[i/samples] || l.Sample != i%samples || l.Landed <= 0 || (l.Known > 0) != (l.Post == ports.Push) {
					t.Errorf("%s: landing %d is %+v", test.name, i, l)
				}
			}
			return err
		})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}
