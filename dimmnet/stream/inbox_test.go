package stream

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"sync/atomic"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/frametest"
)

// tape is a stream from which given bytes are read, and that keeps what is written.
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

func (t *tape) Held() bool           { return false }
func (t *tape) Flush() (bool, error) { return true, nil }
func (t *tape) Block(bool)           {}
func (t *tape) HungUp() bool         { return false }
func (t *tape) End()                 {}
func (t *tape) Forget()              {}
func (t *tape) Close()               {}

// told are the ears of a test.
type told struct {
	notices  uint32
	because  dimmnet.Rank
	why      string
	goodbyes int
}

func (e *told) notified(times uint32)                     { e.notices += times }
func (e *told) failed(because dimmnet.Rank, words string) { e.because, e.why = because, words }
func (e *told) farewell()                                 { e.goodbyes++ }

// end is a rank that reads a tape.
type end struct {
	told
	nic nic
	out outbox
	in  inbox

	taken [2][]byte // what the peer gives
}

const testLLCM, testBulk = 8192, 1 << 17

// newEnd has a Push and a Pull under way: of 16 bytes, and of 24 to 4096. It takes 40 bytes, and
// 40,000.
func newEnd(frames []byte) *end { return newEndWith(testBulk, frames) }

func newEndWith(bulk int, frames []byte) *end {
	e := &end{nic: newNIC(dimmnet.Limits{Store: word, Block: 4096, RDMA: testLLCM + bulk, LLCM: testLLCM, Bulk: bulk}, SumAll)}
	t := &tape{in: frames}
	e.out = outbox{stream: t, nic: &e.nic, room: func() {}}
	e.out.pushes = []move{{done: 8, n: 16}}
	e.out.pulls = []move{{done: 16, n: 24, to: 4096, rest: 24}}
	e.in = inbox{stream: t, nic: &e.nic, out: &e.out, order: new(atomic.Uint64), ears: &e.told, buf: make([]byte, 2*maxFrame)}
	for i, n := range []int{40, 40_000} {
		e.taken[i] = make([]byte, n)
		e.in.take(e.taken[i])
	}
	return e
}

// receive reads the whole tape.
func (e *end) receive() error {
	for {
		came, err := e.in.receive()
		if err != nil || !came {
			return err
		}
	}
}

// frames are the bytes of frames with these headers and payloads, numbered from 0.
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

// every is one frame of each kind that an end takes, in an order that it takes.
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
		add(gift, 0, 0, noise(33)).
		add(gift, 1, 0, noise(7)).
		add(gift, 0, 0, noise(39_999)).
		add(gift, 1, 0, noise(1)).
		add(notify, 0, 3, nil).
		add(goodbye, 0, 0, nil).
		add(failure, 0, 0, append([]byte{7, 0}, "boom"...))
}

// TestFrames: each kind does what it says, in whatever portions it comes.
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
		want[8], want[16] = 16, 24 // a Push and a Pull are done
		if !bytes.Equal(e.nic.llcm.Bytes(), want) {
			t.Errorf("portions of %d: the LLCM is not what it should be", portion)
		}
		want = make([]byte, testBulk)
		copy(want[8:], noise(1<<16))
		copy(want[8+1<<16:], noise(3))
		if !bytes.Equal(e.nic.bulk.Bytes(), want) {
			t.Errorf("portions of %d: the bulk memory is not what it should be", portion)
		}
		if want := append(noise(33), noise(7)...); !bytes.Equal(e.taken[0], want) {
			t.Errorf("portions of %d: took %x, want %x", portion, e.taken[0], want)
		}
		if want := append(noise(39_999), noise(1)...); !bytes.Equal(e.taken[1], want) || e.in.coming.Load() != 0 {
			t.Errorf("portions of %d: of 40000 bytes taken some are damaged; %d are to come", portion, e.in.coming.Load())
		}
		if e.notices != 3 || e.goodbyes != 1 || e.because != 7 || e.why != "boom" {
			t.Errorf("portions of %d: told %+v", portion, e.told)
		}
		if len(e.out.hauls) != 1 || !reflect.DeepEqual(e.out.hauls[0], haul{kind: pulled, from: testLLCM, to: 512, n: 100}) {
			t.Errorf("portions of %d: answers %+v", portion, e.out.hauls)
		}
	}
}

// TestDamagedFrames: a frame that is cut short does nothing, one of which a byte is
// changed is refused and does nothing either.
func TestDamagedFrames(t *testing.T) {
	for _, f := range []*frames{
		new(frames).add(store, 4, 132, noise(8)),
		new(frames).add(block, 0, 200, noise(33)),
		new(frames).add(push, 1, 100, noise(20)),
		new(frames).add(pushed, 0, 0, nil),
		new(frames).add(pull, 0, 0, request{to: 512, n: 100}.append(nil)),
		new(frames).add(pulled, 1, 4096, noise(24)),
		new(frames).add(gift, 1, 0, noise(40)),
		new(frames).add(notify, 0, 1, nil),
		new(frames).add(goodbye, 0, 0, nil),
		new(frames).add(failure, 0, 0, noise(9)),
	} {
		if err := newEndWith(0, f.b).receive(); err != nil {
			t.Fatalf("%x: %v", f.b, err)
		}
		zeros := newEndWith(0, nil)
		for damaged := range frametest.Every(f.b) {
			e := newEndWith(0, damaged)
			if err := e.receive(); err == nil && len(damaged) == len(f.b) {
				t.Fatalf("%x is taken for %x", damaged, f.b)
			}
			if !bytes.Equal(e.nic.llcm.Bytes(), zeros.nic.llcm.Bytes()) || e.told != (told{}) || len(e.out.hauls) > 0 || !bytes.Equal(e.taken[0], make([]byte, 40)) {
				t.Fatalf("%x has done something", damaged)
			}
		}
	}
}

// TestDamagedPiece: of a large piece only its own place is touched before it is refused.
func TestDamagedPiece(t *testing.T) {
	f := new(frames).add(push, 1, testLLCM+64, noise(1<<15))
	f.b[headerBytes+20000] ^= 4
	e := newEnd(f.b)
	if err := e.receive(); err == nil {
		t.Error("it is taken")
	}
	bulk := e.nic.bulk.Bytes()
	clear(bulk[64 : 64+1<<15])
	if !bytes.Equal(bulk, make([]byte, testBulk)) || !bytes.Equal(e.nic.llcm.Bytes(), make([]byte, testLLCM)) {
		t.Error("bytes outside have changed")
	}
	if len(e.out.buf) > 0 {
		t.Error("it is acknowledged")
	}
}

// TestForbiddenFrames: frames in order that a rank must not send.
func TestForbiddenFrames(t *testing.T) {
	for name, f := range map[string]*frames{
		"store outside":         new(frames).add(store, 8, testLLCM, noise(8)),
		"store of nothing":      new(frames).add(store, 0, 0, noise(8)),
		"store across a word":   new(frames).add(store, 8, 4, noise(8)),
		"store of nine bytes":   new(frames).add(store, 9, 0, noise(8)),
		"block outside":         new(frames).add(block, 0, testLLCM-1, noise(2)),
		"block too long":        new(frames).add(block, 0, 0, noise(4097)),
		"block of nothing":      new(frames).add(block, 0, 0, nil),
		"push outside":          new(frames).add(push, 1, testLLCM+testBulk-8, noise(16)),
		"push across":           new(frames).add(push, 1, testLLCM-8, noise(16)),
		"push at the end":       new(frames).add(push, 1, 1<<32-8, noise(16)),
		"large push misaligned": new(frames).add(push, 1, testLLCM+4, noise(1<<15)),
		"push too long":         new(frames).add(push, 1, testLLCM, noise(pieceBytes+8)),
		"ack of nothing":        new(frames).add(pushed, 0, 0, nil).add(pushed, 0, 0, nil),
		"pull outside":          new(frames).add(pull, 0, testLLCM-8, request{to: 0, n: 16}.append(nil)),
		"pull to outside":       new(frames).add(pull, 0, 0, request{to: testLLCM - 8, n: 16}.append(nil)),
		"pull of nothing":       new(frames).add(pull, 0, 0, request{}.append(nil)),
		"pull of too much":      new(frames).add(pull, 0, 0, request{n: 1<<32 - 1}.append(nil)),
		"answer elsewhere":      new(frames).add(pulled, 1, 0, noise(24)),
		"answer too long":       new(frames).add(pulled, 1, 4096, noise(32)),
		"answer too short":      new(frames).add(pulled, 1, 4096, noise(16)),
		"answer without end":    new(frames).add(pulled, 0, 4096, noise(24)),
		"answer twice":          new(frames).add(pulled, 1, 4096, noise(24)).add(pulled, 1, 4096, noise(24)),
		"gift too long":         new(frames).add(gift, 1, 0, noise(41)),
		"gift too short":        new(frames).add(gift, 1, 0, noise(39)),
		"gift without end":      new(frames).add(gift, 0, 0, noise(40)),
		"gift of nothing":       new(frames).add(gift, 1, 0, nil),
		"gift somewhere":        new(frames).add(gift, 1, 8, noise(40)),
		"second gift too long":  new(frames).add(gift, 1, 0, noise(40)).add(gift, 0, 0, noise(40_001)),
		"after goodbye":         new(frames).add(goodbye, 0, 0, nil).add(store, 8, 0, noise(8)),
		"goodbye twice":         new(frames).add(goodbye, 0, 0, nil).add(goodbye, 0, 0, nil),
		"a long failure":        new(frames).add(failure, 0, 0, noise(2000)),
		"no kind":               new(frames).add(0, 0, 0, nil),
		"unknown kind":          new(frames).add(kinds, 0, 0, nil),
		"frame lost":            {b: (&frames{number: 1}).add(goodbye, 0, 0, nil).b},
	} {
		if err := newEnd(f.b).receive(); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

// TestEarlyGift: a gift that nobody takes yet waits, and all behind it, without being read.
func TestEarlyGift(t *testing.T) {
	for _, n := range []int{1, smallBytes, smallBytes + 1, 60_000} {
		e := newEnd(new(frames).add(gift, 1, 0, noise(40)).add(gift, 1, 0, noise(40_000)).add(gift, 1, 0, noise(n)).add(store, 8, 8, noise(8)).b)
		if err := e.receive(); err != nil {
			t.Fatal(err)
		}
		if !e.in.stuck || e.nic.llcm.Load(8) != 0 {
			t.Fatalf("%d bytes are read though nobody takes them", n)
		}
		p := make([]byte, n)
		e.in.take(p)
		if err := e.receive(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(p, noise(n)) || e.nic.llcm.Load(8) != binary.LittleEndian.Uint64(noise(8)) {
			t.Errorf("%d bytes: they are damaged, or the Store behind them is lost", n)
		}
	}
}

// TestAbandon: after that nobody writes where a gift was to go, nor reads what was to be given,
// and the frames behind a gift are still understood.
func TestAbandon(t *testing.T) {
	f := new(frames).add(gift, 1, 0, noise(40)).add(gift, 0, 0, noise(39_999)).add(gift, 1, 0, noise(1)).add(gift, 1, 0, noise(5)).add(store, 8, 8, noise(8))
	half := headerBytes + 40 + 20_000
	e := newEnd(f.b[:half])
	if err := e.receive(); err != nil {
		t.Fatal(err)
	}
	e.in.abandon()
	before := bytes.Clone(e.taken[1])
	e.in.stream.(*tape).in = f.b[half:]
	if err := e.receive(); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(e.taken[1], before) || e.nic.llcm.Load(8) != binary.LittleEndian.Uint64(noise(8)) {
		t.Error("what was abandoned is written, or the Store behind it is lost")
	}

	mine := noise(100_000)
	from := newEnd(nil)
	slow := &narrow{room: 1000}
	from.out.stream, from.out.given = slow, func() {}
	from.out.give(mine)
	if from.out.giving.Load() != 1 {
		t.Fatal("all of it is gone")
	}
	from.out.abandon()
	clear(mine)
	slow.room = 1 << 20
	from.out.send()
	if from.out.giving.Load() != 0 || !bytes.Equal(slow.out[headerBytes:], noise(100_000)) {
		t.Error("the rest of a piece is not sent as it was")
	}
}

// narrow takes so many bytes.
type narrow struct {
	tape
	room int
}

func (n *narrow) Write(p []byte, more bool) (int, error) {
	p = p[:min(len(p), n.room)]
	n.room -= len(p)
	return n.tape.Write(p, more)
}

// TestGreedyPeer: who asks without end, and takes no answer, is refused.
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
			t.Errorf("%s: taken, all of them", name)
		}
		if n := len(e.out.buf); n > outboxBytes+controlBytes {
			t.Errorf("%s: %d bytes wait", name, n)
		}
	}
}

// FuzzDecode: what decodes, encodes to the same bytes, and its place is in the memory.
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
		binary.LittleEndian.PutUint32(b[20:], checksum(0, b[:20])) // else few get any further
		h, err := decode(b, &limits, SumAll)
		if err != nil {
			return
		}
		if again := h.append(nil, SumAll); !bytes.Equal(again, b[:headerBytes]) {
			t.Errorf("%x decodes to %+v, which is %x", b, h, again)
		}
		if writes := h.kind == block || h.kind == push || h.kind == pulled; writes && !inMemory(h.off, h.n, &limits) {
			t.Errorf("%+v lies outside", h)
		}
	})
}

// FuzzReceive feeds an end with frames whose headers are made up: each part of the
// input is 12 bytes of a header. What the end allocates is bounded.
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
		if err := e.receive(); err == nil && len(b) == 0 && e.in.number != made.number && !e.in.stuck {
			t.Errorf("%d frames of %d are understood", e.in.number, made.number)
		}
		if len(e.out.buf) > outboxBytes+controlBytes || len(e.out.hauls) > maxMoves {
			t.Errorf("%d bytes and %d moves wait", len(e.out.buf), len(e.out.hauls))
		}
	})
}
