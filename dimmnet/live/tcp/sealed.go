//go:build linux && !fagusportable

package tcp

import (
	"crypto/tls"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/stream"
)

// sealed is a Stream with TLS over another Stream. crypto/tls never waits if the wire does not.
type sealed struct {
	stream.Stream
	tls  *tls.Conn
	wire *wire
	dry  bool // all received bytes have been read
}

const (
	sealedAtOnce = 64 << 10 // bytes that are encrypted before any of them is sent
	heldBack     = 4 << 10  // bytes that may wait for more bytes of the same batch
)

// newSealed puts TLS over s. The handshake of conn is over; conn may have received further bytes.
func newSealed(s stream.Stream, conn *tls.Conn) *sealed {
	w := conn.NetConn().(*wire)
	w.plain, w.buf = s, make([]byte, sealedAtOnce)
	return &sealed{Stream: s, tls: conn, wire: w}
}

// Read reads all bytes of one system call before it makes another. A Poll does not report bytes
// that crypto/tls has received, so none may be left between two system calls.
func (s *sealed) Read(p []byte) (n int, err error) {
	if s.dry {
		s.dry, s.wire.received = false, false
	}
	for n < len(p) && err == nil {
		var k int
		k, err = s.tls.Read(p[n:])
		n += k
	}
	if err == error(errNothing{}) {
		s.dry, err = true, nil
	}
	if n > 0 {
		return n, nil // the next Read of crypto/tls returns an error again
	}
	return 0, err
}

// Count counts encrypted bytes.
func (s *sealed) Count() dimmnet.Link { return s.Stream.(stream.Counted).Count() }

func (s *sealed) Buffered() bool { return !s.dry }

func (s *sealed) Write(p []byte, more bool) (int, error) {
	if s.wire.buffered() > heldBack {
		if clear, err := s.Flush(); !clear {
			return 0, err
		}
	}
	n, err := s.tls.Write(p[:min(len(p), sealedAtOnce)])
	if err == nil && (!more || s.wire.buffered() > heldBack) {
		_, err = s.Flush()
	}
	return n, err
}

func (s *sealed) Flush() (clear bool, err error) { return s.wire.flush() }

func (s *sealed) CloseWrite() {
	_, _ = s.Flush() // otherwise the peer may see the end in the middle of a record
	s.Stream.CloseWrite()
}
