//go:build linux && !fagusportable

package tcp

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet/live/meshtest"
	"github.com/fagus-dsm/fagus/dimmnet/live/stream"
)

// trickle is one end of a stream that reads and writes a random part of what it is asked to.
type trickle struct {
	stream.Stream // nil: no test calls the other methods
	random        *rand.Rand
	in, out       *bytes.Buffer
	ended         *bool
}

// some returns a number from 0 to n, often 0 or n.
func (s *trickle) some(n int) int {
	switch s.random.IntN(4) {
	case 0:
		return 0
	case 1:
		return n
	}
	return s.random.IntN(n + 1)
}

func (s *trickle) Read(p []byte) (int, error) {
	if s.in.Len() == 0 && *s.ended {
		return 0, io.EOF
	}
	n, _ := s.in.Read(p[:s.some(len(p))])
	return n, nil
}

func (s *trickle) Write(p []byte, _ bool) (int, error) {
	return s.out.Write(p[:s.some(len(p))])
}

// sealedPair returns two ends of a stream with TLS. The second end has dialed the first end.
func sealedPair(t *testing.T, random *rand.Rand) (one, two *sealed, ended *bool) {
	t.Helper()
	a := meshtest.NewAuthority(t, 2)
	lower, higher := net.Pipe()
	accepted := make(chan *tls.Conn, 1)
	go func() {
		conn, peer, err := acceptTLS(lower, meshtest.Issue(t, a, 0))
		if err != nil || peer != 1 {
			t.Errorf("acceptTLS returned rank %d, %v, want rank 1", peer, err)
		}
		accepted <- conn.(*tls.Conn)
	}()
	conn, err := dialTLS(higher, meshtest.Issue(t, a, 1), 0)
	if err != nil {
		t.Fatal(err)
	}
	up, down := new(bytes.Buffer), new(bytes.Buffer)
	ended = new(bool)
	one = newSealed(&trickle{random: random, in: up, out: down, ended: ended}, <-accepted)
	two = newSealed(&trickle{random: random, in: down, out: up, ended: ended}, conn.(*tls.Conn))
	return one, two, ended
}

// TestSealed checks that all bytes arrive, whatever portions the stream accepts, that no call
// waits, and that no bytes remain that a poll would not report.
func TestSealed(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	one, two, ended := sealedPair(t, random)
	ends := []*sealed{one, two}
	var wrote, read [2]bytes.Buffer // by the end that writes
	buf := make([]byte, 300<<10)
	for range 3000 {
		from := random.IntN(2)
		p := meshtest.Noise(1 + random.IntN(1<<random.IntN(19)))
		p[0] = byte(random.Uint32())
		n, err := ends[from].Write(p, random.IntN(2) == 0)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		wrote[from].Write(p[:n])
		if n := ends[from].wire.buffered(); n > 2*sealedAtOnce {
			t.Fatalf("seed %d: %d bytes are buffered, want at most twice sealedAtOnce", seed, n)
		}
		n, err = ends[1-from].Read(buf[:1+random.IntN(len(buf))])
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		read[from].Write(buf[:n])
	}
	for from, s := range ends {
		for clear := false; !clear || s.wire.plain.(*trickle).out.Len() > 0 || ends[1-from].Buffered(); {
			clear, _ = s.Flush()
			n, err := ends[1-from].Read(buf)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			read[from].Write(buf[:n])
		}
		if !bytes.Equal(wrote[from].Bytes(), read[from].Bytes()) {
			t.Errorf("seed %d: %d bytes were written, and %d read, or they differ", seed, wrote[from].Len(), read[from].Len())
		}
	}
	*ended = true
	if n, err := one.Read(buf); n != 0 || err != io.EOF {
		t.Errorf("seed %d: after the end %d bytes and %v, want EOF", seed, n, err)
	}
}

// TestBuffered checks that bytes that TLS has received, and that no poll of the connection reports,
// are reported until they have been read.
func TestBuffered(t *testing.T) {
	one, two, _ := sealedPair(t, rand.New(rand.NewPCG(2, 0)))
	sent := meshtest.Noise(1000)
	if n, err := one.Write(sent, false); n != len(sent) || err != nil {
		t.Fatalf("Write returns %d, %v", n, err)
	}
	for clear := false; !clear; clear, _ = one.Flush() {
	}
	hidden := false // bytes were only in TLS
	for read := 0; read < len(sent); {
		n, err := two.Read(make([]byte, 10))
		if err != nil {
			t.Fatal(err)
		}
		read += n
		if two.wire.plain.(*trickle).in.Len() > 0 || read == len(sent) {
			continue
		}
		if hidden = true; !two.Buffered() {
			t.Fatalf("after %d of %d bytes the connection is empty, and Buffered reports false", read, len(sent))
		}
	}
	if n, err := two.Read(make([]byte, 10)); n != 0 || err != nil || two.Buffered() || !hidden {
		t.Errorf("when all is read, Read returns %d, %v, and Buffered %v", n, err, two.Buffered())
	}
}

// TestTampered checks that a byte that changes on its way ends the stream.
func TestTampered(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	one, two, _ := sealedPair(t, random)
	if _, err := one.Write(meshtest.Noise(100), false); err != nil {
		t.Fatal(err)
	}
	for clear := false; !clear; clear, _ = one.Flush() {
	}
	two.wire.plain.(*trickle).in.Bytes()[30] ^= 1
	for range 100 {
		n, err := two.Read(make([]byte, 200))
		if n > 0 {
			t.Fatalf("%d bytes are read", n)
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				t.Errorf("the error is %v, want another than EOF", err)
			}
			return
		}
	}
	t.Error("the changed byte is accepted")
}
