package mesh

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
	// HandshakeTime bounds the handshake of a pending connection.
	HandshakeTime = 5 * time.Second
	// maxPending bounds the pending connections; further connections wait in the listener.
	maxPending = 128
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
	// Dial connects to peer at an address, and performs the handshake.
	Dial func(ctx context.Context, peer dimmnet.Rank, address string) (Conn, error)
	// Retry reports whether an error of Dial may be due to a network that does not work yet.
	Retry func(err error) bool
	// Close closes the listener. Accept then returns net.ErrClosed.
	Close func()
}

// Rendezvous connects a rank to all others.
type Rendezvous[Raw, Conn any] struct {
	network  string
	self     dimmnet.Rank
	methods  Methods[Raw, Conn]
	pending  sync.WaitGroup
	complete chan struct{} // closed when all higher ranks are connected

	mu        sync.Mutex
	conns     []Conn // by rank
	connected []bool // by rank: whether conns has the connection
	missing   int    // number of higher ranks that are not connected
	accepting error  // the error of the last Accept
}

// NewRendezvous returns a rendezvous for rank self, which puts connections into conns, by rank.
func NewRendezvous[Raw, Conn any](network string, self dimmnet.Rank, conns []Conn, methods Methods[Raw, Conn]) *Rendezvous[Raw, Conn] {
	r := &Rendezvous[Raw, Conn]{
		network: network, self: self, methods: methods,
		complete: make(chan struct{}),
		conns:    conns, connected: make([]bool, len(conns)), missing: len(conns) - 1 - int(self),
	}
	if r.missing == 0 {
		close(r.complete)
	}
	return r
}

// Accept starts to admit higher ranks, if there are any, until ctx is done or Close is called. An
// error of one connection, or of a system short of descriptors, does not keep later ones out.
func (r *Rendezvous[Raw, Conn]) Accept(ctx context.Context) {
	if int(r.self) == len(r.conns)-1 {
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

// pause waits for retryPause. It returns false if ctx is done before.
func pause(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(retryPause):
		return true
	}
}

// handshake admits a pending connection if it comes from a higher rank of this run.
func (r *Rendezvous[Raw, Conn]) handshake(ctx context.Context, raw Raw) {
	ctx, cancel := context.WithTimeout(ctx, HandshakeTime)
	defer cancel()
	peer, conn, err := r.methods.Handshake(ctx, raw)
	if err != nil || !r.admit(peer, conn) {
		r.methods.Refuse(raw)
	}
}

func (r *Rendezvous[Raw, Conn]) admit(peer dimmnet.Rank, conn Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.connected[peer] || r.missing == 0 {
		return false
	}
	r.conns[peer], r.connected[peer] = conn, true
	if r.missing--; r.missing == 0 {
		close(r.complete)
	}
	return true
}

// Dial connects to all lower ranks. It gives up a little before ctx ends, because it knows which
// address does not answer; a rank that waits for this one knows only that it has not come.
func (r *Rendezvous[Raw, Conn]) Dial(ctx context.Context, endpoints []*Endpoint) error {
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end.Add(-time.Until(end)/8))
		defer cancel()
	}
	for peer := range r.self {
		if err := r.dialRank(ctx, peer, endpoints[peer].Addresses); err != nil {
			err = fmt.Errorf("%s: connecting to rank %d: %w", r.network, peer, err)
			if timeout := net.Error(nil); errors.As(err, &timeout) && timeout.Timeout() {
				return noAnswer{err}
			}
			return err
		}
	}
	return nil
}

// noAnswer is the error of a rank that has not answered by the deadline of a context.
type noAnswer struct{ error }

func (n noAnswer) Error() string      { return n.error.Error() + ": is the port open?" }
func (n noAnswer) Unwrap() error      { return n.error }
func (noAnswer) Is(target error) bool { return target == context.DeadlineExceeded }

// dialRank connects to a lower rank. It tries again while an address may become reachable.
func (r *Rendezvous[Raw, Conn]) dialRank(ctx context.Context, peer dimmnet.Rank, addresses []string) error {
	for {
		err := r.dialOnce(ctx, peer, addresses)
		if err == nil || !r.methods.Retry(err) || !pause(ctx) {
			return err
		}
	}
}

// dialOnce tries each address once. The time that is left is divided evenly among the addresses.
func (r *Rendezvous[Raw, Conn]) dialOnce(ctx context.Context, peer dimmnet.Rank, addresses []string) error {
	var failures []error
	for i, address := range addresses {
		end, _ := ctx.Deadline()
		one, cancel := context.WithTimeout(ctx, time.Until(end)/time.Duration(len(addresses)-i))
		conn, err := r.methods.Dial(one, peer, address)
		cancel()
		if err == nil {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.conns[peer], r.connected[peer] = conn, true
			return nil
		}
		failures = append(failures, fmt.Errorf("%s: %w", address, err))
	}
	return errors.Join(failures...)
}

// Wait returns nil when all higher ranks are connected, and an error when ctx is done before.
func (r *Rendezvous[Raw, Conn]) Wait(ctx context.Context) error {
	select {
	case <-r.complete:
		return nil
	case <-ctx.Done():
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for rank := int(r.self) + 1; rank < len(r.conns); rank++ {
		if !r.connected[rank] {
			err := fmt.Errorf("%s: %d of %d ranks have not connected, the lowest is rank %d: %w", r.network, r.missing, len(r.conns), rank, dimmnet.ContextErr(ctx))
			if r.accepting != nil {
				err = fmt.Errorf("%w: this rank cannot accept connections: %w", err, r.accepting)
			}
			return err
		}
	}
	return nil
}

// Close closes the listener, and waits for pending connections. The context of Accept must be done.
func (r *Rendezvous[Raw, Conn]) Close() {
	r.methods.Close()
	r.pending.Wait()
}
