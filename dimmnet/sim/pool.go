package sim

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

// packetPool also reuses the packets' blocks.
type packetPool struct {
	pool[packet]
	blocks [][]byte
}

func (pp *packetPool) free(ref int32) {
	p := pp.at(ref)
	if p.block != nil {
		pp.blocks = append(pp.blocks, p.block)
		p.block = nil
	}
	pp.pool.free(ref)
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
