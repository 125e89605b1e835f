package tcp

import (
	"net"
	"sync"

	"github.com/fagus-dsm/fagus/dimmnet/stream"
)

// wire is what crypto/tls takes for a connection. Until the handshake is done it is
// the one that it is made of; then it never waits.
type wire struct {
	net.Conn
	plain    stream.Stream // nil: Conn still
	buf      []byte
	ahead    []byte // of buf: what was received and not yet read
	received bool   // the system was called since the last that was read came to its end

	mu   sync.Mutex // of what follows: who reads may have to answer
	out  []byte     // encrypted
	sent int        // of out
}

// later is the error that crypto/tls does not take for the end of a connection.
type later struct{}

func (later) Error() string   { return "tcp: nothing has come" }
func (later) Timeout() bool   { return true }
func (later) Temporary() bool { return true }

// Read gives what has come. It makes one call of the system until sealed.Read begins
// anew.
func (w *wire) Read(p []byte) (int, error) {
	if w.plain == nil {
		return w.Conn.Read(p)
	}
	if len(w.ahead) == 0 {
		if w.received {
			return 0, later{}
		}
		n, err := w.plain.Read(w.buf)
		if err != nil {
			return 0, err
		}
		w.ahead, w.received = w.buf[:n], true
		if n == 0 {
			return 0, later{}
		}
	}
	n := copy(p, w.ahead)
	w.ahead = w.ahead[n:]
	return n, nil
}

// Write keeps p for flush: a Write that fails in the middle would end the connection.
func (w *wire) Write(p []byte) (int, error) {
	if w.plain == nil {
		return w.Conn.Write(p)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.out = append(w.out, p...)
	return len(p), nil
}

// waiting is how many bytes are still to be sent.
func (w *wire) waiting() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.out) - w.sent
}

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
