package pump

import (
	"io"
	"net"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// conn is a Conn over TCP.
type conn struct{ *net.TCPConn }

func (conn) Ended()                       {}
func (c conn) Leave(atMost time.Duration) { _ = c.SetDeadline(time.Now().Add(atMost)) }
func (conn) Count() dimmnet.Link          { return dimmnet.Link{} }

// newPair returns a link, and the other end of its connection.
func newPair(t *testing.T) (*link, *net.TCPConn) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	dialed, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	p := NewPoll(1, func() {})
	l := p.Add(0, conn{accepted.(*net.TCPConn)}).(*link)
	t.Cleanup(func() {
		_ = dialed.Close()
		l.Close(false)
		p.Close()
	})
	return l, dialed.(*net.TCPConn)
}

// TestWakeAfterBytes checks that the Poll is woken only when the bytes, or their end, can be read.
// The test holds the lock of the ring, so that nothing can be put.
func TestWakeAfterBytes(t *testing.T) {
	l, other := newPair(t)
	woken := func(atMost time.Duration) bool {
		select {
		case <-l.poll.woken:
			return true
		case <-time.After(atMost):
			return false
		}
	}
	for i := range 3 {
		l.received.mu.Lock()
		var err error
		if i < 2 {
			_, err = other.Write([]byte{1})
		} else {
			err = other.CloseWrite()
		}
		early := woken(100 * time.Millisecond)
		l.received.mu.Unlock()
		if err != nil {
			t.Fatal(err)
		}
		if early {
			t.Errorf("step %d: the Poll is woken before the bytes are in the ring", i)
		}
		if !early && !woken(patient) {
			t.Fatalf("step %d: the Poll is not woken", i)
		}
		if !l.received.readable() {
			t.Errorf("step %d: nothing can be read", i)
		}
		var p [8]byte
		if n, err := l.Read(p[:]); i < 2 && n != 1 || i == 2 && err != io.EOF {
			t.Errorf("step %d: Read returned %d bytes, %v", i, n, err)
		}
	}
}

// last is a Conn whose bytes and their end come by one Read.
type last struct {
	conn
	io.Reader
	ended chan struct{}
}

func (l last) Read(p []byte) (int, error) { return l.Reader.Read(p) }
func (last) Write(p []byte) (int, error)  { return len(p), nil }
func (last) CloseWrite() error            { return nil }
func (last) Leave(time.Duration)          {}
func (last) Close() error                 { return nil }
func (l last) Ended()                     { close(l.ended) }

// TestLastBytes checks that the last bytes come before the end, even if one Read of the connection
// returns both, and that the connection is told.
func TestLastBytes(t *testing.T) {
	const sent = "last bytes"
	p := NewPoll(1, func() {})
	ended := make(chan struct{})
	l := p.Add(0, last{Reader: iotest.DataErrReader(strings.NewReader(sent)), ended: ended})
	defer func() {
		l.Close(false)
		p.Close()
	}()
	var got []byte
	for {
		var b [32]byte
		n, err := l.Read(b[:])
		if got = append(got, b[:n]...); err != nil {
			if err != io.EOF || string(got) != sent {
				t.Errorf("the link reads %q, then %v; want %q, then the end", got, err, sent)
			}
			break
		}
		if n == 0 {
			<-p.woken
		}
	}
	select {
	case <-ended:
	case <-time.After(patient):
		t.Error("the connection is not told of the end")
	}
}
