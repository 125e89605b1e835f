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

// Share takes the next pages of the heap of rank 0.
func (p *port) Share(n int) ([]byte, error) {
	at, err := p.take(n)
	if err != nil {
		return nil, err
	}
	return p.run.segments[0].heap[at:][:n:n], nil
}

// View takes the next pages of all heaps.
func (p *port) View(n int) ([][]byte, error) {
	at, err := p.take(n)
	if err != nil {
		return nil, err
	}
	views := make([][]byte, len(p.run.segments))
	for rank, s := range p.run.segments {
		views[rank] = s.heap[at:][:n:n]
	}
	return views, nil
}

// Spare compares ranks and processors.
func (p *port) Spare() bool { return len(p.run.segments) <= p.run.procs }

// take is where the next n bytes of a heap begin, which is the same on every rank that
// has taken as many before.
func (p *port) take(n int) (at int, err error) {
	room := len(p.own.heap) - p.taken
	if n < 0 || n > room {
		return 0, fmt.Errorf("shm: %d bytes of shared memory, after %d: there are %d, set Config.Heap", n, p.taken, len(p.own.heap))
	}
	at = p.taken
	p.taken += min((n+pageBytes-1)&^(pageBytes-1), room)
	return at, nil
}
