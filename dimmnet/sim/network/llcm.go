package network

import (
	"encoding/binary"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// llcmChunk is the LLCM's unit of allocation, in bytes. Most nodes of a large run use little.
const llcmChunk = 1024

// llcm is the LLCM of a node. Chunks that were never written are nil and read as zero.
type llcm []*[llcmChunk]byte

// touch returns the bytes from off to the end of its chunk, for writing. It allocates the chunk.
func (m llcm) touch(off dimmnet.Offset) []byte {
	c := m[off/llcmChunk]
	if c == nil {
		c = new([llcmChunk]byte)
		m[off/llcmChunk] = c
	}
	return c[off%llcmChunk:]
}

// rest returns the bytes from off to the end of its chunk, or nil, and their number.
func (m llcm) rest(off dimmnet.Offset) (b []byte, n int) {
	in := off % llcmChunk
	if c := m[off/llcmChunk]; c != nil {
		b = c[in:]
	}
	return b, int(llcmChunk - in)
}

// store writes the low size bytes of v. They lie in one word, and so in one chunk.
func (m llcm) store(off dimmnet.Offset, v uint64, size int) {
	b := m.touch(off)
	if size == 8 {
		binary.LittleEndian.PutUint64(b, v)
		return
	}
	for i := range size {
		b[i] = byte(v >> (8 * i))
	}
}

func (m llcm) write(off dimmnet.Offset, p []byte) { writeChunks(m.touch, off, p) }

func (m llcm) load(off dimmnet.Offset) uint64 {
	c := m[off/llcmChunk]
	if c == nil {
		return 0
	}
	return binary.LittleEndian.Uint64(c[off%llcmChunk:])
}

func (m llcm) read(p []byte, off dimmnet.Offset) { readChunks(m.rest, p, off) }
