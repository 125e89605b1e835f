package inproc

import (
	"fmt"
	"unsafe"

	"github.com/fagus-dsm/fagus/dimmnet"
)

var _ dimmnet.Sharer = (*port)(nil)

const pageBytes = 4096

// Sharing returns false: programs use this network mostly to test the copies.
func (p *port) Sharing() bool { return false }

// Share allocates the memory in the first rank's call; the same call of other ranks returns it.
func (p *port) Share(n int) ([]byte, error) {
	r := p.run
	r.Mu.Lock()
	defer r.Mu.Unlock()
	i := p.shares
	if i == len(r.shared) {
		mem := make([]byte, n+pageBytes)
		skip := -uintptr(unsafe.Pointer(&mem[0])) % pageBytes
		r.shared = append(r.shared, mem[skip:][:n:n])
	}
	if have := len(r.shared[i]); have != n {
		return nil, fmt.Errorf("inproc: rank %d shares %d bytes, another rank %d: all ranks must share the same sizes in the same order", p.Rank(), n, have)
	}
	p.shares++
	return r.shared[i], nil
}
