//go:build !linux || fagusportable

package tcp

import (
	"net"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet/live/meshtest"
	"github.com/fagus-dsm/fagus/dimmnet/live/pump"
)

// TestCloseStopped: a rank closes a stream with TLS to a peer that is gone and reads nothing. That
// takes no longer than package pump says: crypto/tls would wait for 5 s.
func TestCloseStopped(t *testing.T) {
	authority := meshtest.NewAuthority(t, 2)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	accepted := make(chan net.Conn, 1)
	go func() {
		raw, err := listener.Accept()
		if err == nil {
			raw, _, err = acceptTLS(raw, meshtest.Issue(t, authority, 0))
		}
		if err != nil {
			t.Error(err)
		}
		accepted <- raw
	}()
	raw, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	conn, err := dialTLS(raw, meshtest.Issue(t, authority, 1), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = (<-accepted).Close() }()
	p := pump.NewPoll(1, func() {})
	s := p.Add(0, &pumped{Conn: conn})
	page := make([]byte, 64<<10)
	for full := time.Now(); time.Since(full) < 200*time.Millisecond; time.Sleep(time.Millisecond) {
		n, err := s.Write(page, false)
		if err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			full = time.Now()
		}
	}
	begun := time.Now()
	s.Close(true)
	p.Close()
	if took := time.Since(begun); took > 4*time.Second {
		t.Errorf("Close took %v", took)
	}
}
