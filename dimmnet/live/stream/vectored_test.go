package stream

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// choppy is a tape that moves a random number of bytes in each call, also of two slices at once.
type choppy struct {
	tape
	r *rand.Rand
}

func (c *choppy) most(n int) int {
	if c.r.IntN(3) > 0 {
		return n
	}
	return c.r.IntN(n + 1)
}

func (c *choppy) Write(p []byte, more bool) (int, error) {
	return c.tape.Write(p[:c.most(len(p))], more)
}

func (c *choppy) WriteBoth(p, q []byte, more bool) (int, error) {
	n := c.most(len(p) + len(q))
	_, _ = c.tape.Write(p[:min(n, len(p))], true)
	_, _ = c.tape.Write(q[:max(n-len(p), 0)], more)
	return n, nil
}

func (c *choppy) Read(p []byte) (int, error) { return c.tape.Read(p[:c.most(len(p))]) }

func (c *choppy) ReadBoth(p, q []byte) (int, error) {
	n := c.most(len(p) + len(q))
	k, _ := c.tape.Read(p[:min(n, len(p))])
	more, _ := c.tape.Read(q[:max(n-len(p), 0)])
	return k + more, nil
}

// TestChoppy sends words and data of all sizes over a stream that accepts and returns random parts
// of two slices at once. One peer is on this host, one on another.
func TestChoppy(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	for _, near := range []bool{false, true} {
		for range 30 {
			c := &choppy{r: r}
			from, to := newEnd(nil), newEnd(nil)
			from.out.stream, from.out.near, from.out.onSent = c, near, func() {}
			to.in.stream, to.in.receives = c, nil
			to.in.receiving.Store(0)
			var sent, received [][]byte
			words := dimmnet.Offset(0)
			for range 1 + r.IntN(12) {
				if r.IntN(2) == 0 {
					from.out.post(store, word, words*word, binary.LittleEndian.AppendUint64(nil, uint64(words)+1))
					words++
				} else {
					p := noise(1 + r.IntN([]int{100, 6000, 100_000, 2_500_000}[r.IntN(4)]))
					sent, received = append(sent, p), append(received, make([]byte, len(p)))
					to.in.addReceive(received[len(received)-1])
					from.out.sendZeroCopy(p)
				}
				if r.IntN(2) == 0 {
					from.out.flush()
				}
			}
			for from.out.waiting.Load() {
				from.out.flush()
			}
			for len(c.in)+len(c.out) > 0 {
				c.in, c.out = append(c.in, c.out...), nil
				if err := to.receive(); err != nil {
					t.Fatalf("seed %d: near: %t: %v", seed, near, err)
				}
			}
			for i := range sent {
				if !bytes.Equal(sent[i], received[i]) {
					t.Fatalf("seed %d: near: %t: %d bytes arrive changed", seed, near, len(sent[i]))
				}
			}
			for i := range words {
				if got := to.nic.LLCM.Load(i * word); got != uint64(i)+1 {
					t.Fatalf("seed %d: near: %t: word %d is %d", seed, near, i, got)
				}
			}
			if left := to.in.receiving.Load(); left > 0 || from.out.sending.Load() > 0 {
				t.Fatalf("seed %d: near: %t: %d receives and %d sends are open", seed, near, left, from.out.sending.Load())
			}
		}
	}
}

// writes is a tape that counts calls.
type writes struct {
	tape
	calls int
}

func (w *writes) Write(p []byte, more bool) (int, error) {
	w.calls++
	return w.tape.Write(p, more)
}

func (w *writes) WriteBoth(p, q []byte, more bool) (int, error) {
	w.calls++
	_, _ = w.tape.Write(p, true)
	k, _ := w.tape.Write(q, more)
	return len(p) + k, nil
}

func (w *writes) ReadBoth(p, q []byte) (int, error) { return 0, nil }

// TestOneWrite checks that gathered words, the header of a large piece and its payload go in one
// call, and that later posts follow the piece.
func TestOneWrite(t *testing.T) {
	w := new(writes)
	from := newEnd(nil)
	from.out.stream, from.out.near, from.out.onSent = w, true, func() {}
	from.out.post(store, word, 0, binary.LittleEndian.AppendUint64(nil, 1))
	from.out.post(store, word, 8, binary.LittleEndian.AppendUint64(nil, 2))
	from.out.sendZeroCopy(noise(40_000))
	if want := 3*headerBytes + 2*word + 40_000; w.calls != 1 || len(w.out) != want {
		t.Errorf("%d calls write %d bytes, want 1 call and %d bytes", w.calls, len(w.out), want)
	}
	if from.out.post(store, word, 16, binary.LittleEndian.AppendUint64(nil, 3)); w.calls != 1 {
		t.Errorf("a Store after the piece is written at once")
	}
}

// TestPieceSums checks that a large piece to another host has a checksum, which the receiver
// compares. A piece to a peer on this host has none and says so. Payloads that go through the
// buffer always have one.
func TestPieceSums(t *testing.T) {
	for _, near := range []bool{false, true} {
		from := newEnd(nil)
		from.out.near, from.out.onSent = near, func() {}
		from.out.sendZeroCopy(noise(40))
		from.out.sendZeroCopy(noise(40_000))
		from.out.flush()
		b := from.out.stream.(*tape).out
		small, large := b, b[headerBytes+40:]
		if binary.LittleEndian.Uint32(small[16:]) != checksum(0, noise(40)) || small[3] != argLast {
			t.Errorf("near: %t: the header of a small payload is %x", near, small[:headerBytes])
		}
		sum, arg := binary.LittleEndian.Uint32(large[16:]), large[3]
		if near && (sum != 0 || arg != argLast|argUnsummed) || !near && (sum != checksum(0, noise(40_000)) || arg != argLast) {
			t.Errorf("near: %t: the header of a large piece is %x", near, large[:headerBytes])
		}
		if err := newEnd(b).receive(); err != nil {
			t.Errorf("near: %t: %v", near, err)
		}
		large[headerBytes+20_000]++
		if err := newEnd(b).receive(); (err == nil) != near {
			t.Errorf("near: %t: a changed byte of a large piece: %v", near, err)
		}
	}
	e := newEnd(new(frames).add(zeroCopy, argLast|argUnsummed, 0, noise(40)).b)
	if err := e.receive(); err == nil {
		t.Error("a small payload without a checksum is accepted")
	}
}
