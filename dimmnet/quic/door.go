package quic

import (
	"context"
	"fmt"
	"sync"

	quicgo "github.com/quic-go/quic-go"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// door is where the connections of a rank are made.
type door struct {
	*roster
	transport *quicgo.Transport
	cfg       *quicgo.Config
	self      dimmnet.Rank
	listener  *quicgo.Listener // nil: nobody is to come
	hellos    sync.WaitGroup
	complete  chan struct{} // closed when all higher ranks are here

	mu      sync.Mutex
	peers   []*peer // by rank
	missing int     // of the higher ranks
}

// open lets higher ranks in until ctx is done or the door is shut.
func (d *door) open(ctx context.Context) (err error) {
	d.missing = len(d.peers) - 1 - int(d.self)
	d.complete = make(chan struct{})
	if d.missing == 0 {
		close(d.complete)
		return nil
	}
	if d.listener, err = d.transport.Listen(d.id.Server(), d.cfg); err != nil {
		return err
	}
	places := make(chan struct{}, mostHellos)
	d.hellos.Go(func() {
		for {
			conn, err := d.listener.Accept(ctx)
			if err != nil {
				return // the door is shut
			}
			select {
			case places <- struct{}{}:
				d.hellos.Go(func() { d.greet(ctx, conn); <-places })
			case <-ctx.Done():
				_ = conn.CloseWithError(codeRefused, "")
			}
		}
	})
	return nil
}

// greet keeps a connection if it is of a rank of this run. TLS has seen to it that it is of
// one of this job.
func (d *door) greet(ctx context.Context, conn *quicgo.Conn) {
	ctx, cancel := context.WithTimeout(ctx, helloTime)
	defer cancel()
	p := &peer{conn: conn}
	rank, err := d.id.Peer(conn.ConnectionState().TLS)
	if err == nil && rank < d.self {
		err = fmt.Errorf("rank %d calls rank %d", rank, d.self)
	}
	if err == nil {
		p.in, err = hearHello(ctx, conn, d.key, rank, d.self)
	}
	if err == nil {
		p.out, err = sayHello(conn, d.key, d.self, rank)
	}
	if err != nil || !d.admit(rank, p) {
		_ = conn.CloseWithError(codeRefused, "")
	}
}

// admit notes the connection of a higher rank, unless it has one.
func (d *door) admit(rank dimmnet.Rank, p *peer) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.peers[rank] != nil || d.missing == 0 {
		return false
	}
	d.peers[rank] = p
	if d.missing--; d.missing == 0 {
		close(d.complete)
	}
	return true
}

// await returns when all higher ranks are here.
func (d *door) await(ctx context.Context) error {
	select {
	case <-d.complete:
		return nil
	case <-ctx.Done():
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for rank := int(d.self) + 1; rank < len(d.peers); rank++ {
		if d.peers[rank] == nil {
			return fmt.Errorf("quic: %d of %d ranks have not connected, the first of them rank %d: %w", d.missing, len(d.peers), rank, dimmnet.ContextErr(ctx))
		}
	}
	return nil
}

// shut sends away who has not been admitted, whose time cancel ends.
func (d *door) shut(cancel context.CancelFunc) {
	cancel()
	if d.listener != nil {
		_ = d.listener.Close()
	}
	d.hellos.Wait()
}
