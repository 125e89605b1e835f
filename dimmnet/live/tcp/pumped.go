//go:build !linux || fagusportable

package tcp

import (
	"crypto/tls"
	"errors"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/pump"
	"github.com/fagus-dsm/fagus/dimmnet/live/stream"
)

// helped is mesh.Transport.Helped.
const helped = true

// pumps makes streams without system calls of one system. They are slower: see package pump.
type pumps struct{ *pump.Poll }

func newStreams(ranks int) (streams, error) { return pumps{pump.NewPoll(ranks, func() {})}, nil }

func (p pumps) add(conn net.Conn, peer dimmnet.Rank) (stream.Stream, error) {
	return p.Add(peer, &pumped{Conn: conn}), nil
}

// pumped is a connection, TCP or TLS, and counts its bytes.
type pumped struct {
	net.Conn
	sent, received atomic.Uint64
}

var _ pump.Conn = (*pumped)(nil)

func (c *pumped) Read(b []byte) (n int, err error) {
	n, err = c.Conn.Read(b)
	c.received.Add(uint64(n))
	return n, err
}

func (c *pumped) Write(b []byte) (n int, err error) {
	n, err = c.Conn.Write(b)
	c.sent.Add(uint64(n))
	return n, err
}

// Ended does nothing: the system tells the peer.
func (c *pumped) Ended() {}

func (c *pumped) CloseWrite() error {
	if safe, ok := c.Conn.(*tls.Conn); ok {
		_ = safe.CloseWrite() // fails only if the connection is broken
	}
	return c.tcp().CloseWrite()
}

// Leave closes the connection after a while. A deadline would not do: crypto/tls sets its own.
func (c *pumped) Leave(atMost time.Duration) { time.AfterFunc(atMost, func() { _ = c.Close() }) }

// Close closes the TCP connection: crypto/tls would wait until it has told a peer that does not
// read, and CloseWrite has told one that does.
func (c *pumped) Close() error { return c.tcp().Close() }

func (c *pumped) tcp() *net.TCPConn {
	if safe, ok := c.Conn.(*tls.Conn); ok {
		return safe.NetConn().(*net.TCPConn)
	}
	return c.Conn.(*net.TCPConn)
}

// Count counts what ranks have sent, without what TLS adds.
func (c *pumped) Count() dimmnet.Link {
	return dimmnet.Link{Sent: c.sent.Load(), Received: c.received.Load()}
}

// beneathTLS returns conn: a tls.Conn may wait.
func beneathTLS(conn net.Conn) net.Conn { return conn }

// latePort does nothing: systems but Linux choose the port before they connect.
func latePort(string, string, syscall.RawConn) error { return nil }

// arrivalTime bounds how long arrived waits.
const arrivalTime = time.Millisecond

// arrived receives a datagram that has arrived, or arrives very soon. Windows has an error for one
// that is longer than p.
func arrived(conn *net.UDPConn, p []byte) (n int, ok bool) {
	_ = conn.SetReadDeadline(time.Now().Add(arrivalTime))
	n, _, err := conn.ReadFromUDPAddrPort(p)
	if err != nil {
		return 0, !errors.Is(err, os.ErrDeadlineExceeded) && !errors.Is(err, net.ErrClosed)
	}
	return n, true
}
