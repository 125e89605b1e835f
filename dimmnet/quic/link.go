package quic

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet/stream"
)

// partTime is how long a rank waits at the end for a peer to say that it has everything.
const partTime = time.Second

// errEnded is why nothing is written any more to a stream that this rank has ended.
var errEnded = errors.New("quic: the stream was ended here")

// link is the two streams to a peer and from it as one that never waits. A goroutine each
// does the waiting.
type link struct {
	*peer
	from, to *ring // the peer
	poll     *poll
	parting  sync.Once
}

var _ stream.Stream = (*link)(nil)

// newLink takes p over.
func newLink(p *peer, at *poll) *link {
	l := &link{peer: p, from: newRing(), to: newRing(), poll: at}
	at.goroutines.Go(l.receive)
	at.goroutines.Go(l.send)
	return l
}

// receive reads what comes until the peer ends it, and tells it then that all has been
// received.
func (l *link) receive() {
	for {
		n, err := l.in.Read(l.from.space())
		l.from.filled(n)
		if err != nil {
			l.from.end(err)
		}
		l.poll.Wake()
		if err == io.EOF {
			if receipt, err := l.conn.OpenUniStream(); err == nil {
				_ = receipt.Close() // an empty one says it
			}
		}
		if err != nil {
			return
		}
	}
}

// send writes what is to be sent until this rank ends it.
func (l *link) send() {
	for {
		b := l.to.rest()
		if len(b) == 0 {
			_ = l.out.Close() // or the connection is gone
			return
		}
		n, err := l.out.Write(b)
		l.to.sent(n)
		if err != nil {
			l.to.end(err)
			l.poll.Wake()
			return
		}
		if l.to.roomy() {
			l.poll.Wake()
		}
	}
}

func (l *link) Read(p []byte) (int, error)          { return l.from.take(p) }
func (l *link) Write(p []byte, _ bool) (int, error) { return l.to.put(p) }
func (l *link) Block(on bool)                       { l.to.want(on) }
func (l *link) HungUp() bool                        { return l.from.hasEnded() }
func (l *link) End()                                { l.to.end(errEnded) }

// Held says no: the poll looks at what is there.
func (l *link) Held() bool { return false }

// Flush says yes: the goroutine sends what it has, without being asked.
func (l *link) Flush() (clear bool, err error) { return true, nil }

// Forget drops what comes.
func (l *link) Forget() {
	l.from.drop()
	l.to.want(false)
}

// Close ends the connection when the peer has everything; the poll's Close waits for that.
func (l *link) Close() {
	l.parting.Do(func() {
		l.Forget()
		l.End()
		l.poll.goroutines.Go(l.part)
	})
}

// part waits for the peer's receipt. QUIC would drop what the peer has not received yet
// when a connection is closed.
func (l *link) part() {
	ctx, cancel := context.WithTimeout(context.Background(), partTime)
	defer cancel()
	code := codeOver
	if _, err := l.conn.AcceptUniStream(ctx); err != nil {
		code = codeLate // or the peer has closed it, and is told nothing
	}
	_ = l.conn.CloseWithError(code, "")
}
