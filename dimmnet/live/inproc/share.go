package inproc

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/capacity"
)

var (
	_ dimmnet.Sharer = (*port)(nil)
	_ dimmnet.Viewer = (*port)(nil)
)

const pageBytes = 4096

// large is the number of bytes from which on allocate checks whether there is enough memory.
const large = 1 << 28

// Sharing returns false: programs use this network mostly to test the copies.
func (p *port) Sharing() bool { return false }

// Share allocates the memory in the first rank's call; the same call of other ranks returns it.
func (p *port) Share(n int) ([]byte, error) {
	all, err := p.allocate(n, 1)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// View allocates the memory of all ranks in the first rank's call; the same call of other ranks
// returns it.
func (p *port) View(n int) ([][]byte, error) { return p.allocate(n, len(p.run.nodes)) }

// Mapped returns false: the memory is the Go heap's.
func (p *port) Mapped() bool { return false }

// OwnProcessor reports whether there are at least as many processors as ranks.
func (p *port) OwnProcessor() bool { return len(p.run.nodes) <= runtime.GOMAXPROCS(0) }

// allocate returns so many blocks of n bytes. The same call of every rank returns the same blocks.
func (p *port) allocate(n, blocks int) ([][]byte, error) {
	r := p.run
	r.Mu.Lock()
	defer r.Mu.Unlock()
	i := p.shares
	if i == len(r.shared) {
		if need := capacity.Product(blocks, n); need >= large {
			if err := capacity.Left().Check(need); err != nil { // Go would end the process
				return nil, fmt.Errorf("inproc: %w", err)
			}
		}
		all := make([][]byte, blocks)
		for b := range all {
			mem := make([]byte, n+pageBytes)
			skip := -uintptr(unsafe.Pointer(&mem[0])) % pageBytes
			all[b] = mem[skip:][:n:n]
		}
		r.shared, r.sharers = append(r.shared, all), append(r.sharers, p.Rank())
	}
	if have := r.shared[i]; len(have) != blocks || len(have[0]) != n {
		return nil, fmt.Errorf("inproc: %w", &dimmnet.UnequalShares{Own: p.Rank(), Other: r.sharers[i], Bytes: [2]int{blocks * n, len(have) * len(have[0])}})
	}
	p.shares++
	return r.shared[i], nil
}
