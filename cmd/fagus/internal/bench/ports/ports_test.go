package ports_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/bench/ports"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
)

// TestPair: messages of all sizes travel, and others are refused.
func TestPair(t *testing.T) {
	err := ports.Run(t.Context(), inproc.New(inproc.Config{}), func(pair *ports.Pair) error {
		for _, bytes := range []int{8, 16, ports.PageBytes - 8, ports.PageBytes} {
			if took, err := pair.PingPong(3, bytes); err != nil || took <= 0 {
				t.Errorf("%d bytes at rank %d: %v, %v", bytes, pair.Rank(), took, err)
			}
		}
		for _, bytes := range []int{0, 7, ports.PageBytes + 1} {
			if _, err := pair.PingPong(1, bytes); err == nil {
				t.Errorf("a message of %d bytes was sent", bytes)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
