package quic

import (
	"context"
	"sync"
	"sync/atomic"

	quicgo "github.com/quic-go/quic-go"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/stream"
)

// beats are those of a rank and of its peers: datagrams within the connections. They are
// sent before what waits on the streams, and are as safe from strangers as that.
type beats struct {
	peers      []*pulse // by rank; nil for the own
	stop       context.CancelFunc
	goroutines sync.WaitGroup
}

// pulse is the beats to a peer and from it.
type pulse struct {
	conn  *quicgo.Conn
	due   chan struct{} // one is to be sent
	heard atomic.Uint64
}

var _ stream.Beats = (*beats)(nil)

func newBeats(peers []*peer) *beats {
	ctx, stop := context.WithCancel(context.Background())
	b := &beats{peers: make([]*pulse, len(peers)), stop: stop}
	for rank, p := range peers {
		if p != nil {
			one := &pulse{conn: p.conn, due: make(chan struct{}, 1)}
			b.peers[rank] = one
			b.goroutines.Go(func() { one.send(ctx) })
			b.goroutines.Go(func() { one.listen(ctx) })
		}
	}
	return b
}

// send sends beats. It waits when many have not left, so as not to hold up those to others.
func (p *pulse) send(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.due:
		}
		if p.conn.SendDatagram([]byte{1}) != nil {
			return // the connection is gone
		}
	}
}

// listen counts beats.
func (p *pulse) listen(ctx context.Context) {
	for {
		if _, err := p.conn.ReceiveDatagram(ctx); err != nil {
			return
		}
		p.heard.Add(1)
	}
}

// Send sends a beat to all others, but to those to which one has not left yet.
func (b *beats) Send() {
	for _, p := range b.peers {
		if p != nil {
			select {
			case p.due <- struct{}{}:
			default:
			}
		}
	}
}

// Listen does nothing: goroutines do.
func (b *beats) Listen() {}

// Heard is how many beats of a rank have come.
func (b *beats) Heard(rank dimmnet.Rank) uint64 { return b.peers[rank].heard.Load() }

// Close ends them. Their connections are closed before.
func (b *beats) Close() {
	b.stop()
	b.goroutines.Wait()
}
