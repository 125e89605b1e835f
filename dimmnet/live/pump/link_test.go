package quic

import (
	"io"
	"testing"
	"time"

	quicgo "github.com/quic-go/quic-go"

	"github.com/fagus-dsm/fagus/dimmnet/live/meshtest"
)

// newConns returns the two ends of a connection that rank 1 dials: first rank 0's, then rank 1's.
func newConns(t *testing.T) (accepted, dialed *quicgo.Conn) {
	t.Helper()
	authority := meshtest.NewAuthority(t, 2)
	cfg := &quicgo.Config{MaxIncomingUniStreams: streamsPerPeer}
	listener, err := newTransport(t).Listen(meshtest.Issue(t, authority, 0).Server(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	dialed, err = newTransport(t).Dial(t.Context(), listener.Addr(), meshtest.Issue(t, authority, 1).Client(0), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if accepted, err = listener.Accept(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dialed.CloseWithError(codeOver, "") })
	return accepted, dialed
}

// newPair returns the link of rank 0 to rank 1, and the streams of rank 1.
func newPair(t *testing.T) (*link, *peer) {
	t.Helper()
	accepted, dialed := newConns(t)
	p := &peer{conn: accepted}
	var err error
	if p.out, err = p.conn.OpenUniStream(); err != nil {
		t.Fatal(err)
	}
	other := &peer{conn: dialed}
	if other.out, err = dialed.OpenUniStream(); err != nil {
		t.Fatal(err)
	}
	if _, err := other.out.Write([]byte{0}); err != nil { // announces the stream
		t.Fatal(err)
	}
	if p.in, err = p.conn.AcceptUniStream(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := p.out.Write([]byte{0}); err != nil {
		t.Fatal(err)
	}
	if other.in, err = dialed.AcceptUniStream(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := other.in.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	l := newLink(p, newPoll(0, nil))
	t.Cleanup(func() {
		_ = dialed.CloseWithError(codeOver, "")
		l.Close(false)
		l.poll.goroutines.Wait()
	})
	return l, other
}

// TestWakeAfterBytes checks that the poll is woken only when the bytes, or the end of the stream,
// can be read. The test holds the lock of the ring, so that nothing can be put.
func TestWakeAfterBytes(t *testing.T) {
	l, other := newPair(t)
	s := other.out
	woken := func(atMost time.Duration) bool {
		select {
		case <-l.poll.woken:
			return true
		case <-time.After(atMost):
			return false
		}
	}
	if !woken(10 * time.Second) { // by the first byte
		t.Fatal("the first byte does not wake the poll")
	}
	for i := range 3 {
		l.received.mu.Lock()
		var err error
		if i < 2 {
			_, err = s.Write([]byte{1})
		} else {
			err = s.Close()
		}
		early := woken(100 * time.Millisecond)
		l.received.mu.Unlock()
		if err != nil {
			t.Fatal(err)
		}
		if early {
			t.Errorf("step %d: the poll is woken before the bytes are in the ring", i)
		}
		if !early && !woken(10*time.Second) {
			t.Fatalf("step %d: the poll is not woken", i)
		}
		if !l.received.readable() {
			t.Errorf("step %d: nothing can be read", i)
		}
		var p [8]byte
		if n, err := l.Read(p[:]); i == 0 && n != 2 || i == 1 && n != 1 || i == 2 && err == nil {
			t.Errorf("step %d: Read returned %d bytes, %v", i, n, err)
		}
	}
}

// TestLastBytes checks that the bytes of a stream come before its end, even if one Read of the
// stream returns both: everything has arrived before the link first reads.
func TestLastBytes(t *testing.T) {
	near, far := newConns(t)
	accept := func() *quicgo.ReceiveStream {
		t.Helper()
		s, err := near.AcceptUniStream(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	const sent = "last bytes"
	for range streamsPerPeer { // the second stream arrives after the whole of the first
		s, err := far.OpenUniStream()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Write([]byte(sent)); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	l := &link{peer: &peer{conn: near, in: accept()}, received: newRing(), poll: newPoll(0, nil)}
	if _, err := io.ReadAll(accept()); err != nil {
		t.Fatal(err)
	}
	l.poll.goroutines.Go(l.receive)
	var got []byte
	for {
		var p [32]byte
		n, err := l.Read(p[:])
		if got = append(got, p[:n]...); err != nil {
			if err != io.EOF || string(got) != sent {
				t.Errorf("the link reads %q, then %v; want %q, then the end", got, err, sent)
			}
			break
		}
		if n == 0 {
			<-l.poll.woken
		}
	}
	l.poll.goroutines.Wait()
}
