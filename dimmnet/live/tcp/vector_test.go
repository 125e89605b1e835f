//go:build linux && !fagusportable

package tcp

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"

	"golang.org/x/sys/unix"
)

// TestBoth writes two slices at once, also more than the socket accepts, and reads them into
// slices of other lengths. It also checks the end of the stream.
func TestBoth(t *testing.T) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	from, to := &socket{fd: fds[0]}, &socket{fd: fds[1]}
	t.Cleanup(func() { to.Close(false) })
	if n, err := from.WriteBoth(make([]byte, 24), make([]byte, 40), false); n != 64 || err != nil {
		t.Fatalf("an empty socket accepts %d bytes of two slices, want 64: %v", n, err)
	}
	if n, err := to.ReadBoth(make([]byte, 8), make([]byte, 100)); n != 64 || err != nil {
		t.Fatalf("%d bytes are read into two slices, want 64: %v", n, err)
	}
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	sizes := []int{1, 24, 4096, quick, 1 << 20}
	size := func() int { return 1 + r.IntN(sizes[r.IntN(len(sizes))]) }
	var sent, received []byte
	partial := 0
	read := func() (n int) {
		p, q := make([]byte, size()), make([]byte, size())
		n, err := to.ReadBoth(p, q)
		if err != nil {
			t.Fatalf("seed %d: reading: %v", seed, err)
		}
		received = append(append(received, p[:min(n, len(p))]...), q[:max(n-len(p), 0)]...)
		return n
	}
	for range 200 {
		p, q := make([]byte, size()), make([]byte, size())
		for i := range p {
			p[i] = byte(r.Uint32())
		}
		for i := range q {
			q[i] = byte(r.Uint32())
		}
		n, err := from.WriteBoth(p, q, false)
		if err != nil {
			t.Fatalf("seed %d: writing: %v", seed, err)
		}
		if n < len(p)+len(q) {
			partial++
		}
		sent = append(append(sent, p[:min(n, len(p))]...), q[:max(n-len(p), 0)]...)
		for range r.IntN(3) {
			read()
		}
	}
	for read() > 0 {
	}
	if !bytes.Equal(sent, received) || partial == 0 {
		t.Errorf("seed %d: %d bytes arrive of %d, or are changed; %d writes were accepted in part, want some", seed, len(received), len(sent), partial)
	}
	from.Close(false)
	if _, err := to.ReadBoth(make([]byte, 8), make([]byte, 8)); err != io.EOF {
		t.Errorf("reading after the end: error %v, want %v", err, io.EOF)
	}
}
