package movement

import (
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// limitedPort has limits. It moves nothing.
type limitedPort struct {
	dimmnet.Port
	limits dimmnet.Limits
}

func (p limitedPort) Rank() dimmnet.Rank     { return 0 }
func (p limitedPort) Limits() dimmnet.Limits { return p.limits }

// TestBulkOfPorts checks how much of a port's RDMA and bulk memory is used, and how little
// suffices.
func TestBulkOfPorts(t *testing.T) {
	for _, test := range []struct{ rdma, bulk, piece, memory int }{
		{8, 32, 8, 32}, {15, 39, 8, 32}, {64<<10 - 1, 4097, 64<<10 - 8, 4096}, {1 << 20, 1 << 40, 64 << 10, 1<<32 - 8},
		{7, 32, 0, 0}, {8, 31, 0, 0},
	} {
		p := limitedPort{limits: dimmnet.Limits{RDMA: test.rdma, LLCM: 128 << 10, Bulk: test.bulk}}
		if able := CanPush(p.limits); able != (test.piece > 0) {
			t.Errorf("%+v: a port that can push: %t", test, able)
		} else if able {
			m := New(p, nil, 0, nil)
			m.UsePush(PushConfig{})
			if b := m.Push(); b.piece != test.piece || b.memory != (span{128 << 10, test.memory}) {
				t.Errorf("%+v: PUSHes of %d bytes, memory %+v", test, b.piece, b.memory)
			}
		}
	}
}

// TestNoRing checks that Mover.Peer panics for a rank to which there is no ring.
func TestNoRing(t *testing.T) {
	m := Mover{Peers: []dimmnet.Rank{1, 4}}
	if m.Peer(1) != 0 || m.Peer(4) != 1 {
		t.Errorf("ranks 1 and 4 have indexes %d and %d", m.Peer(1), m.Peer(4))
	}
	defer func() {
		if got := recover(); got != "phase: rank 0 has no ring to rank 2" {
			t.Errorf("panic %v", got)
		}
	}()
	t.Errorf("rank 2 has index %d", m.Peer(2))
}
