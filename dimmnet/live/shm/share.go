//go:build linux

package shm

import (
	"fmt"
	"math"

	"golang.org/x/sys/unix"
)

func machineMemory() int {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return math.MaxInt32
	}
	return int(info.Totalram) * int(info.Unit)
}

// addressSpace returns the limit of this process's address space (ulimit -v).
func addressSpace() int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &limit); err != nil || limit.Cur > math.MaxInt {
		return math.MaxInt
	}
	return int(limit.Cur)
}

// Sharing returns true: the ranks are processes of one host.
func (p *port) Sharing() bool { return true }

// Share allocates pages of the heap of rank 0.
func (p *port) Share(n int) ([]byte, error) {
	at, err := p.allocate(n)
	if err != nil {
		return nil, err
	}
	return p.run.segments[0].heap[at:][:n:n], nil
}

// View allocates the same pages of all heaps.
func (p *port) View(n int) ([][]byte, error) {
	at, err := p.allocate(n)
	if err != nil {
		return nil, err
	}
	views := make([][]byte, len(p.run.segments))
	for rank, s := range p.run.segments {
		views[rank] = s.heap[at:][:n:n]
	}
	return views, nil
}

// Mapped returns true, except under the race detector if the ranks are in one process.
func (p *port) Mapped() bool { return !p.own.goHeap }

// OwnProcessor reports whether there are at least as many processors as ranks.
func (p *port) OwnProcessor() bool { return len(p.run.segments) <= p.run.procs }

// allocate returns an offset in the heaps, equal on all ranks that allocate the same sizes.
func (p *port) allocate(n int) (at int, err error) {
	free := len(p.own.heap) - p.heapUsed
	if n < 0 || n > free {
		return 0, fmt.Errorf("shm: allocating %d bytes of shared memory: %d of %d bytes are in use: use private placement, raise ulimit -v if it is set, or set Config.Heap", n, p.heapUsed, len(p.own.heap))
	}
	at = p.heapUsed
	p.heapUsed += min((n+pageBytes-1)&^(pageBytes-1), free)
	return at, nil
}
