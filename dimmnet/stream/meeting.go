package stream

import (
	"context"
	"sync"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// meeting is where the ranks of one process wait for each other, once. Either all have
// met or none has.
type meeting struct {
	mu     sync.Mutex
	blobs  [][]byte
	here   int
	called bool          // off, because one could not wait any more
	all    chan struct{} // closed when all are here
}

func newMeeting(nodes int) *meeting {
	return &meeting{blobs: make([][]byte, nodes), all: make(chan struct{})}
}

// gather is Member's Gather.
func (m *meeting) gather(ctx context.Context, rank dimmnet.Rank, own []byte) ([][]byte, error) {
	m.mu.Lock()
	m.blobs[rank] = own
	if m.here++; m.here == len(m.blobs) && !m.called {
		close(m.all)
	}
	m.mu.Unlock()
	select {
	case <-m.all:
		return m.blobs, nil
	case <-ctx.Done():
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.here == len(m.blobs) && !m.called {
		return m.blobs, nil
	}
	m.called = true
	return nil, dimmnet.ContextErr(ctx)
}

// guest is a rank of which all others are in this process.
type guest struct {
	addresses *meeting
	start     *meeting
	rank      dimmnet.Rank
}

func (g guest) Rank() dimmnet.Rank               { return g.rank }
func (g guest) Size() int                        { return len(g.addresses.blobs) }
func (g guest) OnLoss(func(dimmnet.Rank, error)) {}

func (g guest) Gather(ctx context.Context, own []byte) ([][]byte, error) {
	return g.addresses.gather(ctx, g.rank, own)
}
