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

// packetPool keeps packets in one slice and reuses their places and blocks.
type packetPool struct {
	packets []packet
	unused  []int32
	blocks  [][]byte
}

func (pp *packetPool) put(p packet) int32 {
	if n := len(pp.unused); n > 0 {
		ref := pp.unused[n-1]
		pp.unused = pp.unused[:n-1]
		pp.packets[ref] = p
		return ref
	}
	pp.packets = append(pp.packets, p)
	return int32(len(pp.packets) - 1)
}

func (pp *packetPool) at(ref int32) *packet { return &pp.packets[ref] }

func (pp *packetPool) free(ref int32) {
	p := &pp.packets[ref]
	if p.block != nil {
		pp.blocks = append(pp.blocks, p.block)
		p.block = nil
	}
	pp.unused = append(pp.unused, ref)
}

// blockOf returns n bytes that free will take back.
func (pp *packetPool) blockOf(n int) []byte {
	last := len(pp.blocks) - 1
	if last < 0 || cap(pp.blocks[last]) < n {
		return make([]byte, n)
	}
	b := pp.blocks[last][:n]
	pp.blocks = pp.blocks[:last]
	return b
}
