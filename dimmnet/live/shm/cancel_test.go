//go:build linux

package shm

import (
	"context"
	"errors"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// TestCancelAtTheEnd ends the context of a run while its threads return. The report of this must
// not reach segments that are no longer mapped, which would end the process.
func TestCancelAtTheEnd(t *testing.T) {
	for range 500 {
		ctx, cancel := context.WithCancel(t.Context())
		n := New(Config{Heap: 1 << 12})
		err := n.Run(ctx, 2, func(h dimmnet.Host) error {
			if h.Port().Rank() == 1 {
				cancel()
			}
			return nil
		})
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		cancel()
	}
}
