package quic

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
	"github.com/fagus-dsm/fagus/dimmnet/live/stream"
)

const (
	// receiptTime bounds the wait for the receipt of a peer when a rank closes a connection.
	receiptTime = time.Second
	// goneTime is receiptTime for a peer that is gone. The last bytes leave in this time: if the
	// peer's process is only stopped, it can read why it was given up.
	goneTime = 20 * time.Millisecond
)

// errEnded is the error of a Write to a stream after this rank has ended it.
var errEnded = errors.New("quic: this rank has ended the stream")

// link makes one Stream of the two QUIC streams of a peer. Only its two goroutines wait.
type link struct {
	*peer
	received *ring // bytes from the peer
	outgoing *ring // bytes to the peer
	poll     *poll
	closing  sync.Once
}

var _ stream.Stream = (*link)(nil)

func newLink(p *peer, at *poll) *link {
	l := &link{peer: p, received: newRing(), outgoing: newRing(), poll: at}
	at.goroutines.Go(l.receive)
	at.goroutines.Go(l.send)
	return l
}

// Count counts QUIC packets: what they carried is sent again if they are lost.
func (l *link) Count() dimmnet.Link {
	s := l.conn.ConnectionStats()
	return dimmnet.Link{Sent: s.BytesSent, Received: s.BytesReceived, Resent: s.PacketsLost}
}

// receive reads the stream of the peer to its end, and then sends the receipt.
func (l *link) receive() {
	for {
		n, err := l.in.Read(l.received.waitFree())
		delay.Here()
		l.received.filled(n)
		if err != nil {
			l.received.end(err)
		}
		delay.Here()
		l.poll.Wake()
		if err == io.EOF {
			if receipt, err := l.conn.OpenUniStream(); err == nil {
				_ = receipt.Close() // a receipt is an empty stream
			}
		}
		if err != nil {
			return
		}
	}
}

func (l *link) send() {
	for {
		b := l.outgoing.waitBytes()
		if len(b) == 0 {
			_ = l.out.Close() // fails only if the connection is closed
			return
		}
		n, err := l.out.Write(b)
		delay.Here()
		l.outgoing.drained(n)
		if err != nil {
			l.outgoing.end(err)
			l.poll.Wake()
			return
		}
		delay.Here()
		if l.outgoing.writable() {
			delay.Here()
			l.poll.Wake()
		}
	}
}

func (l *link) Read(p []byte) (int, error)          { return l.received.take(p) }
func (l *link) Write(p []byte, _ bool) (int, error) { return l.outgoing.put(p) }
func (l *link) HungUp() bool                        { return l.received.hasEnded() }
func (l *link) CloseWrite()                         { l.outgoing.end(errEnded) }

// NotifyWritable wakes the poll itself if the goroutine has made space since the last Write: at
// that time nobody had asked for the notification.
func (l *link) NotifyWritable(on bool) {
	l.outgoing.notifyWritable(on)
	delay.Here()
	if l.outgoing.writable() {
		l.poll.Wake()
	}
}

// Buffered returns false: the poll reports all bytes that the ring has.
func (l *link) Buffered() bool { return false }

// Flush returns true: a goroutine sends all bytes that the ring has.
func (l *link) Flush() (clear bool, err error) { return true, nil }

// Ignore discards the bytes that arrive from now on.
func (l *link) Ignore() {
	l.received.discard()
	l.outgoing.notifyWritable(false)
}

// Close starts to close the connection. poll.Close waits until the connection is closed.
func (l *link) Close(gone bool) {
	l.closing.Do(func() {
		l.Ignore()
		l.CloseWrite()
		atMost := receiptTime
		if gone {
			atMost = goneTime
		}
		l.poll.goroutines.Go(func() { l.awaitReceipt(atMost) })
	})
}

// awaitReceipt waits for the peer's receipt: closing earlier would discard bytes on their way.
func (l *link) awaitReceipt(atMost time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), atMost)
	defer cancel()
	code := codeOver
	if _, err := l.conn.AcceptUniStream(ctx); err != nil {
		code = codeLate // has no effect if the peer has closed the connection
	}
	_ = l.conn.CloseWithError(code, "")
}
