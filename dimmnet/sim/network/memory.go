package network

import "github.com/fagus-dsm/fagus/dimmnet"

// memoryChunk is the unit in which a Memory is allocated, in bytes.
const memoryChunk = 4096

// Memory is a large memory, such as a bank of SO-DIMM. Unwritten chunks read as zero.
type Memory map[dimmnet.Offset]*[memoryChunk]byte

// touch returns the bytes from off to the end of its chunk, for writing. It allocates the chunk.
func (m Memory) touch(off dimmnet.Offset) []byte {
	c := m[off/memoryChunk]
	if c == nil {
		c = new([memoryChunk]byte)
		m[off/memoryChunk] = c
	}
	return c[off%memoryChunk:]
}

// rest returns the bytes from off to the end of its chunk, or nil, and their number.
func (m Memory) rest(off dimmnet.Offset) (b []byte, n int) {
	in := off % memoryChunk
	if c := m[off/memoryChunk]; c != nil {
		b = c[in:]
	}
	return b, int(memoryChunk - in)
}

// Write writes p to off.
func (m Memory) Write(off dimmnet.Offset, p []byte) { writeChunks(m.touch, off, p) }

// Read copies len(p) bytes at off to p.
func (m Memory) Read(p []byte, off dimmnet.Offset) { readChunks(m.rest, p, off) }

// writeChunks writes p to off. touch returns the bytes from an offset to the end of its chunk.
func writeChunks(touch func(dimmnet.Offset) []byte, off dimmnet.Offset, p []byte) {
	for len(p) > 0 {
		n := copy(touch(off), p)
		p = p[n:]
		off += dimmnet.Offset(n)
	}
}

// readChunks reads len(p) bytes at off. rest returns the bytes from an offset to the end of its
// chunk, or nil if the chunk was never written, and their number.
func readChunks(rest func(dimmnet.Offset) ([]byte, int), p []byte, off dimmnet.Offset) {
	for len(p) > 0 {
		b, n := rest(off)
		n = min(n, len(p))
		if b != nil {
			copy(p[:n], b)
		} else {
			clear(p[:n])
		}
		p = p[n:]
		off += dimmnet.Offset(n)
	}
}
