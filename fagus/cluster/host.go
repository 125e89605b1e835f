package cluster

import (
	"context"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// HostConfig says how JoinHost joins. The zero value is useful.
type HostConfig struct {
	// Timeout is how long JoinHost waits for the other ranks, a day at most. 0 means
	// 10 seconds. The shortest of all ranks counts.
	Timeout time.Duration
}

const (
	defaultTimeout = 10 * time.Second
	maxPatience    = 24 * time.Hour
)

// Host is a rank's membership in a job all of whose ranks are processes of this host. It
// is a shm.Member.
//
// Swap, Gather and Close are collective: all ranks call the same ones in the same order,
// and a Host makes one call at a time. A Host that has failed stays failed, and so do
// those of all other ranks.
type Host struct {
	place    Place
	own      hello
	listener *net.UnixListener // of rank 0
	joined   chan struct{}     // closed at rank 0 when all ranks have come
	broken   chan struct{}     // closed when the job has failed
	readers  sync.WaitGroup    // goroutines that read from a connection, or wait for one
	notices  sync.WaitGroup    // goroutines that tell a peer of a failure

	calls  sync.Mutex // held by a call; guards what follows
	call   uint32
	closed bool

	mu     sync.Mutex // guards what follows
	peers  []*peer    // by rank: rank 0 has all others, another rank has rank 0 alone
	hall   hall       // of rank 0
	failed *Failed
	over   bool // what ends from now on is closed by this process

	lossMu sync.Mutex // held while lost is called
	lost   func(rank dimmnet.Rank, why error)
	told   bool // of the loss
}

// Failed is why a job has failed.
type Failed struct {
	Rank  dimmnet.Rank // that is gone, has given up, or has made a mistake
	Why   string
	cause error
}

// Error is in words, which name the rank.
func (f *Failed) Error() string { return f.Why }

// Unwrap is the error itself if the job has failed in this process.
func (f *Failed) Unwrap() error { return f.cause }

// Rank is this process's.
func (h *Host) Rank() dimmnet.Rank { return dimmnet.Rank(h.place.Rank) }

// Size is how many ranks the job has.
func (h *Host) Size() int { return h.place.Size }

// Swap gives this rank's file to all ranks and returns those of all, in the order of the
// ranks; the own one is own itself. It returns when all ranks have called it: within
// ctx, or when the job has failed. The files are the caller's, and own is so after an error
// too.
func (h *Host) Swap(ctx context.Context, own *os.File) ([]*os.File, error) {
	shares, err := h.exchange(ctx, kindFiles, share{file: own})
	if err != nil {
		return nil, err
	}
	files := make([]*os.File, len(shares))
	for rank, s := range shares {
		files[rank] = s.file
	}
	return files, nil
}

// Gather gives blob, 1 MiB at most, to all ranks and returns those of all, in the order of
// the ranks. It returns as Swap does.
func (h *Host) Gather(ctx context.Context, blob []byte) ([][]byte, error) {
	if len(blob) > maxBlob {
		return nil, fmt.Errorf("cluster: a blob of %d bytes: %d are the most", len(blob), maxBlob)
	}
	shares, err := h.exchange(ctx, kindBlob, share{blob: blob})
	if err != nil {
		return nil, err
	}
	blobs := make([][]byte, len(shares))
	for rank, s := range shares {
		blobs[rank] = s.blob
	}
	return blobs, nil
}

// OnLoss says who is called, once, when the job fails because of another rank: its
// process has ended before it called Close, say. If that is so already it is called at
// once. nil: nobody from now on. lost must not call OnLoss.
func (h *Host) OnLoss(lost func(rank dimmnet.Rank, why error)) {
	h.lossMu.Lock()
	h.lost = lost
	h.lossMu.Unlock()
	h.tell()
}

// tell calls who wants to know of a loss, if there is one.
func (h *Host) tell() {
	h.lossMu.Lock()
	defer h.lossMu.Unlock()
	h.mu.Lock()
	failed := h.failed
	h.mu.Unlock()
	if failed == nil || h.told || h.lost == nil || failed.Rank == h.Rank() {
		return
	}
	h.told = true
	h.lost(failed.Rank, failed)
}

// Close leaves the job. At rank 0, which is who notices losses and tells the others, it
// waits until all others have called it, until the job fails, or until ctx is done, which
// fails the job. It returns that failure, unless a call has done so before.
func (h *Host) Close(ctx context.Context) error {
	h.calls.Lock()
	defer h.calls.Unlock()
	if h.closed {
		return nil
	}
	h.closed = true
	var err error
	if h.failure() == nil {
		err = h.part(ctx)
	}
	h.release()
	return err
}

// part says goodbye.
func (h *Host) part(ctx context.Context) error {
	if h.Rank() != 0 {
		p := h.peers[0]
		_ = p.socket.SetWriteDeadline(time.Now().Add(noticeTimeout))
		_ = p.send(message{kind: kindGoodbye, rank: h.Rank()}) // or else rank 0 counts this one as lost
		return nil
	}
	stop := context.AfterFunc(ctx, func() {
		h.fail(0, fmt.Errorf("cluster: rank 0 closes and does not wait for the others: %w", dimmnet.ContextErr(ctx)))
	})
	defer stop()
	for _, p := range h.peers[1:] {
		select {
		case <-p.gone:
		case <-h.broken:
			return h.failure()
		case b := <-p.inbox:
			b.close()
			h.fail(p.rank, fmt.Errorf("cluster: rank %d calls %v and rank 0 Close: all ranks must make the same calls", p.rank, b.kind))
			return h.failure()
		}
	}
	return nil
}

// release gives back all that the Host has. Nobody is told.
func (h *Host) release() {
	h.mu.Lock()
	h.over = true
	peers := h.peers
	h.hall.close()
	h.mu.Unlock()
	h.notices.Wait()
	if h.listener != nil {
		_ = h.listener.Close() // nobody waits for it
	}
	for _, p := range peers {
		if p != nil {
			_ = p.socket.Close() // all that had to be sent is sent
		}
	}
	h.readers.Wait()
	for _, p := range peers {
		if p != nil {
			p.drop()
		}
	}
}
