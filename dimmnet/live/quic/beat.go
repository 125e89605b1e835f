package quic

import (
	"context"
	"sync"
	"sync/atomic"

	quicgo "github.com/quic-go/quic-go"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/stream"
)

// beats sends the beats of a rank and counts the beats of its peers. Beats are datagrams of the
// QUIC connections. quic-go authenticates them, and sends them before bytes that wait in streams.
type beats struct {
	peers      []*pulse // by rank; nil for the own rank
	stop       context.CancelFunc
	goroutines sync.WaitGroup
}

type pulse struct {
	conn  *quicgo.Conn
	due   chan struct{} // contains an element if a beat is to be sent
	heard atomic.Uint64 // number of beats received
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
			b.goroutines.Go(func() { one.receive(ctx) })
		}
	}
	return b
}

// send sends the due beats to one peer, in a goroutine: SendDatagram waits if the queue is full.
func (p *pulse) send(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.due:
		}
		if p.conn.SendDatagram([]byte{1}) != nil {
			return // the connection is closed
		}
	}
}

func (p *pulse) receive(ctx context.Context) {
	for {
		if _, err := p.conn.ReceiveDatagram(ctx); err != nil {
			return
		}
		p.heard.Add(1)
	}
}

// Send sends a beat to each peer, unless the previous one to that peer has not left yet.
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

// Receive does nothing: goroutines receive the beats.
func (b *beats) Receive() {}

// Heard returns the number of beats that have arrived from rank.
func (b *beats) Heard(rank dimmnet.Rank) uint64 { return b.peers[rank].heard.Load() }

// Close ends the goroutines. The connections are closed already.
func (b *beats) Close() {
	b.stop()
	b.goroutines.Wait()
}
