package dimmnet2

import (
	"encoding/binary"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// chunkBytes is how much memory is allocated at once. What nobody has written reads as zero.
const chunkBytes = 4096

// memory is that of a NIC: the LLCM, and the SO-DIMM behind it.
type memory map[dimmnet.Offset]*[chunkBytes]byte

func (m memory) write(off dimmnet.Offset, p []byte) {
	for len(p) > 0 {
		c := m[off/chunkBytes]
		if c == nil {
			c = new([chunkBytes]byte)
			m[off/chunkBytes] = c
		}
		n := copy(c[off%chunkBytes:], p)
		p = p[n:]
		off += dimmnet.Offset(n)
	}
}

func (m memory) read(p []byte, off dimmnet.Offset) {
	for len(p) > 0 {
		n := min(len(p), int(chunkBytes-off%chunkBytes))
		if c := m[off/chunkBytes]; c != nil {
			copy(p[:n], c[off%chunkBytes:])
		} else {
			clear(p[:n])
		}
		p = p[n:]
		off += dimmnet.Offset(n)
	}
}

func (m memory) load(off dimmnet.Offset) uint64 {
	var word [dimmnet.WordBytes]byte
	m.read(word[:], off)
	return binary.LittleEndian.Uint64(word[:])
}

func (m memory) store(off dimmnet.Offset, v uint64) {
	m.write(off, binary.LittleEndian.AppendUint64(nil, v))
}

// Pattern says which bytes of NIC memory a command accesses, in order: Contiguous, Strided, Listed or Packed make one.
type Pattern struct {
	pieces []piece
	packed bool
}

type piece struct {
	at dimmnet.Offset
	n  int
}

// nowhere is in no memory.
func nowhere() piece { return piece{} }

// Contiguous are n bytes at off.
func Contiguous(off dimmnet.Offset, n int) Pattern { return Pattern{pieces: []piece{{off, n}}} }

// Strided are count pieces of n bytes, the first at off, which begin stride bytes apart.
func Strided(off dimmnet.Offset, n, count, stride int) (p Pattern) {
	for k := range count {
		at := int64(off) + int64(k)*int64(stride)
		if at != int64(dimmnet.Offset(at)) {
			p.pieces = append(p.pieces, nowhere())
			continue
		}
		p.pieces = append(p.pieces, piece{dimmnet.Offset(at), n})
	}
	return p
}

// Listed are pieces of n bytes each. In a window each begins at a word.
func Listed(n int, at ...dimmnet.Offset) (p Pattern) {
	for _, off := range at {
		p.pieces = append(p.pieces, piece{off, n})
	}
	return p
}

// Packed are the same, one directly behind the other in a window.
func Packed(n int, at ...dimmnet.Offset) Pattern {
	p := Listed(n, at...)
	p.packed = true
	return p
}

// Range is a piece of a Pieces pattern.
type Range struct {
	Off   dimmnet.Offset
	Bytes int
}

// Pieces are packed pieces of different lengths.
func Pieces(ranges ...Range) Pattern {
	p := Pattern{packed: true}
	for _, r := range ranges {
		p.pieces = append(p.pieces, piece{r.Off, r.Bytes})
	}
	return p
}

// Bytes is how many bytes the pattern has in a window.
func (p Pattern) Bytes() (n int) {
	for _, x := range p.pieces {
		n = p.next(n) + x.n
	}
	return n
}

// next is where the piece behind n bytes begins.
func (p Pattern) next(n int) int {
	if p.packed || len(p.pieces) == 1 {
		return n
	}
	return (n + dimmnet.WordBytes - 1) / dimmnet.WordBytes * dimmnet.WordBytes
}

// gather reads the bytes of a pattern.
func (m memory) gather(p Pattern) []byte {
	b := make([]byte, p.Bytes())
	at := 0
	for _, x := range p.pieces {
		at = p.next(at)
		m.read(b[at:at+x.n], x.at)
		at += x.n
	}
	return b
}

// scatter writes them.
func (m memory) scatter(p Pattern, b []byte) {
	at := 0
	for _, x := range p.pieces {
		at = p.next(at)
		m.write(x.at, b[at:at+x.n])
		at += x.n
	}
}

// within says whether all pieces lie in memory of so many bytes, from low on.
func (p Pattern) within(low, size int) bool {
	for _, x := range p.pieces {
		if x.n < 1 || int64(x.at) < int64(low) || int64(x.at)+int64(x.n) > int64(size) {
			return false
		}
	}
	return len(p.pieces) > 0
}
