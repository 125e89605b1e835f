package quic

import (
	"context"
	"time"

	quicgo "github.com/quic-go/quic-go"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/pump"
)

// peer is the connection to a peer: a QUIC stream of each side.
type peer struct {
	conn *quicgo.Conn
	out  *quicgo.SendStream
	in   *quicgo.ReceiveStream
}

var _ pump.Conn = (*peer)(nil)

func (p *peer) Read(b []byte) (int, error)  { return p.in.Read(b) }
func (p *peer) Write(b []byte) (int, error) { return p.out.Write(b) }
func (p *peer) CloseWrite() error           { return p.out.Close() }

// Ended sends the receipt, which is an empty stream.
func (p *peer) Ended() {
	if receipt, err := p.conn.OpenUniStream(); err == nil {
		_ = receipt.Close()
	}
}

// Leave waits for the peer's receipt, and closes the connection: closing it earlier would discard
// bytes on their way.
func (p *peer) Leave(atMost time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), atMost)
	defer cancel()
	code := codeOver
	if _, err := p.conn.AcceptUniStream(ctx); err != nil {
		code = codeLate // has no effect if the peer has closed the connection
	}
	_ = p.conn.CloseWithError(code, "")
}

// Close does nothing: Leave has closed the connection.
func (p *peer) Close() error { return nil }

// Count counts QUIC packets: what they carried is sent again if they are lost.
func (p *peer) Count() dimmnet.Link {
	s := p.conn.ConnectionStats()
	return dimmnet.Link{Sent: s.BytesSent, Received: s.BytesReceived, Resent: s.PacketsLost}
}
