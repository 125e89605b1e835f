package pump

import (
	"errors"
	"io"
	"sync"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
	"github.com/fagus-dsm/fagus/dimmnet/live/stream"
)

// Conn is a connection to a peer. One goroutine calls Read and Ended, another Write and CloseWrite.
type Conn interface {
	io.ReadWriter
	// Ended is called when the peer has ended its bytes, and all of them were read.
	Ended()
	// CloseWrite tells the peer that no more bytes come.
	CloseWrite() error
	// Leave is called when this rank has closed the stream. From then on Read and Write wait for a
	// limited time: for at most atMost, if the peer does not receive the last bytes earlier.
	Leave(atMost time.Duration)
	// Close is called after all other calls.
	Close() error
	// Count returns what the connection has carried. Any goroutine may call it, also after Close.
	Count() dimmnet.Link
}

const (
	// leaveTime bounds the wait for a peer when a rank closes a connection.
	leaveTime = time.Second
	// goneTime is leaveTime for a peer that is gone. The last bytes leave in this time: if the
	// peer's process is only stopped, it can read why it was given up.
	goneTime = 20 * time.Millisecond
)

// errEnded is the error of a Write to a stream after this rank has ended it.
var errEnded = errors.New("pump: this rank has ended the stream")

// link is a Stream over a Conn. Only its goroutines wait.
type link struct {
	conn     Conn
	received *ring // bytes from the peer
	outgoing *ring // bytes to the peer
	poll     *Poll
	closing  sync.Once
	pumps    sync.WaitGroup // the goroutines that use conn
}

var _ stream.Stream = (*link)(nil)

// Add returns a stream over the connection to the peer of that rank. The Poll reports when it is
// ready, and closes the connection.
func (p *Poll) Add(rank dimmnet.Rank, conn Conn) stream.Stream {
	l := &link{conn: conn, received: newRing(), outgoing: newRing(), poll: p}
	p.links[rank].Store(l)
	l.pumps.Go(l.receive)
	l.pumps.Go(l.send)
	return l
}

// Count returns what the connection counts.
func (l *link) Count() dimmnet.Link { return l.conn.Count() }

// receive reads the bytes of the peer to their end.
func (l *link) receive() {
	for {
		n, err := l.conn.Read(l.received.waitFree())
		delay.Here()
		l.received.filled(n)
		if err != nil {
			l.received.end(err)
		}
		delay.Here()
		l.poll.Wake()
		if err == io.EOF {
			l.conn.Ended()
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
			_ = l.conn.CloseWrite() // fails only if the connection is closed
			return
		}
		n, err := l.conn.Write(b)
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

// Close starts to close the connection. Poll.Close waits until the connection is closed.
func (l *link) Close(gone bool) {
	l.closing.Do(func() {
		l.Ignore()
		l.CloseWrite()
		atMost := leaveTime
		if gone {
			atMost = goneTime
		}
		l.poll.goroutines.Go(func() {
			l.conn.Leave(atMost)
			l.pumps.Wait()
			_ = l.conn.Close() // what fails now is of no use to anybody
		})
	})
}
