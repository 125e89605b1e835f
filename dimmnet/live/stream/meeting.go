package stream

import (
	"context"
	"sync"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// meeting is a barrier of the ranks of one process, used once. All ranks pass it, or none does.
type meeting struct {
	mu        sync.Mutex
	blobs     [][]byte // by rank
	arrived   int
	cancelled bool          // a rank could not wait any longer
	complete  chan struct{} // closed when all have arrived
}

func newMeeting(nodes int) *meeting {
	return &meeting{blobs: make([][]byte, nodes), complete: make(chan struct{})}
}

// gather implements Gather of a dimmnet.Member.
func (m *meeting) gather(ctx context.Context, rank dimmnet.Rank, own []byte) ([][]byte, error) {
	m.mu.Lock()
	m.blobs[rank] = own
	if m.arrived++; m.arrived == len(m.blobs) && !m.cancelled {
		close(m.complete)
	}
	m.mu.Unlock()
	select {
	case <-m.complete:
		return m.blobs, nil
	case <-ctx.Done():
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.arrived == len(m.blobs) && !m.cancelled {
		return m.blobs, nil
	}
	m.cancelled = true
	return nil, dimmnet.ContextErr(ctx)
}

// localMember is the dimmnet.Member of a rank whose peers are all in this process.
type localMember struct {
	addresses *meeting // exchanges the endpoints
	start     *meeting // passed when all ranks are connected
	rank      dimmnet.Rank
}

func (m localMember) Rank() dimmnet.Rank               { return m.rank }
func (m localMember) Size() int                        { return len(m.addresses.blobs) }
func (m localMember) OnLoss(func(dimmnet.Rank, error)) {}

func (m localMember) Gather(ctx context.Context, own []byte) ([][]byte, error) {
	return m.addresses.gather(ctx, m.rank, own)
}
