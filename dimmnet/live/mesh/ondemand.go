package mesh

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// ErrCrossed is the error of Methods.Dial if the peer dials at the same time, and keeps its
// connection.
var ErrCrossed = errors.New("the peer dials this rank at the same time")

// Server gets the connections that a rendezvous makes after the start.
type Server[Conn any] struct {
	// Expect is called before the peer learns that it is connected. It must not wait.
	Expect func(peer dimmnet.Rank)
	// Pass takes over a connection.
	Pass func(peer dimmnet.Rank, conn Conn)
}

// Take returns the connections made so far, by rank. The Server gets those that are made later.
func (r *Rendezvous[Raw, Conn]) Take() []Conn {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.taken = true
	return slices.Clone(r.conns)
}

// Serve passes to s all connections that are made after Take.
func (r *Rendezvous[Raw, Conn]) Serve(s *Server[Conn]) {
	r.mu.Lock()
	r.server = s
	late := r.late
	for peer, connected := range r.connected {
		if connected && !r.placed[peer] || slices.Contains(late, dimmnet.Rank(peer)) {
			s.Expect(dimmnet.Rank(peer))
		}
	}
	r.mu.Unlock()
	for _, peer := range late {
		s.Pass(peer, r.conns[peer])
	}
}

// Connect connects to a rank after Serve, unless that rank has connected to this one, or does so
// meanwhile. It returns when the server has the connection, or with an error, at the latest when
// ctx is done.
func (r *Rendezvous[Raw, Conn]) Connect(ctx context.Context, peer dimmnet.Rank, addresses []string) error {
	select {
	case r.dialing <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("%s: connecting to rank %d: %w", r.network, peer, dimmnet.ContextErr(ctx))
	}
	defer func() { <-r.dialing }()
	arrived, arrive := context.WithCancel(context.Background())
	defer arrive()
	r.mu.Lock()
	if r.connected[peer] {
		r.mu.Unlock()
		return nil // place passes the connection on
	}
	r.dials[peer] = arrive
	r.mu.Unlock()
	conn, err := r.dialRank(ctx, peer, addresses)
	if errors.Is(err, ErrCrossed) && peer > r.self {
		select { // the connection that the peer dialed
		case <-arrived.Done():
			err = nil
		case <-ctx.Done():
			err = fmt.Errorf("%w, but has not reached it: %w", err, dimmnet.ContextErr(ctx))
		}
	} else if err == nil {
		r.server.Pass(peer, conn)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dials[peer] = nil
	if err != nil && !r.connected[peer] {
		return fmt.Errorf("%s: connecting to rank %d: %w", r.network, peer, err)
	}
	r.connected[peer], r.placed[peer] = true, true
	return nil
}
