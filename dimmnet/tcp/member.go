package tcp

import (
	"context"
	"errors"
	"sync"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Member is a process's place among those of a job.
type Member interface {
	Rank() dimmnet.Rank
	Size() int
	// Gather gives this rank's bytes to all and returns those of all ranks, in order, the
	// own ones included. It is a barrier of all ranks. What it carries is a secret of the
	// job.
	Gather(ctx context.Context, own []byte) ([][]byte, error)
	// OnLoss says who is called when the process of a rank has ended before its Run.
	OnLoss(lost func(rank dimmnet.Rank, why error))
}

// meeting is where the ranks of one process gather.
type meeting struct {
	mu    sync.Mutex
	blobs [][]byte
	here  int
	all   chan struct{} // closed when all are here
}

func newMeeting(nodes int) *meeting {
	return &meeting{blobs: make([][]byte, nodes), all: make(chan struct{})}
}

// guest is a rank of a meeting.
type guest struct {
	*meeting
	rank dimmnet.Rank
}

func (g guest) Rank() dimmnet.Rank               { return g.rank }
func (g guest) Size() int                        { return len(g.blobs) }
func (g guest) OnLoss(func(dimmnet.Rank, error)) {}

func (g guest) Gather(ctx context.Context, own []byte) ([][]byte, error) {
	g.mu.Lock()
	g.blobs[g.rank] = own
	if g.here++; g.here == len(g.blobs) {
		close(g.all)
	}
	g.mu.Unlock()
	select {
	case <-g.all:
		return g.blobs, nil
	case <-ctx.Done():
		return nil, errors.New("not all ranks have come")
	}
}
