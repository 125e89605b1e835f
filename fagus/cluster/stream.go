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
	"github.com/fagus-dsm/fagus/dimmnet/live/identity"
)

// stream carries messages between two hosts: over TLS with identities, else over TCP.
type stream struct {
	net.Conn // raw, or TLS over raw
	raw      *net.TCPConn
	process  string       // describes the process at the other end
	rank     dimmnet.Rank // rank that the other end has proved; valid if proved
	proved   bool         // the other end has proved its identity
	writing  sync.Mutex   // held while a whole message is written
	header   [headerBytes]byte
	packet   []byte // receive buffer; nil before the first message, which may never come
}

// newStream makes a stream of raw. id may be nil. A client passes the rank to reach as peer.
func newStream(raw *net.TCPConn, id *identity.Identity, server bool, peer dimmnet.Rank) (*stream, error) {
	s := &stream{Conn: raw, raw: raw, process: raw.RemoteAddr().String()}
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
		return nil, fmt.Errorf("cluster: authenticating %s: %w", s.process, err)
	}
	var err error
	if s.rank, err = id.Peer(t.ConnectionState()); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	s.Conn, s.proved = t, true
	return s, nil
}

func (s *stream) remote() string { return s.process }

func (s *stream) checkRank(rank int) error {
	if s.proved && int(s.rank) != rank {
		return fmt.Errorf("cluster: %s claims to be rank %d, but its identity is that of rank %d", s.process, rank, s.rank)
	}
	return nil
}

func (s *stream) send(m message) error {
	if len(m.files) > 0 {
		panic(fmt.Sprintf("cluster: sending %d files to another host: only processes of one host can exchange files", len(m.files)))
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if _, err := s.Write(m.encode()); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	return nil
}

func (s *stream) receive() (message, error) {
	if _, err := io.ReadFull(s, s.header[:]); err != nil {
		return message{}, ended(err)
	}
	n := binary.LittleEndian.Uint32(s.header[headerBytes-4:])
	if n > maxBody {
		return message{}, fmt.Errorf("cluster: receiving a message: a body of %d bytes: want at most %d", n, maxBody)
	}
	if s.packet == nil {
		s.packet = make([]byte, maxPacket)
	}
	packet := s.packet[:headerBytes+n]
	copy(packet, s.header[:])
	if _, err := io.ReadFull(s, packet[headerBytes:]); err != nil {
		return message{}, ended(err)
	}
	m, files, err := decode(packet)
	if err == nil && files > 0 {
		err = fmt.Errorf("cluster: receiving a message from another host: it has %d files: want none", files)
	}
	return m, err
}

func ended(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return io.EOF
	}
	return fmt.Errorf("cluster: %w", err)
}

// closeTimeout bounds the orderly end of a connection.
const closeTimeout = 200 * time.Millisecond

// Close ends the connection in such a way that the other end can read everything that was sent:
// the kernel discards sent data if a socket is closed while received data is unread.
func (s *stream) Close() error {
	deadline := time.Now().Add(closeTimeout)
	_ = s.raw.SetDeadline(deadline)
	if t, ok := s.Conn.(*tls.Conn); ok {
		_ = t.CloseWrite() // an error is harmless: the connection ends anyway
	}
	if s.raw.CloseWrite() == nil {
		_ = s.raw.SetDeadline(deadline) // CloseWrite of TLS has changed the deadline
		_, _ = io.Copy(io.Discard, s.raw)
	}
	return s.raw.Close()
}

// netWire connects processes of several hosts.
type netWire struct {
	id *identity.Identity // nil: nothing is encrypted or authenticated
	// rank0 returns the address of rank 0 and describes its process, once both are known.
	rank0 func() (address, process string, err error)
}

func (w *netWire) accept(socket net.Conn) (conn, error) {
	s, err := newStream(socket.(*net.TCPConn), w.id, true, 0)
	if err != nil {
		return nil, err // a nil *stream in a conn would not be nil
	}
	return s, nil
}

// dialTimeout bounds one attempt to reach rank 0.
const dialTimeout = 2 * time.Second

func (w *netWire) dial(ctx context.Context) (conn, bool, error) {
	address, process, err := w.rank0()
	if err != nil {
		return nil, false, err
	}
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
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
		_ = raw.Close() // nothing was sent
		return nil, false, err
	}
	s.process = process
	return s, false, nil
}
