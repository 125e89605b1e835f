package sim

import "math/bits"

// pool holds values in one slice, addressed by number, and reuses the numbers of freed ones.
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

// at returns a pointer that is valid until the next put.
func (p *pool[T]) at(ref int32) *T { return &p.all[ref] }

func (p *pool[T]) free(ref int32) { p.unused = append(p.unused, ref) }

// packetPool also reuses the blocks of packets, by size class: class c holds blocks of
// capacity 2^c.
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

// blockOf returns n bytes. free returns them to the pool.
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
