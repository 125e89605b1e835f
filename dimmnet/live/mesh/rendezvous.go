package mesh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

const (
	// HandshakeTime bounds the handshake of a pending connection.
	HandshakeTime = 5 * time.Second
	// maxPending bounds the pending connections; further connections wait in the listener.
	maxPending = 128
	// maxDialing bounds the calls of Connect that dial at the same time. So handshakes end within
	// HandshakeTime even when all ranks of a busy machine connect to all others.
	maxDialing = 8
	// maxHangUps bounds how often a rank is dialed again after it hung up without an answer. It
	// does so when a handshake takes longer than HandshakeTime.
	maxHangUps = 3
	// retryPause is the time between two attempts to dial a host that is unreachable, or to accept
	// a connection when the system has no descriptor for it.
	retryPause = 50 * time.Millisecond
)

// Methods connect two ranks. Raw is the type of a connection before the handshake, Conn after it.
type Methods[Raw, Conn any] struct {
	// Accept returns the next connection. When the listener is closed, it returns net.ErrClosed.
	// After another error it is called again.
	Accept func(ctx context.Context) (Raw, error)
	// Handshake authenticates a connection that Accept returned, and returns the rank that dialed.
	Handshake func(ctx context.Context, raw Raw) (dimmnet.Rank, Conn, error)
	// Refuse closes a connection that Accept returned.
	Refuse func(raw Raw)
	// Answer tells the rank that dialed whether its connection is admitted. It may be nil.
	Answer func(ctx context.Context, conn Conn, admitted bool) error
	// Dial connects to peer at an address, and performs the handshake. It returns ErrCrossed if
	// the peer answers that its connection is not admitted.
	Dial func(ctx context.Context, peer dimmnet.Rank, address string) (Conn, error)
	// Retry reports whether an error of Dial may be due to a network that does not work yet.
	Retry func(err error) bool
	// Close closes the listener. Accept then returns net.ErrClosed.
	Close func()
}

// Rendezvous connects a rank to others.
type Rendezvous[Raw, Conn any] struct {
	network  string
	self     dimmnet.Rank
	methods  Methods[Raw, Conn]
	pending  sync.WaitGroup
	complete chan struct{}             // closed when all higher ranks are connected
	expected func(r dimmnet.Rank) bool // whether rank r is connected at the start
	dialing  chan struct{}             // holds an element for each Connect that dials

	mu        sync.Mutex
	conns     []Conn         // by rank
	connected []bool         // by rank: the peer knows, or learns next, that it is connected
	placed    []bool         // by rank: conns, late or server has the connection
	dials     []func()       // by rank: ends the wait of a Connect; nil if there is none
	missing   int            // number of expected higher ranks that are not placed
	accepting error          // the error of the last Accept
	taken     bool           // Take was called
	late      []dimmnet.Rank // placed in conns after Take
	server    *Server[Conn]  // nil before Serve
}

// NewRendezvous returns a rendezvous for rank self, which puts connections into conns, by rank.
// All ranks for which expected returns true are connected at the start. If expected is nil, these
// are all other ranks, and no lower rank dials this one.
func NewRendezvous[Raw, Conn any](network string, self dimmnet.Rank, conns []Conn, expected func(dimmnet.Rank) bool, methods Methods[Raw, Conn]) *Rendezvous[Raw, Conn] {
	r := &Rendezvous[Raw, Conn]{
		network: network, self: self, methods: methods, expected: expected,
		complete: make(chan struct{}), dialing: make(chan struct{}, maxDialing),
		conns: conns, connected: make([]bool, len(conns)), placed: make([]bool, len(conns)), dials: make([]func(), len(conns)),
	}
	for peer := int(self) + 1; peer < len(conns); peer++ {
		if r.expects(dimmnet.Rank(peer)) {
			r.missing++
		}
	}
	if r.missing == 0 {
		close(r.complete)
	}
	return r
}

func (r *Rendezvous[Raw, Conn]) expects(peer dimmnet.Rank) bool {
	return r.expected == nil || r.expected(peer)
}

// Accept starts to admit higher ranks, if there are any, until ctx is done or Close is called. An
// error of one connection, or of a system short of descriptors, does not keep later ones out.
func (r *Rendezvous[Raw, Conn]) Accept(ctx context.Context) {
	if int(r.self) == len(r.conns)-1 && r.expected == nil {
		return
	}
	slots := make(chan struct{}, maxPending)
	r.pending.Go(func() {
		for {
			raw, ok := r.acceptOne(ctx)
			if !ok {
				return
			}
			select {
			case slots <- struct{}{}:
				r.pending.Go(func() { r.handshake(ctx, raw); <-slots })
			case <-ctx.Done():
				r.methods.Refuse(raw)
			}
		}
	})
}

// acceptOne returns the next connection; ok is false if ctx is done or the listener is closed.
func (r *Rendezvous[Raw, Conn]) acceptOne(ctx context.Context) (raw Raw, ok bool) {
	for {
		raw, err := r.methods.Accept(ctx)
		if err != nil && (ctx.Err() != nil || errors.Is(err, net.ErrClosed)) {
			return raw, false
		}
		r.mu.Lock()
		r.accepting = err
		r.mu.Unlock()
		if err == nil {
			return raw, true
		}
		if !pause(ctx) {
			return raw, false
		}
	}
}

// pause waits for retryPause. It returns false if ctx is done earlier.
func pause(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(retryPause):
		return true
	}
}

// handshake admits a pending connection if it comes from a rank of this run that may dial.
func (r *Rendezvous[Raw, Conn]) handshake(ctx context.Context, raw Raw) {
	ctx, cancel := context.WithTimeout(ctx, HandshakeTime)
	defer cancel()
	peer, conn, err := r.methods.Handshake(ctx, raw)
	if err != nil {
		r.methods.Refuse(raw)
		return
	}
	verdict := r.admit(peer, conn)
	if r.methods.Answer != nil && verdict != refused {
		// If the answer is lost, an admitted connection ends, and with it the run.
		_ = r.methods.Answer(ctx, conn, verdict == welcome)
	}
	if verdict != welcome {
		r.methods.Refuse(raw)
		return
	}
	r.place(peer, conn)
}

// verdict is what admit decides about a connection.
type verdict uint8

const (
	refused verdict = iota // the peer must not dial, or is connected
	crossed                // this rank dials the peer, and keeps its own connection
	welcome                // the peer is connected
)

// admit decides about an authenticated connection. If two ranks dial each other at once, both keep
// the connection that the higher rank dialed: only one exists at any time, because a rank that has
// admitted a connection does not dial.
func (r *Rendezvous[Raw, Conn]) admit(peer dimmnet.Rank, conn Conn) verdict {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.connected[peer] || peer < r.self && r.expected == nil:
		return refused
	case peer < r.self && r.dials[peer] != nil:
		return crossed
	}
	r.connected[peer] = true
	if r.server != nil {
		r.server.Expect(peer)
	}
	return welcome
}

// place passes a connection on after the peer has learned that it is connected.
func (r *Rendezvous[Raw, Conn]) place(peer dimmnet.Rank, conn Conn) {
	r.mu.Lock()
	r.placed[peer] = true
	server := r.server
	if server == nil {
		r.conns[peer] = conn
		if r.taken {
			r.late = append(r.late, peer)
		}
	}
	if peer > r.self && r.expects(peer) {
		if r.missing--; r.missing == 0 {
			close(r.complete)
		}
	}
	r.mu.Unlock()
	if server != nil {
		server.Pass(peer, conn)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if end := r.dials[peer]; end != nil {
		end()
	}
}

// Dial connects to all lower ranks that are expected. It gives up a little before ctx ends,
// because it knows which address does not answer; a rank that waits knows only that this one has
// not connected.
func (r *Rendezvous[Raw, Conn]) Dial(ctx context.Context, endpoints []*Endpoint) error {
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end.Add(-time.Until(end)/8))
		defer cancel()
	}
	for peer := range r.self {
		if !r.expects(peer) {
			continue
		}
		if err := r.dialStart(ctx, peer, endpoints[peer].Addresses); err != nil {
			err = fmt.Errorf("%s: connecting to rank %d: %w", r.network, peer, err)
			if timeout := net.Error(nil); errors.As(err, &timeout) && timeout.Timeout() {
				err = noAnswer{err}
			}
			return unconnected{err, r.network, peer}
		}
	}
	return nil
}

// noAnswer is the error of a rank that did not answer by the deadline of a context.
type noAnswer struct{ error }

func (n noAnswer) Error() string      { return n.error.Error() + ": is the port open?" }
func (n noAnswer) Unwrap() error      { return n.error }
func (noAnswer) Is(target error) bool { return target == context.DeadlineExceeded }

// unconnected is the error of a rank that cannot connect at the start of a run: it considers peer
// gone. For errors.As it is a *dimmnet.Failed.
type unconnected struct {
	error
	network string
	peer    dimmnet.Rank
}

func (u unconnected) Unwrap() error { return u.error }

// As implements errors.As.
func (u unconnected) As(target any) bool {
	f, ok := target.(**dimmnet.Failed)
	if ok {
		*f = &dimmnet.Failed{Network: u.network, Rank: u.peer, Lost: u.error}
	}
	return ok
}

// dialStart connects to a lower rank at the start of a run.
func (r *Rendezvous[Raw, Conn]) dialStart(ctx context.Context, peer dimmnet.Rank, addresses []string) error {
	conn, err := r.dialRank(ctx, peer, addresses)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.conns[peer], r.connected[peer], r.placed[peer] = conn, true, true
	return nil
}

// dialRank connects to a rank. It tries again while an address may become reachable, and a few
// times if the rank hangs up.
func (r *Rendezvous[Raw, Conn]) dialRank(ctx context.Context, peer dimmnet.Rank, addresses []string) (Conn, error) {
	for hangUps := 0; ; {
		conn, err := r.dialOnce(ctx, peer, addresses)
		if hungUp(err) {
			hangUps++
		} else if err == nil || !r.methods.Retry(err) {
			return conn, err
		}
		if hangUps == maxHangUps || !pause(ctx) {
			return conn, err
		}
	}
}

// hungUp reports whether a peer closed a connection before the end of its handshake.
func hungUp(err error) bool {
	for _, e := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// dialOnce tries each address once. The remaining time is divided evenly among the addresses.
func (r *Rendezvous[Raw, Conn]) dialOnce(ctx context.Context, peer dimmnet.Rank, addresses []string) (none Conn, _ error) {
	var failures []error
	for i, address := range addresses {
		end, _ := ctx.Deadline()
		one, cancel := context.WithTimeout(ctx, time.Until(end)/time.Duration(len(addresses)-i))
		conn, err := r.methods.Dial(one, peer, address)
		cancel()
		if err == nil || errors.Is(err, ErrCrossed) {
			return conn, err
		}
		failures = append(failures, fmt.Errorf("%s: %w", address, err))
	}
	return none, errors.Join(failures...)
}

// Wait returns nil when all higher ranks are connected, and an error if ctx is done earlier.
func (r *Rendezvous[Raw, Conn]) Wait(ctx context.Context) error {
	select {
	case <-r.complete:
		return nil
	case <-ctx.Done():
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for rank := int(r.self) + 1; rank < len(r.conns); rank++ {
		if !r.placed[rank] && r.expects(dimmnet.Rank(rank)) {
			err := fmt.Errorf("%s: %d of %d ranks have not connected, the lowest is rank %d: %w", r.network, r.missing, len(r.conns), rank, dimmnet.ContextErr(ctx))
			if r.accepting != nil {
				return fmt.Errorf("%w: this rank cannot accept connections: %w", err, r.accepting)
			}
			return unconnected{err, r.network, dimmnet.Rank(rank)}
		}
	}
	return nil
}

// Close closes the listener, and waits for pending connections. The context of Accept must be done.
func (r *Rendezvous[Raw, Conn]) Close() {
	r.methods.Close()
	r.pending.Wait()
}
