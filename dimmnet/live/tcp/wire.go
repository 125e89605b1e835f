//go:build linux && !fagusportable

package tcp

import (
	"net"
	"sync"

	"github.com/fagus-dsm/fagus/dimmnet/live/stream"
)

// wire is the connection beneath a tls.Conn. During the handshake it is the TCP connection itself.
// Afterwards it reads and writes a Stream, and never waits.
type wire struct {
	net.Conn
	plain    stream.Stream // nil during the handshake
	buf      []byte
	ahead    []byte // the part of buf that was received and is not read yet
	received bool   // a system call has received since sealed.Read began

	mu   sync.Mutex // guards the fields below: Read may make crypto/tls write
	out  []byte     // encrypted bytes
	sent int        // bytes of out that plain has accepted
}

// beneathTLS returns what a tls.Conn uses instead of conn.
func beneathTLS(conn net.Conn) net.Conn { return &wire{Conn: conn} }

// errNothing is temporary, so crypto/tls keeps the connection.
type errNothing struct{}

func (errNothing) Error() string   { return "tcp: no bytes have arrived" }
func (errNothing) Timeout() bool   { return true }
func (errNothing) Temporary() bool { return true }

// Read returns bytes that have arrived. It makes at most one system call per sealed.Read.
func (w *wire) Read(p []byte) (int, error) {
	if w.plain == nil {
		return w.Conn.Read(p)
	}
	if len(w.ahead) == 0 {
		if w.received {
			return 0, errNothing{}
		}
		n, err := w.plain.Read(w.buf)
		if err != nil {
			return 0, err
		}
		w.ahead, w.received = w.buf[:n], true
		if n == 0 {
			return 0, errNothing{}
		}
	}
	n := copy(p, w.ahead)
	w.ahead = w.ahead[n:]
	return n, nil
}

// Write buffers p for flush: crypto/tls gives up a connection that accepts only a part.
func (w *wire) Write(p []byte) (int, error) {
	if w.plain == nil {
		return w.Conn.Write(p)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.out = append(w.out, p...)
	return len(p), nil
}

func (w *wire) buffered() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.out) - w.sent
}

// flush sends buffered bytes, and reports whether all bytes have been sent.
func (w *wire) flush() (clear bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.sent < len(w.out) {
		n, err := w.plain.Write(w.out[w.sent:], false)
		if n == 0 || err != nil {
			return false, err
		}
		w.sent += n
	}
	w.out, w.sent = w.out[:0], 0
	return true, nil
}
