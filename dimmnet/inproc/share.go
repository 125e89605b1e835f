package inproc

import (
	"fmt"
	"unsafe"

	"github.com/fagus-dsm/fagus/dimmnet"
)

var _ dimmnet.Sharer = (*port)(nil)

const pageBytes = 4096

// Sharing is false: between goroutines copies are what a run is for, mostly.
func (p *port) Sharing() bool { return false }

// Share makes the memory if this is the first rank that asks for it.
func (p *port) Share(n int) ([]byte, error) {
	r := p.run
	r.mu.Lock()
	defer r.mu.Unlock()
	i := p.shares
	if i == len(r.shared) {
		mem := make([]byte, n+pageBytes)
		skip := -uintptr(unsafe.Pointer(&mem[0])) % pageBytes
		r.shared = append(r.shared, mem[skip:][:n:n])
	}
	if have := len(r.shared[i]); have != n {
		return nil, fmt.Errorf("inproc: rank %d shares %d bytes, another rank %d: all must share the same in the same order", p.rank, n, have)
	}
	p.shares++
	return r.shared[i], nil
}
