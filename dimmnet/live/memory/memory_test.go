package memory

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// TestMemory compares random accesses with the same accesses to plain byte slices.
func TestMemory(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	const size = 6000
	a, b := make(Words, size/word), make(Words, size/word)
	modelA, modelB := make([]byte, size), make([]byte, size)
	for i := range 20000 {
		n := 1 + r.IntN(40)
		if i%100 == 0 {
			n = 1 + r.IntN(size)
		}
		off, from := dimmnet.Offset(r.IntN(size-n+1)), dimmnet.Offset(r.IntN(size-n+1))
		switch r.IntN(4) {
		case 0:
			off = off / word * word
			in := r.IntN(word)
			n = 1 + r.IntN(word-in)
			off += dimmnet.Offset(in)
			v := r.Uint64()
			a.Store(off, v, n)
			copy(modelA[off:], binary.LittleEndian.AppendUint64(nil, v)[:n])
		case 1:
			p := make([]byte, n)
			for j := range p {
				p[j] = byte(r.Uint32())
			}
			a.Write(off, p)
			copy(modelA[off:], p)
		case 2:
			if r.IntN(2) == 0 {
				n, off, from = (n+7)/word*word, off/word*word, from/word*word
				n = min(n, size-int(max(off, from)))
			}
			Copy(b, off, a, from, n)
			copy(modelB[off:], modelA[from:int(from)+n])
			a, b, modelA, modelB = b, a, modelB, modelA
		case 3:
			p := make([]byte, n)
			a.Read(p, off)
			if !bytes.Equal(p, modelA[off:int(off)+n]) {
				t.Fatalf("seed %d, step %d: %d bytes at offset %d differ", seed, i, n, off)
			}
			off = off / word * word
			if got, want := a.Load(off), binary.LittleEndian.Uint64(modelA[off:]); got != want {
				t.Fatalf("seed %d, step %d: word at offset %d is %#x, want %#x", seed, i, off, got, want)
			}
		}
		if !bytes.Equal(a.Bytes(), modelA) || !bytes.Equal(b.Bytes(), modelB) {
			t.Fatalf("seed %d, step %d: the memories differ", seed, i)
		}
	}
}

// TestStoresToOneWord has threads store to different bytes of one word: no Store undoes another.
func TestStoresToOneWord(t *testing.T) {
	m := make(Words, 1)
	var all sync.WaitGroup
	for at := range dimmnet.Offset(word) {
		all.Go(func() {
			for i := range 200_000 {
				m.Store(at, uint64(byte(i)), 1)
				if got := byte(m.Load(0) >> (8 * at)); got != byte(i) {
					t.Errorf("byte %d is %#x after a Store of %#x", at, got, byte(i))
					return
				}
			}
		})
	}
	all.Wait()
}

// TestPrefetch prefetches every part of a small memory, for reads and for writes. Nothing changes,
// and nothing beyond its ends is touched. StoreRelease changes only its word.
func TestPrefetch(t *testing.T) {
	const size = 40 * word
	m := make(Words, size/word)
	for i := range m.Bytes() {
		m.Bytes()[i] = byte(i + 1)
	}
	want := bytes.Clone(m.Bytes())
	for from := range size {
		for to := from + 1; to <= size; to++ {
			Prefetch(m.Bytes()[from:to], false)
			Prefetch(m.Bytes()[from:to], true)
		}
	}
	m.StoreRelease(3*word, 7)
	binary.LittleEndian.PutUint64(want[3*word:], 7)
	if !bytes.Equal(m.Bytes(), want) {
		t.Error("the memory has changed")
	}
}
