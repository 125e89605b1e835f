package porttest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// The LLCM of every test: a bit of data at 0 (the lower edge), the flags, then
// data up to the end. Each flag word has one writer.
const (
	flagData   dimmnet.Offset = 64  // the previous rank has sent
	flagAck    dimmnet.Offset = 72  // the next rank has looked
	flagSelf   dimmnet.Offset = 80  // own stores have landed
	flagInfo   dimmnet.Offset = 88  // a number that goes with flagData
	flagNever  dimmnet.Offset = 96  // nobody stores this
	flagDone   dimmnet.Offset = 128 // 16 words: Push and Pull have landed
	flagThread dimmnet.Offset = 256 // 32 words: of the threads of a node
	flagRank   dimmnet.Offset = 512 // 64 words, one for each rank
	dataStart  dimmnet.Offset = 1024
)

const word = dimmnet.WordBytes

// thread is one rank of a test, or a helper thread there: its port, and the few things that tests do.
type thread struct {
	dimmnet.Port
	host      dimmnet.Host
	env       *env
	crew      *crew
	limits    dimmnet.Limits
	me        dimmnet.Rank
	next      dimmnet.Rank // the neighbours in a ring of all ranks
	prev      dimmnet.Rank
	flagBytes int            // largest Store that appears at once
	sequence  uint64         // exchanges so far
	self      dimmnet.Offset // the word to settle by
	settled   uint64         // settle calls so far
}

func newThread(e *env, h dimmnet.Host, crew *crew) *thread {
	p := h.Port()
	t := &thread{Port: p, host: h, env: e, crew: crew, limits: p.Limits(), me: p.Rank(), flagBytes: 1, self: flagSelf}
	for t.flagBytes*2 <= min(t.limits.Store, word) {
		t.flagBytes *= 2
	}
	n := p.Nodes()
	t.next = dimmnet.Rank((int(t.me) + 1) % n)
	t.prev = dimmnet.Rank((int(t.me) + n - 1) % n)
	return t
}

// poster is a post until it succeeds.
type poster struct {
	post   func() bool
	posted bool
}

func (s *poster) Step() (bool, error) {
	s.posted = s.post()
	return s.posted, nil
}

// post drives f until it has posted.
func (t *thread) post(f func() bool) error {
	s := &poster{post: f}
	return dimmnet.Drive(t.Port, s, func() bool { return s.posted })
}

// waiter waits until a word, masked, has a value.
type waiter struct {
	port       dimmnet.Port
	off        dimmnet.Offset
	want, mask uint64
	seen       bool
}

func (s *waiter) Step() (bool, error) {
	s.seen = s.port.Load(s.off)&s.mask == s.want
	return s.seen, nil
}

// awaitWord idles until the word at off is want.
func (t *thread) awaitWord(off dimmnet.Offset, want uint64) error {
	s := &waiter{port: t.Port, off: off, want: want, mask: ^uint64(0)}
	return dimmnet.Drive(t.Port, s, func() bool { return s.seen })
}

// flagMask covers what a flag store of this port can carry.
func (t *thread) flagMask() uint64 { return ^uint64(0) >> (64 - 8*t.flagBytes) }

// signal stores flag value v at off, in one store.
func (t *thread) signal(dst dimmnet.Rank, off dimmnet.Offset, v uint64) error {
	return t.post(func() bool { return t.Store(dst, off, v&t.flagMask(), t.flagBytes) })
}

// await idles until flag value v is at off.
func (t *thread) await(off dimmnet.Offset, v uint64) error {
	m := t.flagMask()
	s := &waiter{port: t.Port, off: off, want: v & m, mask: m}
	return dimmnet.Drive(t.Port, s, func() bool { return s.seen })
}

// storeWord stores the whole word v at off, in as many stores as it takes.
func (t *thread) storeWord(dst dimmnet.Rank, off dimmnet.Offset, v uint64) error {
	for i := 0; i < word; i += t.flagBytes {
		err := t.post(func() bool {
			return t.Store(dst, off+dimmnet.Offset(i), v>>(8*i), t.flagBytes)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// write writes p to off, in as many blocks as it takes.
func (t *thread) write(dst dimmnet.Rank, off dimmnet.Offset, p []byte) error {
	for len(p) > 0 {
		n := min(len(p), t.limits.Block)
		if err := t.post(func() bool { return t.Write(dst, off, p[:n]) }); err != nil {
			return err
		}
		p = p[n:]
		off += dimmnet.Offset(n)
	}
	return nil
}

// settle returns when what this thread has posted to itself has landed.
func (t *thread) settle() error {
	t.settled++
	return inOrder(
		func() error { return t.signal(t.me, t.self, t.settled) },
		func() error { return t.await(t.self, t.settled) },
	)
}

// exchange is one round of a ring in which every rank sends to the next: send,
// flag; when the flag of the previous rank is here, check what it sent; then let
// it go on. Nothing of the next round is posted before all that.
func (t *thread) exchange(send, check func() error) error {
	t.sequence++
	seq := t.sequence
	return inOrder(
		send,
		func() error { return t.signal(t.next, flagData, seq) },
		func() error { return t.await(flagData, seq) },
		check,
		func() error { return t.signal(t.prev, flagAck, seq) },
		func() error { return t.await(flagAck, seq) },
	)
}

// inOrder runs steps until one fails.
func inOrder(steps ...func() error) error {
	for _, f := range steps {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

// nothing is a step of no importance.
func nothing() error { return nil }

// expect compares the own memory at off with want.
func (t *thread) expect(what string, off dimmnet.Offset, want []byte) error {
	got := make([]byte, len(want))
	t.Read(got, off)
	if bytes.Equal(got, want) {
		return nil
	}
	i := 0
	for got[i] == want[i] {
		i++
	}
	return fmt.Errorf("porttest: %s: rank %d has %#02x at offset %d, want %#02x; first of bytes that differ in [%d, %d)",
		what, t.me, got[i], int(off)+i, want[i], off, int(off)+len(want))
}

// mix scatters the bits of x (splitmix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// noise is n bytes that depend on key.
func noise(key uint64, n int) []byte {
	p := make([]byte, n)
	whole := n / word * word
	for i := 0; i < whole; i += word {
		binary.LittleEndian.PutUint64(p[i:], mix(key<<32+uint64(i)))
	}
	copy(p[whole:], littleEndian(mix(key<<32+uint64(whole)), word))
	return p
}

// number is p, at most a word of it, as a little-endian number.
func number(p []byte) (v uint64) {
	for i, b := range p {
		v |= uint64(b) << (8 * i)
	}
	return v
}

// littleEndian is the low n bytes of v.
func littleEndian(v uint64, n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(v >> (8 * i))
	}
	return p
}

// sizes is a choice of sizes from 1 to limit, in order: both ends, and around
// words and pages.
func sizes(limit int) []int {
	var list []int
	for _, n := range []int{1, 2, 3, 7, 8, 9, 15, 16, 17, 63, 64, 65, 463, 1001, page - 1, page, page + 1, limit - 9, limit - 8, limit - 7, limit - 1, limit} {
		if n >= 1 && n <= limit {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
