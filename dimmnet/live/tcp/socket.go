//go:build linux && !fagusportable

package tcp

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/stream"
)

// socket is a Stream over a TCP connection. It makes system calls that do not wait.
type socket struct {
	fd       int
	rank     dimmnet.Rank // rank of the peer
	poll     poll
	notifies bool // the poll reports when the socket is writable, too

	reading, writing vector // one thread at a time reads, and one writes

	mu     sync.Mutex // guards the fields below
	closed bool
	count  dimmnet.Link // the last one
}

// vector is the argument of a system call that moves two slices.
type vector struct {
	header unix.Msghdr
	parts  [2]unix.Iovec
}

func (v *vector) set(p, q []byte) *unix.Msghdr {
	v.parts[0].Base, v.parts[1].Base = unsafe.SliceData(p), unsafe.SliceData(q)
	v.parts[0].SetLen(len(p))
	v.parts[1].SetLen(len(q))
	v.header.Iov = &v.parts[0]
	v.header.SetIovlen(len(v.parts))
	return &v.header
}

// helped is mesh.Transport.Helped.
const helped = false

func newStreams(int) (streams, error) { return newPoll() }

func (p poll) add(conn net.Conn, peer dimmnet.Rank) (stream.Stream, error) {
	safe, _ := conn.(*tls.Conn)
	if safe != nil {
		conn = safe.NetConn().(*wire).Conn
	}
	s, err := newSocket(conn, peer, p)
	switch {
	case err != nil:
		return nil, err
	case safe == nil:
		return s, nil
	}
	return newSealed(s, safe), nil
}

// newSocket returns a socket for conn. It takes over conn, even if it fails.
func newSocket(conn net.Conn, rank dimmnet.Rank, poll poll) (*socket, error) {
	defer func() { _ = conn.Close() }()
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return nil, fmt.Errorf("tcp: a connection has type %T: want *net.TCPConn", conn)
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return nil, fmt.Errorf("tcp: getting the descriptor of a connection: %w", err)
	}
	s := &socket{rank: rank, poll: poll}
	var dupErr error
	err = raw.Control(func(fd uintptr) {
		// Go's poller stops watching conn when conn is closed. Both descriptors share O_NONBLOCK.
		s.fd, dupErr = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0)
	})
	if err == nil {
		err = dupErr
	}
	if err != nil {
		return nil, fmt.Errorf("tcp: duplicating the descriptor of a connection: %w", err)
	}
	s.tune()
	if err := poll.watch(unix.EPOLL_CTL_ADD, s.fd, int32(rank), false); err != nil {
		s.Close(false)
		return nil, err
	}
	return s, nil
}

// tune sets options for speed. Where an option is not allowed, the connection is slower.
func (s *socket) tune() {
	_ = unix.SetsockoptInt(s.fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
	// bbr paces its packets, and has half the bandwidth on loopback.
	for _, congestion := range []string{"cubic", "reno"} {
		if unix.SetsockoptString(s.fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION, congestion) == nil {
			break
		}
	}
}

// quick is the largest number of bytes that a system call moves without notice to Go's scheduler.
// For so few bytes the notice takes longer than the call.
const quick = 64 << 10

func (s *socket) Read(p []byte) (int, error) {
	var n uintptr
	var e unix.Errno
	if at := unsafe.Pointer(unsafe.SliceData(p)); len(p) <= quick {
		n, _, e = unix.RawSyscall6(unix.SYS_RECVFROM, uintptr(s.fd), uintptr(at), uintptr(len(p)), unix.MSG_DONTWAIT, 0, 0)
	} else {
		n, _, e = unix.Syscall6(unix.SYS_RECVFROM, uintptr(s.fd), uintptr(at), uintptr(len(p)), unix.MSG_DONTWAIT, 0, 0)
	}
	if e == 0 && n == 0 {
		return 0, io.EOF
	}
	return moved(n, e)
}

func (s *socket) Write(p []byte, more bool) (int, error) {
	flags := uintptr(unix.MSG_DONTWAIT | unix.MSG_NOSIGNAL)
	if more {
		flags |= unix.MSG_MORE
	}
	var n uintptr
	var e unix.Errno
	if at := unsafe.Pointer(unsafe.SliceData(p)); len(p) <= quick {
		n, _, e = unix.RawSyscall6(unix.SYS_SENDTO, uintptr(s.fd), uintptr(at), uintptr(len(p)), flags, 0, 0)
	} else {
		n, _, e = unix.Syscall6(unix.SYS_SENDTO, uintptr(s.fd), uintptr(at), uintptr(len(p)), flags, 0, 0)
	}
	return moved(n, e)
}

// ReadBoth reads by one system call.
func (s *socket) ReadBoth(p, q []byte) (int, error) {
	n, e := s.move(unix.SYS_RECVMSG, s.reading.set(p, q), len(p)+len(q), unix.MSG_DONTWAIT)
	if e == 0 && n == 0 {
		return 0, io.EOF
	}
	return moved(n, e)
}

// WriteBoth writes by one system call.
func (s *socket) WriteBoth(p, q []byte, more bool) (int, error) {
	if len(p) == 0 {
		return s.Write(q, more)
	}
	flags := uintptr(unix.MSG_DONTWAIT | unix.MSG_NOSIGNAL)
	if more {
		flags |= unix.MSG_MORE
	}
	return moved(s.move(unix.SYS_SENDMSG, s.writing.set(p, q), len(p)+len(q), flags))
}

// move makes a system call that moves up to n bytes.
func (s *socket) move(call uintptr, m *unix.Msghdr, n int, flags uintptr) (uintptr, unix.Errno) {
	var k uintptr
	var e unix.Errno
	if n <= quick {
		k, _, e = unix.RawSyscall(call, uintptr(s.fd), uintptr(unsafe.Pointer(m)), flags)
	} else {
		k, _, e = unix.Syscall(call, uintptr(s.fd), uintptr(unsafe.Pointer(m)), flags)
	}
	return k, e
}

// Buffered returns false: the poll reports all bytes that the system has.
func (s *socket) Buffered() bool { return false }

// Flush returns true: the system sends all bytes that it has accepted.
func (s *socket) Flush() (clear bool, err error) { return true, nil }

// moved returns how many bytes a system call has moved: 0 if it would have waited.
func moved(n uintptr, e unix.Errno) (int, error) {
	switch e {
	case 0:
		return int(n), nil
	case unix.EAGAIN, unix.EINTR:
		return 0, nil
	}
	return 0, e
}

func (s *socket) NotifyWritable(on bool) {
	if on == s.notifies {
		return
	}
	s.notifies = on
	// The call cannot fail for a descriptor that is watched, and every sleep is bounded.
	_ = s.poll.watch(unix.EPOLL_CTL_MOD, s.fd, int32(s.rank), on)
}

func (s *socket) HungUp() bool {
	fds := []unix.PollFd{{Fd: int32(s.fd), Events: unix.POLLRDHUP}}
	n, err := unix.Poll(fds, 0)
	return n > 0 && err == nil
}

func (s *socket) CloseWrite() { _ = unix.Shutdown(s.fd, unix.SHUT_WR) }
func (s *socket) Ignore()     { _ = s.poll.watch(unix.EPOLL_CTL_DEL, s.fd, 0, false) }

// Close closes the socket, and keeps its counts.
func (s *socket) Close(bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.look()
	s.closed = true
	_ = unix.Close(s.fd)
}

// Count asks the system.
func (s *socket) Count() dimmnet.Link {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.look()
	return s.count
}

func (s *socket) look() {
	if s.closed {
		return // another socket may have the descriptor
	}
	if i, err := unix.GetsockoptTCPInfo(s.fd, unix.IPPROTO_TCP, unix.TCP_INFO); err == nil {
		s.count = dimmnet.Link{Sent: i.Bytes_sent, Received: i.Bytes_received, Resent: uint64(i.Total_retrans)}
	}
}

// latePort leaves the choice of a port to connect instead of bind. connect needs a port that is
// free only for the peer's address. With hundreds of ranks on a host, bind would search for longer
// than everything else takes.
func latePort(_, _ string, c syscall.RawConn) error {
	return c.Control(func(fd uintptr) {
		// Without the option, bind is only slower.
		_ = unix.SetsockoptInt(int(fd), unix.SOL_IP, unix.IP_BIND_ADDRESS_NO_PORT, 1)
	})
}

// arrived receives a datagram that has arrived. It does not wait.
func arrived(conn *net.UDPConn, p []byte) (n int, ok bool) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, false // the socket is closed
	}
	_ = raw.Read(func(fd uintptr) bool {
		n, _, err = unix.Recvfrom(int(fd), p, unix.MSG_DONTWAIT)
		return true
	})
	return max(n, 0), err == nil || err == unix.EINTR
}
