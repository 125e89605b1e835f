package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

const (
	defaultTimeout = 10 * time.Second
	maxPatience    = 24 * time.Hour
)

// member is a rank's membership in a job, however the ranks are connected.
type member struct {
	place    Place
	own      hello
	wire     wire
	listener net.Listener   // of rank 0
	joined   chan struct{}  // closed at rank 0 when all ranks have come
	broken   chan struct{}  // closed when the job has failed
	ending   chan struct{}  // closed when this rank leaves
	readers  sync.WaitGroup // goroutines that read from a connection, or wait for one
	notices  sync.WaitGroup // goroutines that tell a peer of a failure

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

// wire is how the processes of a job are connected.
type wire interface {
	// greet makes a connection of a socket that was accepted, and has it show that it may
	// be of a rank. The error is errForeign if it certainly is not.
	greet(socket net.Conn) (conn, error)
	// call connects to rank 0. final says that there is no use in trying again.
	call(ctx context.Context) (c conn, final bool, err error)
}

// errForeign is the error of a process that has no business here.
var errForeign = errors.New("cluster: a process of another user")

// conn carries messages between two processes.
type conn interface {
	// send is for several goroutines. The files stay the caller's.
	send(m message) error
	// receive waits for a message. Its body lasts until the next one; its files are the
	// caller's. io.EOF says that the other end is closed.
	receive() (message, error)
	// remote is the process at the other end in words.
	remote() string
	// vouch is the error if the process at the other end cannot be this rank.
	vouch(rank int) error
	SetDeadline(t time.Time) error
	SetWriteDeadline(t time.Time) error
	Close() error
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
func (h *member) Rank() dimmnet.Rank { return dimmnet.Rank(h.place.Rank) }

// Size is how many ranks the job has.
func (h *member) Size() int { return h.place.Size }

// Gather gives blob, 1 MiB at most, to all ranks and returns those of all, in the order of
// the ranks. It returns as Swap does.
func (h *member) Gather(ctx context.Context, blob []byte) ([][]byte, error) {
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
func (h *member) OnLoss(lost func(rank dimmnet.Rank, why error)) {
	h.lossMu.Lock()
	h.lost = lost
	h.lossMu.Unlock()
	h.tell()
}

// tell calls who wants to know of a loss, if there is one.
func (h *member) tell() {
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
func (h *member) Close(ctx context.Context) error {
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
func (h *member) part(ctx context.Context) error {
	if h.Rank() != 0 {
		p := h.peers[0]
		_ = p.SetWriteDeadline(time.Now().Add(noticeTimeout))
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
func (h *member) release() {
	h.mu.Lock()
	h.over = true
	peers := h.peers
	h.hall.close()
	h.mu.Unlock()
	close(h.ending)
	for _, p := range peers {
		if p != nil {
			_ = p.SetWriteDeadline(time.Now().Add(noticeTimeout)) // it may read nothing
		}
	}
	h.notices.Wait()
	if h.listener != nil {
		_ = h.listener.Close() // nobody waits for it
	}
	for _, p := range peers {
		if p != nil {
			_ = p.Close() // all that had to be sent is sent
		}
	}
	h.readers.Wait()
	for _, p := range peers {
		if p != nil {
			p.drop()
		}
	}
}
