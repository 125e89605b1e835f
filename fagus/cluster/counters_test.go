//go:build linux

package cluster

import (
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// TestCallsWrap makes collective calls of three ranks while their numbers pass 2^32.
func TestCallsWrap(t *testing.T) {
	const size = 3
	place := Place{Size: size, Job: fmt.Sprint(t.Name(), os.Getpid())}
	var wait [size]func() *Host
	for rank := range wait {
		place.Rank = rank
		wait[rank] = joinLater(t, place, Spec{Drivers: AllDrivers()})
	}
	var hosts [size]*Host
	for rank := range hosts {
		hosts[rank] = wait[rank]()
		hosts[rank].call = 1<<32 - 3
	}
	var all sync.WaitGroup
	for _, h := range hosts {
		all.Go(func() {
			for round := range 6 {
				blobs, err := h.Gather(t.Context(), fmt.Append(nil, h.Rank(), round))
				if err != nil {
					t.Error(err)
					break
				}
				for rank, b := range blobs {
					if want := fmt.Sprint(dimmnet.Rank(rank), round); string(b) != want {
						t.Errorf("round %d: rank %d got %q from rank %d, want %q", round, h.Rank(), b, rank, want)
					}
				}
			}
			if h.call != 3 {
				t.Errorf("rank %d has made call %d", h.Rank(), h.call)
			}
			if err := h.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
