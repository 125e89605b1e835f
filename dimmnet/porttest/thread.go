package porttest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Layout of the LLCM in every test: data at 0, flags with one writer each, then data to the end.
const (
	flagData   dimmnet.Offset = 64  // the previous rank has sent its data
	flagAck    dimmnet.Offset = 72  // the next rank has checked the data
	flagSelf   dimmnet.Offset = 80  // stores to the own rank have landed
	flagInfo   dimmnet.Offset = 88  // a number that belongs to flagData
	flagNever  dimmnet.Offset = 96  // never stored
	flagDone   dimmnet.Offset = 128 // 16 words: Push and Pull are done
	flagThread dimmnet.Offset = 256 // 32 words: flags of the threads of a node
	flagRank   dimmnet.Offset = 512 // 64 words, indexed by rank
	dataStart  dimmnet.Offset = 1024
)

const word = dimmnet.WordBytes

// thread is a rank of a test, or a helper of that rank: its port and the tests' operations.
type thread struct {
	dimmnet.Port
	host      dimmnet.Host
	env       *env
	crew      *crew
	limits    dimmnet.Limits
	me        dimmnet.Rank
	next      dimmnet.Rank // the neighbours of this rank in a ring of all ranks
	prev      dimmnet.Rank
	flagBytes int            // size of a flag: the largest power of two that one Store can write
	sequence  uint64         // calls of exchange so far
	self      dimmnet.Offset // word that settle uses
	settled   uint64         // calls of settle so far
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

func (t *thread) post(f func() bool) error { return dimmnet.Until(t.Port, f) }

func (t *thread) awaitWord(off dimmnet.Offset, want uint64) error {
	return dimmnet.Until(t.Port, func() bool { return t.Load(off) == want })
}

func (t *thread) flagMask() uint64 { return ^uint64(0) >> (64 - 8*t.flagBytes) }

// signal stores flag value v at off, in one store.
func (t *thread) signal(dst dimmnet.Rank, off dimmnet.Offset, v uint64) error {
	return t.post(func() bool { return t.Store(dst, off, v&t.flagMask(), t.flagBytes) })
}

func (t *thread) await(off dimmnet.Offset, v uint64) error {
	m := t.flagMask()
	return dimmnet.Until(t.Port, func() bool { return t.Load(off)&m == v&m })
}

// storeWord stores the whole word v at off, in as many stores as needed.
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

// write writes p to off, in as many blocks as needed.
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

// settle returns when everything that this thread has posted to itself has landed.
func (t *thread) settle() error {
	t.settled++
	return inOrder(
		func() error { return t.signal(t.me, t.self, t.settled) },
		func() error { return t.await(t.self, t.settled) },
	)
}

// exchange is one round of a ring in which every rank sends to the next. It calls send and sets
// the flag. When the flag of the previous rank has landed, it calls check and lets the previous
// rank continue. No rank posts for the next round before it has done all this.
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

func inOrder(steps ...func() error) error {
	for _, f := range steps {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

func nothing() error { return nil }

// expect compares this node's memory at off with want.
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

// mix scatters the bits of x (SplitMix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// noise returns n pseudo-random bytes for key.
func noise(key uint64, n int) []byte {
	p := make([]byte, n)
	whole := n / word * word
	for i := 0; i < whole; i += word {
		binary.LittleEndian.PutUint64(p[i:], mix(key<<32+uint64(i)))
	}
	copy(p[whole:], littleEndian(mix(key<<32+uint64(whole)), word))
	return p
}

func number(p []byte) (v uint64) {
	for i, b := range p {
		v |= uint64(b) << (8 * i)
	}
	return v
}

func littleEndian(v uint64, n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(v >> (8 * i))
	}
	return p
}

// sizes returns some sizes from 1 to limit, ascending: both ends, and sizes near words and pages.
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
