package stream

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"sync/atomic"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/frametest"
)

// tape is a Stream that reads given bytes, and records the bytes written.
type tape struct {
	in, out []byte
}

func (t *tape) Read(p []byte) (int, error) {
	n := copy(p, t.in)
	t.in = t.in[n:]
	return n, nil
}

func (t *tape) Write(p []byte, _ bool) (int, error) {
	t.out = append(t.out, p...)
	return len(p), nil
}

func (t *tape) Buffered() bool       { return false }
func (t *tape) Flush() (bool, error) { return true, nil }
func (t *tape) NotifyWritable(bool)  {}
func (t *tape) HungUp() bool         { return false }
func (t *tape) CloseWrite()          {}
func (t *tape) Ignore()              {}
func (t *tape) Close(bool)           {}

// recorder records the events of an inbox.
type recorder struct {
	notices  uint32
	gone     bool
	because  dimmnet.Rank
	why      string
	goodbyes int
	alives   string // "1" for a sign of life that says that beats arrive, "0" otherwise
}

func (e *recorder) notified(times uint32) { e.notices += times }
func (e *recorder) failed(because dimmnet.Rank, why string, gone bool) {
	e.because, e.why, e.gone = because, why, gone
}
func (e *recorder) saidGoodbye() { e.goodbyes++ }
func (e *recorder) saidAlive(hears bool) {
	if hears {
		e.alives += "1"
	} else {
		e.alives += "0"
	}
}

// end is a rank that receives from a tape.
type end struct {
	recorder
	nic nic
	out outbox
	in  inbox

	received [2][]byte // the destinations of zero-copy sends
}

const testLLCM, testBulk = 8192, 1 << 17

// newEnd returns an end with a Push of 16 bytes and a Pull of 24 bytes to offset 4096 in progress.
// The end has called Receive for 40 bytes, and for 40,000.
func newEnd(frames []byte) *end { return newEndWith(testBulk, frames) }

func newEndWith(bulk int, frames []byte) *end {
	e := &end{nic: newNIC(nil, dimmnet.Limits{Store: word, Block: 4096, RDMA: testLLCM + bulk, LLCM: testLLCM, Bulk: bulk}, SumAll)}
	t := &tape{in: frames}
	e.out = outbox{stream: t, nic: &e.nic, onSpace: func() {}}
	e.out.pushes = []move{{done: 8, n: 16}}
	e.out.pulls = []move{{done: 16, n: 24, to: 4096, rest: 24}}
	e.in = inbox{stream: t, nic: &e.nic, out: &e.out, order: new(atomic.Uint64), events: &e.recorder, buf: make([]byte, 2*maxFrame)}
	for i, n := range []int{40, 40_000} {
		e.received[i] = make([]byte, n)
		e.in.addReceive(e.received[i])
	}
	return e
}

// receive receives the whole tape.
func (e *end) receive() error {
	for {
		came, err := e.in.receive()
		if err != nil || !came {
			return err
		}
	}
}

// frames builds the bytes of frames, numbered from 0.
type frames struct {
	b      []byte
	number uint32
	sums   Sums
}

func (f *frames) add(k kind, arg uint8, off dimmnet.Offset, payload []byte) *frames {
	h := header{kind: k, arg: arg, n: len(payload), off: off, number: f.number, payload: f.sums.of(payload)}
	f.number++
	f.b = append(h.append(f.b, f.sums), payload...)
	return f
}

func noise(n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(i*7 + i>>8 + 1)
	}
	return p
}

// every returns frames of all kinds, in an order that newEnd accepts.
func every() *frames {
	return new(frames).
		add(store, 4, 132, binary.LittleEndian.AppendUint64(nil, 0x1122334455667788)).
		add(block, 0, 200, noise(33)).
		add(push, 0, testLLCM+8, noise(1<<16)).
		add(push, 1, testLLCM+8+1<<16, noise(3)).
		add(pushed, 0, 0, nil).
		add(pull, 0, testLLCM, request{to: 512, n: 100}.append(nil)).
		add(pulled, 0, 4096, noise(16)).
		add(pulled, 1, 4112, noise(8)).
		add(zeroCopy, 0, 0, noise(33)).
		add(zeroCopy, 1, 0, noise(7)).
		add(zeroCopy, 0, 0, noise(39_999)).
		add(zeroCopy, 1, 0, noise(1)).
		add(notify, 0, 3, nil).
		add(alive, 1, 0, nil).
		add(goodbye, 0, 0, nil).
		add(alive, 0, 0, nil).
		add(failure, 1, 0, append([]byte{7, 0}, "boom"...))
}

// TestFrames checks the effect of each kind of frame, when bytes arrive in portions of many sizes.
func TestFrames(t *testing.T) {
	for portion := 1; portion < 1<<17; portion = portion*3 + 1 {
		e := newEnd(nil)
		for rest := every().b; len(rest) > 0; {
			n := min(portion, len(rest))
			e.in.stream.(*tape).in = rest[:n]
			if err := e.receive(); err != nil {
				t.Fatalf("portions of %d: %v", portion, err)
			}
			rest = rest[n:]
		}
		want := make([]byte, testLLCM)
		copy(want[132:], []byte{0x88, 0x77, 0x66, 0x55})
		copy(want[200:], noise(33))
		copy(want[4096:], noise(16))
		copy(want[4112:], noise(8))
		want[8], want[16] = 16, 24 // the completions of the Push and the Pull
		if !bytes.Equal(e.nic.LLCM.Bytes(), want) {
			t.Errorf("portions of %d: the contents of the LLCM are wrong", portion)
		}
		want = make([]byte, testBulk)
		copy(want[8:], noise(1<<16))
		copy(want[8+1<<16:], noise(3))
		if !bytes.Equal(e.nic.Host.Bytes(), want) {
			t.Errorf("portions of %d: the contents of the bulk memory are wrong", portion)
		}
		if want := append(noise(33), noise(7)...); !bytes.Equal(e.received[0], want) {
			t.Errorf("portions of %d: received %x, want %x", portion, e.received[0], want)
		}
		if want := append(noise(39_999), noise(1)...); !bytes.Equal(e.received[1], want) || e.in.receiving.Load() != 0 {
			t.Errorf("portions of %d: the 40000 bytes received are damaged, or %d Receives are incomplete", portion, e.in.receiving.Load())
		}
		if e.notices != 3 || e.goodbyes != 1 || e.alives != "10" || e.because != 7 || e.why != "boom" || !e.gone {
			t.Errorf("portions of %d: the recorded events %+v are wrong", portion, e.recorder)
		}
		if len(e.out.transfers) != 1 || !reflect.DeepEqual(e.out.transfers[0], transfer{kind: pulled, from: testLLCM, to: 512, n: 100}) {
			t.Errorf("portions of %d: the answers %+v to the Pull are wrong", portion, e.out.transfers)
		}
	}
}

// TestDamagedFrames checks that a truncated frame has no effect, and that a frame with a changed
// byte is refused and has no effect either.
func TestDamagedFrames(t *testing.T) {
	for _, f := range []*frames{
		new(frames).add(store, 4, 132, noise(8)),
		new(frames).add(block, 0, 200, noise(33)),
		new(frames).add(push, 1, 100, noise(20)),
		new(frames).add(pushed, 0, 0, nil),
		new(frames).add(pull, 0, 0, request{to: 512, n: 100}.append(nil)),
		new(frames).add(pulled, 1, 4096, noise(24)),
		new(frames).add(zeroCopy, 1, 0, noise(40)),
		new(frames).add(notify, 0, 1, nil),
		new(frames).add(goodbye, 0, 0, nil),
		new(frames).add(failure, 0, 0, noise(9)),
	} {
		if err := newEndWith(0, f.b).receive(); err != nil {
			t.Fatalf("intact frames %x: %v, want no error", f.b, err)
		}
		zeros := newEndWith(0, nil)
		for damaged := range frametest.Every(f.b) {
			e := newEndWith(0, damaged)
			if err := e.receive(); err == nil && len(damaged) == len(f.b) {
				t.Fatalf("%x is accepted as %x", damaged, f.b)
			}
			if !bytes.Equal(e.nic.LLCM.Bytes(), zeros.nic.LLCM.Bytes()) || e.recorder != (recorder{}) || len(e.out.transfers) > 0 || !bytes.Equal(e.received[0], make([]byte, 40)) {
				t.Fatalf("%x has had an effect", damaged)
			}
		}
	}
}

// TestDamagedPiece checks that a damaged large piece changes only its own destination before it is
// refused.
func TestDamagedPiece(t *testing.T) {
	f := new(frames).add(push, 1, testLLCM+64, noise(1<<15))
	f.b[headerBytes+20000] ^= 4
	e := newEnd(f.b)
	if err := e.receive(); err == nil {
		t.Error("the damaged piece is accepted")
	}
	bulk := e.nic.Host.Bytes()
	clear(bulk[64 : 64+1<<15])
	if !bytes.Equal(bulk, make([]byte, testBulk)) || !bytes.Equal(e.nic.LLCM.Bytes(), make([]byte, testLLCM)) {
		t.Error("bytes outside the destination have changed")
	}
	if len(e.out.buf) > 0 {
		t.Error("the damaged piece is acknowledged")
	}
}

// TestForbiddenFrames checks that intact frames are refused if a rank must not send them.
func TestForbiddenFrames(t *testing.T) {
	for name, f := range map[string]*frames{
		"store outside":             new(frames).add(store, 8, testLLCM, noise(8)),
		"store of nothing":          new(frames).add(store, 0, 0, noise(8)),
		"store across a word":       new(frames).add(store, 8, 4, noise(8)),
		"store of nine bytes":       new(frames).add(store, 9, 0, noise(8)),
		"block outside":             new(frames).add(block, 0, testLLCM-1, noise(2)),
		"block too long":            new(frames).add(block, 0, 0, noise(4097)),
		"block of nothing":          new(frames).add(block, 0, 0, nil),
		"push outside":              new(frames).add(push, 1, testLLCM+testBulk-8, noise(16)),
		"push across":               new(frames).add(push, 1, testLLCM-8, noise(16)),
		"push at the end":           new(frames).add(push, 1, 1<<32-8, noise(16)),
		"large push misaligned":     new(frames).add(push, 1, testLLCM+4, noise(1<<15)),
		"push too long":             new(frames).add(push, 1, testLLCM, noise(pieceBytes+8)),
		"ack of nothing":            new(frames).add(pushed, 0, 0, nil).add(pushed, 0, 0, nil),
		"pull outside":              new(frames).add(pull, 0, testLLCM-8, request{to: 0, n: 16}.append(nil)),
		"pull to outside":           new(frames).add(pull, 0, 0, request{to: testLLCM - 8, n: 16}.append(nil)),
		"pull of nothing":           new(frames).add(pull, 0, 0, request{}.append(nil)),
		"pull of too much":          new(frames).add(pull, 0, 0, request{n: 1<<32 - 1}.append(nil)),
		"answer elsewhere":          new(frames).add(pulled, 1, 0, noise(24)),
		"answer too long":           new(frames).add(pulled, 1, 4096, noise(32)),
		"answer too short":          new(frames).add(pulled, 1, 4096, noise(16)),
		"answer without end":        new(frames).add(pulled, 0, 4096, noise(24)),
		"answer twice":              new(frames).add(pulled, 1, 4096, noise(24)).add(pulled, 1, 4096, noise(24)),
		"zero-copy too long":        new(frames).add(zeroCopy, 1, 0, noise(41)),
		"zero-copy too short":       new(frames).add(zeroCopy, 1, 0, noise(39)),
		"zero-copy without end":     new(frames).add(zeroCopy, 0, 0, noise(40)),
		"zero-copy of nothing":      new(frames).add(zeroCopy, 1, 0, nil),
		"zero-copy with offset":     new(frames).add(zeroCopy, 1, 8, noise(40)),
		"second zero-copy too long": new(frames).add(zeroCopy, 1, 0, noise(40)).add(zeroCopy, 0, 0, noise(40_001)),
		"after goodbye":             new(frames).add(goodbye, 0, 0, nil).add(store, 8, 0, noise(8)),
		"goodbye twice":             new(frames).add(goodbye, 0, 0, nil).add(goodbye, 0, 0, nil),
		"a long failure":            new(frames).add(failure, 0, 0, noise(2000)),
		"no kind":                   new(frames).add(0, 0, 0, nil),
		"unknown kind":              new(frames).add(kinds, 0, 0, nil),
		"frame lost":                {b: (&frames{number: 1}).add(goodbye, 0, 0, nil).b},
	} {
		if err := newEnd(f.b).receive(); err == nil {
			t.Errorf("%s: accepted, want a refusal", name)
		}
	}
}

// TestEarlyZeroCopy checks that a zero-copy piece without a Receive is not read, nor any frame
// after it, until there is one.
func TestEarlyZeroCopy(t *testing.T) {
	for _, n := range []int{1, smallBytes, smallBytes + 1, 60_000} {
		e := newEnd(new(frames).add(zeroCopy, 1, 0, noise(40)).add(zeroCopy, 1, 0, noise(40_000)).add(zeroCopy, 1, 0, noise(n)).add(store, 8, 8, noise(8)).b)
		if err := e.receive(); err != nil {
			t.Fatal(err)
		}
		if !e.in.blocked || e.nic.LLCM.Load(8) != 0 {
			t.Fatalf("%d bytes are read without a Receive", n)
		}
		p := make([]byte, n)
		e.in.addReceive(p)
		if err := e.receive(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(p, noise(n)) || e.nic.LLCM.Load(8) != binary.LittleEndian.Uint64(noise(8)) {
			t.Errorf("%d bytes are damaged, or the Store after them is lost", n)
		}
	}
}

// hoard is a tape whose bytes have all left the socket, as with TLS: no poll reports them.
type hoard struct{ tape }

func (h *hoard) Buffered() bool { return len(h.in) > 0 }

// TestReceiveOfHoarded: if a stream waits for a Receive, the Receive also reads the bytes that the
// stream has buffered, because nothing else would.
func TestReceiveOfHoarded(t *testing.T) {
	for _, n := range []int{1, smallBytes, smallBytes + 1, 60_000} {
		f := new(frames).add(zeroCopy, 1, 0, noise(40)).add(zeroCopy, 1, 0, noise(40_000)).add(zeroCopy, 1, 0, noise(n))
		for range 10 * inboxBytes / headerBytes {
			f.add(store, 8, 8, noise(8))
		}
		f.add(store, 8, 16, noise(8))
		e := newEnd(nil)
		e.in.stream = &hoard{tape{in: f.b}}
		if err := e.receive(); err != nil || !e.in.blocked {
			t.Fatal(e.in.blocked, err)
		}
		p := make([]byte, n)
		e.in.addReceive(p)
		if _, err := e.in.receive(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(p, noise(n)) || e.nic.LLCM.Load(16) != binary.LittleEndian.Uint64(noise(8)) {
			t.Errorf("%d bytes: the data, or the last Store after them, have not landed", n)
		}

		e = newEnd(nil) // the same if nobody wants the data any more
		e.in.stream = &hoard{tape{in: f.b}}
		if err := e.receive(); err != nil || !e.in.blocked {
			t.Fatal(e.in.blocked, err)
		}
		e.in.abandon()
		if _, err := e.in.receive(); err != nil {
			t.Fatal(err)
		}
		if e.nic.LLCM.Load(16) != binary.LittleEndian.Uint64(noise(8)) {
			t.Errorf("%d bytes abandoned: the last Store after them has not landed", n)
		}
	}
}

// TestAbandon checks that after Abandon no destination is written and no source is read, and that
// the frames after a zero-copy piece are still understood.
func TestAbandon(t *testing.T) {
	f := new(frames).add(zeroCopy, 1, 0, noise(40)).add(zeroCopy, 0, 0, noise(39_999)).add(zeroCopy, 1, 0, noise(1)).add(zeroCopy, 1, 0, noise(5)).add(store, 8, 8, noise(8))
	half := headerBytes + 40 + 20_000
	e := newEnd(f.b[:half])
	if err := e.receive(); err != nil {
		t.Fatal(err)
	}
	e.in.abandon()
	before := bytes.Clone(e.received[1])
	e.in.stream.(*tape).in = f.b[half:]
	if err := e.receive(); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(e.received[1], before) || e.nic.LLCM.Load(8) != binary.LittleEndian.Uint64(noise(8)) {
		t.Error("an abandoned destination is written, or the Store after it is lost")
	}

	mine := noise(100_000)
	from := newEnd(nil)
	slow := &narrow{space: 1000}
	from.out.stream, from.out.onSent = slow, func() {}
	from.out.sendZeroCopy(mine)
	if from.out.sending.Load() != 1 {
		t.Fatal("the stream has accepted more than its space")
	}
	from.out.abandon()
	clear(mine)
	slow.space = 1 << 20
	from.out.flush()
	if from.out.sending.Load() != 0 || !bytes.Equal(slow.out[headerBytes:], noise(100_000)) {
		t.Error("the rest of a piece is not sent unchanged")
	}
}

// narrow is a tape that accepts only as many bytes as it has space for.
type narrow struct {
	tape
	space int
}

func (n *narrow) Write(p []byte, more bool) (int, error) {
	p = p[:min(len(p), n.space)]
	n.space -= len(p)
	return n.tape.Write(p, more)
}

// TestGreedyPeer checks that a peer that sends requests, and reads no answers, is refused.
func TestGreedyPeer(t *testing.T) {
	pulls, pushes := new(frames), new(frames)
	for range maxMoves + 1 {
		pulls.add(pull, 0, 0, request{n: 100}.append(nil))
	}
	for range 1 << 14 {
		pushes.add(push, 1, 0, noise(1))
	}
	for name, f := range map[string]*frames{"pulls": pulls, "pushes": pushes} {
		e := newEnd(f.b)
		if err := e.receive(); err == nil {
			t.Errorf("%s: all are accepted, want a refusal", name)
		}
		if n := len(e.out.buf); n > outboxBytes+controlBytes {
			t.Errorf("%s: %d bytes are buffered", name, n)
		}
	}
}

// FuzzDecode checks that a header that decodes also encodes to the same bytes, and that its
// destination is in the memory.
func FuzzDecode(f *testing.F) {
	for b := every().b; len(b) > 0; {
		h, _ := decode(b, &newEnd(nil).nic.limits, SumAll)
		f.Add(b[:headerBytes:headerBytes])
		b = b[headerBytes+h.n:]
	}
	limits := newEnd(nil).nic.limits
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < headerBytes {
			return
		}
		// With a random checksum, few inputs would get any further.
		binary.LittleEndian.PutUint32(b[20:], checksum(0, b[:20]))
		h, err := decode(b, &limits, SumAll)
		if err != nil {
			return
		}
		if again := h.append(nil, SumAll); !bytes.Equal(again, b[:headerBytes]) {
			t.Errorf("%x decodes to %+v, which is %x", b, h, again)
		}
		if writes := h.kind == block || h.kind == push || h.kind == pulled; writes && !inMemory(h.off, h.n, &limits) {
			t.Errorf("the destination of %+v is outside the memory", h)
		}
	})
}

// FuzzReceive receives frames whose headers come from the input, 12 bytes each. The memory that
// the end allocates is bounded.
func FuzzReceive(f *testing.F) {
	f.Add(every().b[:12])
	f.Fuzz(func(t *testing.T, b []byte) {
		made := new(frames)
		for ; len(b) >= 12; b = b[12:] {
			n := int(binary.LittleEndian.Uint32(b[4:]) % (2 * smallBytes))
			made.add(kind(b[2]), b[3], dimmnet.Offset(binary.LittleEndian.Uint32(b[8:])), noise(n))
		}
		made.b = append(made.b, b...)
		e := newEnd(made.b)
		if err := e.receive(); err == nil && len(b) == 0 && e.in.number != made.number && !e.in.blocked {
			t.Errorf("%d of %d frames are processed", e.in.number, made.number)
		}
		if len(e.out.buf) > outboxBytes+controlBytes || len(e.out.transfers) > maxMoves {
			t.Errorf("%d bytes and %d transfers wait: more than the outbox may have", len(e.out.buf), len(e.out.transfers))
		}
	})
}
