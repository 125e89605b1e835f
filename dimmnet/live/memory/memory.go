package memory

import (
	"sync/atomic"
	"unsafe"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Words is NIC memory. An access that covers only part of a word is atomic, so writers of
// different bytes of one word do not disturb each other. So is every word of a short copy, which
// may be a sample (dimmnet.SampleBytes). Other whole words are copied without atomic operations, at
// the speed of memory.
type Words []uint64

const word = dimmnet.WordBytes

// Bytes returns the same memory as a byte slice.
func (m Words) Bytes() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(m))), len(m)*word)
}

// Load atomically reads the aligned word that contains off.
func (m Words) Load(off dimmnet.Offset) uint64 { return atomic.LoadUint64(&m[off/word]) }

// Store atomically writes the low size bytes of v at off and leaves the other bytes of the word
// unchanged. The bytes must not cross a word boundary.
func (m Words) Store(off dimmnet.Offset, v uint64, size int) {
	w := &m[off/word]
	if size == word {
		atomic.StoreUint64(w, v)
		return
	}
	shift := off % word * 8
	mask := (uint64(1)<<(size*8) - 1) << shift
	v = v << shift & mask
	for {
		old := atomic.LoadUint64(w)
		if atomic.CompareAndSwapUint64(w, old, old&^mask|v) {
			return
		}
	}
}

// StoreRelease writes v to the aligned word at off. A reader that finds v there sees everything
// that the caller wrote before. Unlike Store, it does not order what the caller reads afterwards.
func (m Words) StoreRelease(off dimmnet.Offset, v uint64) { storeRelease(&m[off/word], v) }

// Write copies p to off.
func (m Words) Write(off dimmnet.Offset, p []byte) {
	if misaligned := int(off % word); misaligned != 0 {
		n := min(word-misaligned, len(p))
		m.Store(off, pack(p[:n]), n)
		off += dimmnet.Offset(n)
		p = p[n:]
	}
	whole := len(p) / word * word
	copy(m.Bytes()[off:], p[:whole])
	if rest := p[whole:]; len(rest) > 0 {
		m.Store(off+dimmnet.Offset(whole), pack(rest), len(rest))
	}
}

// Read copies len(p) bytes at off to p.
func (m Words) Read(p []byte, off dimmnet.Offset) {
	if misaligned := off % word; misaligned != 0 && len(p) > 0 {
		n := min(word-int(misaligned), len(p))
		unpack(p[:n], m.Load(off)>>(misaligned*8))
		off += dimmnet.Offset(n)
		p = p[n:]
	}
	whole := len(p) / word * word
	if whole <= dimmnet.SampleBytes {
		for i := 0; i < whole; i += word {
			unpack(p[i:i+word], m.Load(off+dimmnet.Offset(i)))
		}
	} else {
		copy(p[:whole], m.Bytes()[off:])
	}
	if rest := p[whole:]; len(rest) > 0 {
		unpack(rest, m.Load(off+dimmnet.Offset(whole)))
	}
}

// Copy copies n bytes at from in src to to in dst. The ranges must not overlap.
func Copy(dst Words, to dimmnet.Offset, src Words, from dimmnet.Offset, n int) {
	if (int(to)|int(from)|n)%word == 0 {
		if n <= dimmnet.SampleBytes {
			for i := dimmnet.Offset(0); i < dimmnet.Offset(n); i += word {
				dst.Store(to+i, src.Load(from+i), word)
			}
			return
		}
		copy(dst[to/word:], src[from/word:int(from/word)+n/word])
		return
	}
	// A range begins or ends within a word. Read and Write access such a word atomically. The
	// buffer between them fits the first-level cache.
	var buf [2048]byte
	for n > 0 {
		piece := buf[:min(n, len(buf))]
		src.Read(piece, from)
		dst.Write(to, piece)
		from += dimmnet.Offset(len(piece))
		to += dimmnet.Offset(len(piece))
		n -= len(piece)
	}
}

// pack returns the bytes of p, at most 8, as a little-endian number.
func pack(p []byte) (v uint64) {
	for i, b := range p {
		v |= uint64(b) << (8 * i)
	}
	return v
}

// unpack writes the low len(p) bytes of v to p in little-endian order.
func unpack(p []byte, v uint64) {
	for i := range p {
		p[i] = byte(v >> (8 * i))
	}
}
