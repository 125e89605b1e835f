package dimmnet2

import (
	"encoding/binary"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/network"
)

// memory is the memory of a NIC: the LLCM, followed by the SO-DIMM.
type memory struct{ network.Memory }

func (m memory) load(off dimmnet.Offset) uint64 {
	var word [dimmnet.WordBytes]byte
	m.Read(word[:], off)
	return binary.LittleEndian.Uint64(word[:])
}

func (m memory) store(off dimmnet.Offset, v uint64) {
	m.Write(off, binary.LittleEndian.AppendUint64(nil, v))
}

// Pattern is the ordered list of memory pieces that a command accesses. Contiguous, Strided,
// Listed, Packed and Pieces return one.
type Pattern struct {
	pieces []Range
	packed bool
}

// Range is a piece of memory.
type Range struct {
	Off   dimmnet.Offset
	Bytes int
}

// Contiguous returns a pattern of n bytes at off.
func Contiguous(off dimmnet.Offset, n int) Pattern { return Pattern{pieces: []Range{{off, n}}} }

// Strided returns a pattern of count pieces of n bytes from off on, stride bytes apart.
func Strided(off dimmnet.Offset, n, count, stride int) (p Pattern) {
	for k := range count {
		at := int64(off) + int64(k)*int64(stride)
		if at != int64(dimmnet.Offset(at)) {
			p.pieces = append(p.pieces, Range{}) // outside of all memory: the pattern is invalid
			continue
		}
		p.pieces = append(p.pieces, Range{dimmnet.Offset(at), n})
	}
	return p
}

// Listed returns a pattern of n-byte pieces at offsets. In a window each starts at a word.
func Listed(n int, at ...dimmnet.Offset) (p Pattern) {
	for _, off := range at {
		p.pieces = append(p.pieces, Range{off, n})
	}
	return p
}

// Packed is like Listed, but the pieces follow each other directly in a window.
func Packed(n int, at ...dimmnet.Offset) Pattern {
	p := Listed(n, at...)
	p.packed = true
	return p
}

// Pieces returns a packed pattern of pieces of different lengths.
func Pieces(ranges ...Range) Pattern { return Pattern{slices.Clone(ranges), true} }

// Bytes returns the size of the pattern in a window.
func (p Pattern) Bytes() (n int) {
	for _, x := range p.pieces {
		n = p.next(n) + x.Bytes
	}
	return n
}

func (p Pattern) next(n int) int {
	if p.packed || len(p.pieces) == 1 {
		return n
	}
	return (n + dimmnet.WordBytes - 1) / dimmnet.WordBytes * dimmnet.WordBytes
}

func (m memory) gather(p Pattern) []byte {
	b := make([]byte, p.Bytes())
	at := 0
	for _, x := range p.pieces {
		at = p.next(at)
		m.Read(b[at:at+x.Bytes], x.Off)
		at += x.Bytes
	}
	return b
}

func (m memory) scatter(p Pattern, b []byte) {
	at := 0
	for _, x := range p.pieces {
		at = p.next(at)
		m.Write(x.Off, b[at:at+x.Bytes])
		at += x.Bytes
	}
}

func (p Pattern) within(low, size int) bool {
	for _, x := range p.pieces {
		if x.Bytes < 1 || int64(x.Off) < int64(low) || int64(x.Off)+int64(x.Bytes) > int64(size) {
			return false
		}
	}
	return len(p.pieces) > 0
}
