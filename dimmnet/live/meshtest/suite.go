package meshtest

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// PeerComputes checks that posts to a rank that computes are refused when all buffers are full,
// and that all posts land when the rank waits. most is a number of pages that exceeds the buffers.
func PeerComputes(t *testing.T, network dimmnet.Network, most int) {
	t.Helper()
	compute := make(chan struct{})
	page := make([]byte, 4096)
	err := network.Run(t.Context(), 2, func(h dimmnet.Host) error {
		p := h.Port()
		if p.Rank() == 1 {
			<-compute
			_, err := Await(p, Stop)
			return err
		}
		posted := 0
		for tries := 0; tries < 200 && posted < most; tries++ {
			for posted < most && p.Write(1, 4096, page) {
				posted++
			}
			time.Sleep(time.Millisecond) // lets goroutines and the system accept more bytes
		}
		close(compute)
		if posted == most {
			t.Errorf("%d pages are posted, and none is refused: want a refusal", posted)
		}
		if err := Post(p, func() bool { return p.Write(1, 4096, page) }); err != nil {
			return err
		}
		return Signal(p, Stop)
	})
	if err != nil {
		t.Error(err)
	}
}

// ManyPeers checks that each rank hears from all others. There are more of them than stream.few.
func ManyPeers(t *testing.T, network dimmnet.Network) {
	t.Helper()
	const nodes, rounds = 8, 50
	err := network.Run(t.Context(), nodes, func(h dimmnet.Host) error {
		for round := uint64(1); round <= rounds; round++ {
			if err := Barrier(h.Port(), round); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Loss checks that the run fails on all ranks when OnLoss tells one rank that another is gone.
func Loss(t *testing.T, join func(m dimmnet.Member) dimmnet.Network) {
	t.Helper()
	const nodes = 3
	m, lost := NewMeeting(nodes), make(chan func(dimmnet.Rank, error), nodes)
	var results []chan error
	for rank := range dimmnet.Rank(nodes) {
		results = append(results, Start(join(Member{At: m, Self: rank, Lost: lost}), nodes, Untouched))
	}
	(<-lost)(2, errors.New("no heartbeat"))
	for rank, result := range results {
		if err := Result(t, result); err == nil || !strings.Contains(err.Error(), "rank 2") || !strings.Contains(err.Error(), "no heartbeat") {
			t.Errorf("rank %d: Run returned %v, want an error with rank 2 and the reason", rank, err)
		}
	}
}
