package inproc

import (
	"sync/atomic"
	"unsafe"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// llcm is the memory of one node. Words that an access covers in part are
// accessed atomically, so that neighbours in one word never disturb each other;
// words that a copy covers whole are copied plainly, at the speed of memory.
type llcm []uint64

const word = dimmnet.WordBytes

// bytes is the same memory as bytes.
func (m llcm) bytes() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(m))), len(m)*word)
}

// load reads the aligned word at off.
func (m llcm) load(off dimmnet.Offset) uint64 {
	return atomic.LoadUint64(&m[off/word])
}

// store puts the low size bytes of v at off, at once and touching no neighbour.
// They must not cross a word.
func (m llcm) store(off dimmnet.Offset, v uint64, size int) {
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

// write copies p to off.
func (m llcm) write(off dimmnet.Offset, p []byte) {
	if misaligned := int(off % word); misaligned != 0 {
		n := min(word-misaligned, len(p))
		m.store(off, pack(p[:n]), n)
		off += dimmnet.Offset(n)
		p = p[n:]
	}
	whole := len(p) / word * word
	copy(m.bytes()[off:], p[:whole])
	if rest := p[whole:]; len(rest) > 0 {
		m.store(off+dimmnet.Offset(whole), pack(rest), len(rest))
	}
}

// read copies len(p) bytes at off to p.
func (m llcm) read(p []byte, off dimmnet.Offset) {
	if misaligned := off % word; misaligned != 0 && len(p) > 0 {
		n := min(word-int(misaligned), len(p))
		unpack(p[:n], m.load(off)>>(misaligned*8))
		off += dimmnet.Offset(n)
		p = p[n:]
	}
	whole := len(p) / word * word
	copy(p[:whole], m.bytes()[off:])
	if rest := p[whole:]; len(rest) > 0 {
		unpack(rest, m.load(off+dimmnet.Offset(whole)))
	}
}

// transfer copies n bytes at from in src to to in dst. The ranges must not
// overlap.
func transfer(dst llcm, to dimmnet.Offset, src llcm, from dimmnet.Offset, n int) {
	if (int(to)|int(from)|n)%word == 0 {
		copy(dst[to/word:], src[from/word:int(from/word)+n/word])
		return
	}
	// The two ends are aligned differently: go through a buffer that stays in
	// the first-level cache, so that partial words are atomic at both.
	var buf [2048]byte
	for n > 0 {
		piece := buf[:min(n, len(buf))]
		src.read(piece, from)
		dst.write(to, piece)
		from += dimmnet.Offset(len(piece))
		to += dimmnet.Offset(len(piece))
		n -= len(piece)
	}
}

// pack is p, at most a word of it, as a little-endian number.
func pack(p []byte) (v uint64) {
	for i, b := range p {
		v |= uint64(b) << (8 * i)
	}
	return v
}

// unpack writes the low len(p) bytes of v to p, little endian.
func unpack(p []byte, v uint64) {
	for i := range p {
		p[i] = byte(v >> (8 * i))
	}
}
