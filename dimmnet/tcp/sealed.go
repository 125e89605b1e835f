package tcp

import "crypto/tls"

// sealed is a stream with TLS over it. crypto/tls does the work: it calls a wire where it
// would call a connection, and so never waits.
type sealed struct {
	stream
	tls  *tls.Conn
	wire *wire
	dry  bool // all that was received has been read
}

const (
	sealedAtOnce = 64 << 10 // bytes that are encrypted before they are sent
	heldBack     = 4 << 10  // bytes that may wait for others that follow at once
)

// newSealed puts TLS over s. Its handshake is done, and more may have come with that.
func newSealed(s stream, conn *tls.Conn) *sealed {
	w := conn.NetConn().(*wire)
	w.plain, w.buf = s, make([]byte, sealedAtOnce)
	return &sealed{stream: s, tls: conn, wire: w}
}

// read empties what a call of the system has received before it makes another: between
// two calls nothing is left here that no poll tells of.
func (s *sealed) read(p []byte) (n int, err error) {
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

func (s *sealed) held() bool { return !s.dry }

func (s *sealed) write(p []byte, more bool) (int, error) {
	if s.wire.waiting() > heldBack {
		if clear, err := s.flush(); !clear {
			return 0, err
		}
	}
	n, err := s.tls.Write(p[:min(len(p), sealedAtOnce)])
	if err == nil && (!more || s.wire.waiting() > heldBack) {
		_, err = s.flush()
	}
	return n, err
}

func (s *sealed) flush() (clear bool, err error) { return s.wire.flush() }

func (s *sealed) end() {
	_, _ = s.flush() // or the peer sees the end in the middle of a record
	s.stream.end()
}
