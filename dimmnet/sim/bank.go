package sim

import "github.com/fagus-dsm/fagus/dimmnet"

// bankChunk is how much of a bank is allocated at once.
const bankChunk = 1 << 16

// bank is one bank of SO-DIMM. Offsets count from the start of the bank; what
// nobody has written reads as zero.
type bank map[dimmnet.Offset]*[bankChunk]byte

func (b bank) write(off dimmnet.Offset, p []byte) {
	for len(p) > 0 {
		c := b[off/bankChunk]
		if c == nil {
			c = new([bankChunk]byte)
			b[off/bankChunk] = c
		}
		n := copy(c[off%bankChunk:], p)
		p = p[n:]
		off += dimmnet.Offset(n)
	}
}

func (b bank) read(p []byte, off dimmnet.Offset) {
	for len(p) > 0 {
		n := min(len(p), int(bankChunk-off%bankChunk))
		if c := b[off/bankChunk]; c != nil {
			copy(p[:n], c[off%bankChunk:])
		} else {
			clear(p[:n])
		}
		p = p[n:]
		off += dimmnet.Offset(n)
	}
}
