package tcp

import (
	"crypto/tls"

	"github.com/fagus-dsm/fagus/dimmnet/stream"
)

// sealed is a stream with TLS over it. crypto/tls does the work: it calls a wire where it
// would call a connection, and so never waits.
type sealed struct {
	stream.Stream
	tls  *tls.Conn
	wire *wire
	dry  bool // all that was received has been read
}

const (
	sealedAtOnce = 64 << 10 // bytes that are encrypted before they are sent
	heldBack     = 4 << 10  // bytes that may wait for others that follow at once
)

// newSealed puts TLS over s. Its handshake is done, and more may have come with that.
func newSealed(s stream.Stream, conn *tls.Conn) *sealed {
	w := conn.NetConn().(*wire)
	w.plain, w.buf = s, make([]byte, sealedAtOnce)
	return &sealed{Stream: s, tls: conn, wire: w}
}

// Read empties what a call of the system has received before it makes another: between
// two calls nothing is left here that no poll tells of.
func (s *sealed) Read(p []byte) (n int, err error) {
	if s.dry {
		s.dry, s.wire.received = false, false
	}
	for n < len(p) && err == nil {
		var k int
		k, err = s.tls.Read(p[n:])
		n += k
	}
	if err == error(later{}) {
		s.dry, err = true, nil
	}
	if n > 0 {
		return n, nil // crypto/tls returns an error again
	}
	return 0, err
}

func (s *sealed) Held() bool { return !s.dry }

func (s *sealed) Write(p []byte, more bool) (int, error) {
	if s.wire.waiting() > heldBack {
		if clear, err := s.Flush(); !clear {
			return 0, err
		}
	}
	n, err := s.tls.Write(p[:min(len(p), sealedAtOnce)])
	if err == nil && (!more || s.wire.waiting() > heldBack) {
		_, err = s.Flush()
	}
	return n, err
}

func (s *sealed) Flush() (clear bool, err error) { return s.wire.flush() }

func (s *sealed) End() {
	_, _ = s.Flush() // or the peer sees the end in the middle of a record
	s.Stream.End()
}
