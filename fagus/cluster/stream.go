package cluster

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/identity"
)

// stream carries messages between two processes of different hosts, over TLS if they have
// identities.
type stream struct {
	net.Conn              // what is written to and read from
	raw      *net.TCPConn // below it
	who      string       // the process at the other end, in words
	rank     dimmnet.Rank // that it has proved to be
	proved   bool         // with an identity
	writing  sync.Mutex   // of whole messages
	buf      [maxPacket]byte
}

// newStream takes raw over. id is this rank's, or nil; a client says whom it calls.
func newStream(raw *net.TCPConn, id *identity.Identity, server bool, peer dimmnet.Rank) (*stream, error) {
	s := &stream{Conn: raw, raw: raw, who: raw.RemoteAddr().String()}
	if id == nil {
		return s, nil
	}
	var t *tls.Conn
	if server {
		t = tls.Server(raw, id.Server())
	} else {
		t = tls.Client(raw, id.Client(peer))
	}
	if err := t.Handshake(); err != nil {
		return nil, fmt.Errorf("cluster: %s proves nothing: %w", s.who, err)
	}
	var err error
	if s.rank, err = id.Peer(t.ConnectionState()); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	s.Conn, s.proved = t, true
	return s, nil
}

func (s *stream) remote() string { return s.who }

func (s *stream) vouch(rank int) error {
	if s.proved && int(s.rank) != rank {
		return fmt.Errorf("cluster: %s says that it is rank %d and proves that it is rank %d", s.who, rank, s.rank)
	}
	return nil
}

func (s *stream) send(m message) error {
	if len(m.files) > 0 {
		panic(fmt.Sprintf("cluster: %d files for another host", len(m.files)))
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if _, err := s.Write(m.encode()); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	return nil
}

func (s *stream) receive() (message, error) {
	if _, err := io.ReadFull(s, s.buf[:headerBytes]); err != nil {
		return message{}, ended(err)
	}
	n := binary.LittleEndian.Uint32(s.buf[headerBytes-4:])
	if n > maxBody {
		return message{}, fmt.Errorf("cluster: a message of %d bytes: %d are the most", n, maxBody)
	}
	packet := s.buf[:headerBytes+n]
	if _, err := io.ReadFull(s, packet[headerBytes:]); err != nil {
		return message{}, ended(err)
	}
	m, files, err := decode(packet)
	if err == nil && files > 0 {
		err = fmt.Errorf("cluster: a message with %d files from another host", files)
	}
	return m, err
}

// ended is io.EOF itself, however the connection has ended.
func ended(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return io.EOF
	}
	return fmt.Errorf("cluster: %w", err)
}

// lastWords is how long a connection may take to end.
const lastWords = 200 * time.Millisecond

// Close ends the connection so that the other end can still read what was sent: the kernel
// takes that back where something is left to be read.
func (s *stream) Close() error {
	deadline := time.Now().Add(lastWords)
	_ = s.raw.SetDeadline(deadline)
	if t, ok := s.Conn.(*tls.Conn); ok {
		_ = t.CloseWrite() // the end of the connection says the same
	}
	if s.raw.CloseWrite() == nil {
		_ = s.raw.SetDeadline(deadline) // CloseWrite of TLS has set another
		_, _ = io.Copy(io.Discard, s.raw)
	}
	return s.raw.Close()
}

// netWire connects processes of several hosts.
type netWire struct {
	id *identity.Identity // nil: nothing is encrypted, and everybody believed
	// rank0 is where rank 0 answers, and its process in words; an error as long as that is
	// not known.
	rank0 func() (address, who string, err error)
}

func (w *netWire) greet(socket net.Conn) (conn, error) {
	s, err := newStream(socket.(*net.TCPConn), w.id, true, 0)
	if err != nil {
		return nil, err // and not a nil pointer that is no nil conn
	}
	return s, nil
}

// callTimeout bounds one attempt to reach rank 0.
const callTimeout = 2 * time.Second

func (w *netWire) call(ctx context.Context) (conn, bool, error) {
	address, who, err := w.rank0()
	if err != nil {
		return nil, false, err
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	raw, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, false, err
	}
	stop := context.AfterFunc(ctx, func() { _ = raw.SetDeadline(time.Unix(1, 0)) })
	s, err := newStream(raw.(*net.TCPConn), w.id, false, 0)
	if !stop() && err == nil {
		err = dimmnet.ContextErr(ctx)
	}
	if err != nil {
		_ = raw.Close() // nothing was said
		return nil, false, err
	}
	s.who = who
	return s, false, nil
}
