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

// member is the membership of one rank: one machine, over the wire of one host (packets) or of
// several (stream). At rank 0 ranks meet in rendezvous.go; the others begin in dial.go. Then come
// collective calls (exchange.go), and at any time messages and losses (watch.go), pings
// (suspect.go) and notes. Hosts adds gossip, by which ranks find rank 0 and suspect each other.
type member struct {
	place    Place
	spec     Spec // with the default of Stall
	own      hello
	wire     wire
	listener net.Listener   // rank 0 only
	refusals func() string  // the end of an error text about missing ranks; may be nil
	joined   chan struct{}  // closed at rank 0 when all ranks have joined
	broken   chan struct{}  // closed when the job has failed
	ending   chan struct{}  // closed when this rank leaves the job
	readers  sync.WaitGroup // goroutines that read from a connection or wait for one
	notices  sync.WaitGroup // goroutines that send without waiting, for example about a failure

	notes notes // what ranks say about themselves

	calls  sync.Mutex // held during a collective call; guards call and closed
	call   uint32     // number of collective calls so far
	closed bool

	mu         sync.Mutex // guards the fields up to over
	peers      []*peer    // rank 0: by rank, without itself; other ranks: rank 0 alone
	rendezvous rendezvous // rank 0 only
	failed     *Failed
	over       bool // this process is closing its connections; their end is then no failure

	lossMu       sync.Mutex                         // held while onLoss is called
	onLoss       func(rank dimmnet.Rank, why error) // may be nil
	lossReported bool                               // onLoss has been called
}

// wire connects the processes of a job.
type wire interface {
	// accept authenticates a socket. It returns errForeign for a process of another user.
	accept(socket net.Conn) (conn, error)
	// dial connects to rank 0. If err is not nil, final reports that a retry is pointless.
	dial(ctx context.Context) (c conn, final bool, err error)
}

var errForeign = errors.New("cluster: a process of another user")

// conn carries messages between two processes.
type conn interface {
	// send sends a message. Several goroutines may call it. The caller keeps the files.
	send(m message) error
	// receive waits for a message. The body is valid until the next call; the caller owns the
	// files. The error is io.EOF if the other end has closed.
	receive() (message, error)
	remote() string
	// checkRank returns an error if the process at the other end cannot be the given rank.
	checkRank(rank int) error
	SetDeadline(t time.Time) error
	SetWriteDeadline(t time.Time) error
	Close() error
}

// Failed is the error of a job that has failed.
type Failed struct {
	Rank  dimmnet.Rank // the rank that caused the failure
	Why   string       // the error text, which names the rank
	cause error        // nil if another process reported the failure
}

// Error returns f.Why.
func (f *Failed) Error() string { return f.Why }

// Unwrap returns the underlying error if this process detected the failure.
func (f *Failed) Unwrap() error { return f.cause }

// Rank returns the rank of this process.
func (m *member) Rank() dimmnet.Rank { return dimmnet.Rank(m.place.Rank) }

// Size returns the number of ranks in the job.
func (m *member) Size() int { return m.place.Size }

// Gather sends blob, at most 1 MiB, to all ranks and returns the blobs of all ranks, indexed by
// rank. It is collective: it returns when all ranks have called it, when ctx is done, or when the
// job fails.
func (m *member) Gather(ctx context.Context, blob []byte) ([][]byte, error) {
	if len(blob) > maxBlob {
		return nil, fmt.Errorf("cluster: Gather of %d bytes: want at most %d", len(blob), maxBlob)
	}
	shares, err := m.exchange(ctx, kindBlob, share{blob: blob})
	if err != nil {
		return nil, err
	}
	blobs := make([][]byte, len(shares))
	for rank, s := range shares {
		blobs[rank] = s.blob
	}
	return blobs, nil
}

// OnLoss sets the function that is called, once, when the job fails because of another rank, for
// example because its process ended before Close. If the job has already failed, OnLoss calls
// lost at once. A nil lost removes the function. The function must not call OnLoss.
func (m *member) OnLoss(lost func(rank dimmnet.Rank, why error)) {
	m.lossMu.Lock()
	m.onLoss = lost
	m.lossMu.Unlock()
	m.reportLoss()
}

func (m *member) reportLoss() {
	m.lossMu.Lock()
	defer m.lossMu.Unlock()
	m.mu.Lock()
	failed := m.failed
	m.mu.Unlock()
	if failed == nil || m.lossReported || m.onLoss == nil || failed.Rank == m.Rank() {
		return
	}
	m.lossReported = true
	m.onLoss(failed.Rank, failed)
}

// Close leaves the job. At rank 0, which detects and announces losses, Close waits until all
// other ranks have called it, the job fails, or ctx is done; a done ctx fails the job. Close
// returns the failure of the job unless an earlier call has returned it.
func (m *member) Close(ctx context.Context) error {
	m.calls.Lock()
	defer m.calls.Unlock()
	if m.closed {
		return nil
	}
	m.closed = true
	var err error
	if m.failure() == nil {
		err = m.leave(ctx)
	}
	m.shutdown()
	return err
}

// leave ends this rank's part in the job: rank 0 waits for goodbyes, other ranks send one.
func (m *member) leave(ctx context.Context) error {
	if m.Rank() != 0 {
		m.sendRest() // rank 0 ignores what comes after the goodbye
		// Without the goodbye, rank 0 counts this rank as lost.
		_ = m.peers[0].send(message{kind: kindGoodbye, rank: m.Rank()})
		return nil
	}
	stop := context.AfterFunc(ctx, func() {
		m.fail(0, fmt.Errorf("cluster: rank 0 stops waiting for the others to close: %w", dimmnet.ContextErr(ctx)))
	})
	defer stop()
	for _, p := range m.peers[1:] {
		if err := m.awaitLeave(p); err != nil {
			return err
		}
	}
	return nil
}

// sendRest waits until all messages of goroutines have been sent. No goroutine begins another one.
func (m *member) sendRest() {
	m.mu.Lock()
	m.over = true
	peers := m.peers
	m.mu.Unlock()
	for _, p := range peers {
		if p != nil {
			_ = p.SetWriteDeadline(time.Now().Add(noticeTimeout)) // the peer may be stopped
		}
	}
	m.notices.Wait()
}

// awaitLeave waits until p leaves the job. It pings p meanwhile, which may be stopped.
func (m *member) awaitLeave(p *peer) error {
	tick := time.Tick(pingPause)
	for {
		select {
		case <-p.gone:
			return nil
		case <-m.broken:
			return m.failure()
		case b := <-p.inbox:
			b.close()
			m.fail(p.rank, fmt.Errorf("cluster: rank %d calls %v, but rank 0 calls Close: all ranks must make the same calls", p.rank, b.kind))
			return m.failure()
		case <-tick:
			m.confirm(p, nil, nil)
		}
	}
}

// shutdown closes the connections and waits for the goroutines. It sends nothing.
func (m *member) shutdown() {
	m.mu.Lock()
	m.over = true // the rendezvous gets no more connections
	peers := m.peers
	m.rendezvous.close()
	m.mu.Unlock()
	close(m.ending)
	m.sendRest()
	if m.listener != nil {
		_ = m.listener.Close() // the error has no consequence
	}
	for _, p := range peers {
		if p != nil {
			_ = p.Close() // everything has been sent
		}
	}
	m.readers.Wait()
	for _, p := range peers {
		if p != nil {
			p.drop()
		}
	}
}
