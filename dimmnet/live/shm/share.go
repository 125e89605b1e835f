//go:build linux

package shm

import (
	"fmt"
	"math"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/fagus-dsm/fagus/dimmnet/capacity"
)

// mostHeap returns the most bytes, in whole pages, that the heap of each rank may have. The
// machine's memory and the limits of this process bound it; limit names the bound that counts. 0
// means that the limit leaves no room for a heap beside the NIC memory of nic bytes.
func mostHeap(nodes, nic int) (bytes int, limit string) {
	bytes, limit = mostMapped/nodes, "the address space"
	atMost := func(n int, what string) {
		if n < bytes {
			bytes, limit = max(n, 0)&^(pageBytes-1), what
		}
	}
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err == nil {
		atMost(int(info.Totalram)*int(info.Unit), "the machine's memory")
	}
	// A rank maps the segments of all ranks. They may take half of the addresses that its process
	// leaves; the other half is for everything else.
	atMost((resourceLimit(unix.RLIMIT_AS)-capacity.ProcessBytes)/2/nodes-nic, "the limit of the address space, which ulimit -v raises")
	atMost(resourceLimit(unix.RLIMIT_FSIZE)-nic, "the limit of the size of files, which ulimit -f raises")
	return bytes, limit
}

// resourceLimit returns a limit of this process; math.MaxInt if there is none.
func resourceLimit(resource int) int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(resource, &limit); err != nil || limit.Cur > math.MaxInt {
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
		limit := "as Config.Heap says"
		if most, by := mostHeap(len(p.run.segments), len(p.own.mapped)); len(p.own.heap) >= most {
			limit = "the most by " + by
		}
		return 0, fmt.Errorf("shm: allocating %s of memory that other ranks can read: %s of %s (%s) are in use: make less, or use more hosts (--net tcp): %w",
			capacity.Text(int64(n)), capacity.Text(int64(p.heapUsed)), capacity.Text(int64(len(p.own.heap))), limit, syscall.ENOMEM)
	}
	at = p.heapUsed
	p.heapUsed += min((n+pageBytes-1)&^(pageBytes-1), free)
	return at, nil
}
