package network

import (
	"math/bits"

	"github.com/fagus-dsm/fagus/dimmnet/sim/event"
)

// packetPool also reuses the blocks of packets, by size class: class c holds blocks of
// capacity 2^c.
type packetPool struct {
	event.Pool[packet]
	blocks [33][][]byte
}

func blockClass(n int) int { return bits.Len(uint(max(n, 1) - 1)) }

func (pp *packetPool) Free(ref int32) {
	p := pp.At(ref)
	if p.block != nil {
		class := &pp.blocks[blockClass(cap(p.block))]
		*class = append(*class, p.block)
		p.block = nil
	}
	pp.Pool.Free(ref)
}

// blockOf returns n bytes. Free returns them to the pool.
func (pp *packetPool) blockOf(n int) []byte {
	c := blockClass(n)
	class := &pp.blocks[c]
	if last := len(*class) - 1; last >= 0 {
		b := (*class)[last][:n]
		*class = (*class)[:last]
		return b
	}
	return make([]byte, n, 1<<c)
}
