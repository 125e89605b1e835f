package sim

import (
	"encoding/binary"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// chunkBytes is how much of an LLCM is allocated at once. Most nodes of a
// large run touch little of theirs.
const chunkBytes = 1024

// memory is the LLCM of a node. Chunks that nobody has written are nil and
// read as zero.
type memory []*[chunkBytes]byte

func newMemory(size int) memory {
	return make(memory, (size+chunkBytes-1)/chunkBytes)
}

// touch returns the rest of the chunk that holds off, for writing.
func (m memory) touch(off dimmnet.Offset) []byte {
	c := m[off/chunkBytes]
	if c == nil {
		c = new([chunkBytes]byte)
		m[off/chunkBytes] = c
	}
	return c[off%chunkBytes:]
}

// store writes the low size bytes of v. They do not cross a word, so they do
// not cross a chunk.
func (m memory) store(off dimmnet.Offset, v uint64, size int) {
	b := m.touch(off)
	if size == 8 {
		binary.LittleEndian.PutUint64(b, v)
		return
	}
	for i := range size {
		b[i] = byte(v >> (8 * i))
	}
}

func (m memory) write(off dimmnet.Offset, p []byte) {
	for len(p) > 0 {
		n := copy(m.touch(off), p)
		p = p[n:]
		off += dimmnet.Offset(n)
	}
}

func (m memory) load(off dimmnet.Offset) uint64 {
	c := m[off/chunkBytes]
	if c == nil {
		return 0
	}
	return binary.LittleEndian.Uint64(c[off%chunkBytes:])
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
