package tcp

import (
	"context"
	"net"
	"sync"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/mesh"
	"github.com/fagus-dsm/fagus/dimmnet/live/stream"
)

// demand makes connections during a run. The rank goes on listening.
type demand struct {
	rendezvous *rendezvous
	endpoints  []*mesh.Endpoint
	// pass makes a stream of a connection, and passes it to links.
	pass func(links stream.Admission, peer dimmnet.Rank, conn net.Conn)

	ctx     context.Context // done when Close is called
	stop    context.CancelFunc
	closing sync.Once
	mu      sync.Mutex // guards closed and calls.Add
	closed  bool
	calls   sync.WaitGroup // calls of Connect
}

var _ stream.OnDemand = (*demand)(nil)

// newDemand returns the demand of a rank that accepts connections until stop is called.
func newDemand(r *rendezvous, endpoints []*mesh.Endpoint, stop context.CancelFunc) *demand {
	d := &demand{rendezvous: r, endpoints: endpoints}
	ctx, cancel := context.WithCancel(context.Background())
	d.ctx, d.stop = ctx, func() { cancel(); stop() }
	return d
}

// Serve passes connections to links.
func (d *demand) Serve(links stream.Admission) {
	d.rendezvous.Serve(&mesh.Server[net.Conn]{
		Expect: links.Expect,
		Pass:   func(peer dimmnet.Rank, conn net.Conn) { d.pass(links, peer, conn) },
	})
}

// Connect connects to a rank.
func (d *demand) Connect(ctx context.Context, rank dimmnet.Rank) error {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return net.ErrClosed
	}
	d.calls.Add(1)
	d.mu.Unlock()
	defer d.calls.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(d.ctx, cancel)()
	return d.rendezvous.Connect(ctx, rank, d.endpoints[rank].Addresses)
}

// Close closes the listener, and waits for connections that are being made.
func (d *demand) Close() {
	d.closing.Do(func() {
		d.mu.Lock()
		d.closed = true
		d.mu.Unlock()
		d.stop()
		d.rendezvous.Close()
		d.calls.Wait()
	})
}
