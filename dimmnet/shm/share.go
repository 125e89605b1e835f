//go:build linux

package shm

import (
	"fmt"
	"math"

	"golang.org/x/sys/unix"
)

// machineMemory is how much there is, in bytes.
func machineMemory() int {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return math.MaxInt32
	}
	return int(info.Totalram) * int(info.Unit)
}

// Sharing is true: ranks are processes of one host.
func (p *port) Sharing() bool { return true }

// Share takes the next pages of the heap, which are the same ones on every rank that has
// taken as many before.
func (p *port) Share(n int) ([]byte, error) {
	heap := p.run.segments[0].heap
	if n < 0 || n > len(heap)-p.shared {
		return nil, fmt.Errorf("shm: %d bytes of shared memory, after %d: there are %d, set Config.Heap", n, p.shared, len(heap))
	}
	mem := heap[p.shared:][:n:n]
	p.shared += (n + pageBytes - 1) &^ (pageBytes - 1)
	p.shared = min(p.shared, len(heap))
	return mem, nil
}
