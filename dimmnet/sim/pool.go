package sim

import "math/bits"

// pool keeps things in one slice, by number, and reuses the places of those that
// were freed.
type pool[T any] struct {
	all    []T
	unused []int32
}

func (p *pool[T]) put(x T) (ref int32) {
	if n := len(p.unused); n > 0 {
		ref = p.unused[n-1]
		p.unused = p.unused[:n-1]
		p.all[ref] = x
		return ref
	}
	p.all = append(p.all, x)
	return int32(len(p.all) - 1)
}

// at is good until the next put.
func (p *pool[T]) at(ref int32) *T { return &p.all[ref] }

func (p *pool[T]) free(ref int32) { p.unused = append(p.unused, ref) }

// packetPool also reuses the packets' blocks, by size class: class c holds those
// of up to 2^c bytes.
type packetPool struct {
	pool[packet]
	blocks [33][][]byte
}

func blockClass(n int) int { return bits.Len(uint(max(n, 1) - 1)) }

func (pp *packetPool) free(ref int32) {
	p := pp.at(ref)
	if p.block != nil {
		class := &pp.blocks[blockClass(cap(p.block))]
		*class = append(*class, p.block)
		p.block = nil
	}
	pp.pool.free(ref)
}

// blockOf returns n bytes that free will take back.
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
