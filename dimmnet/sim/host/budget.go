package host

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"syscall"

	"github.com/fagus-dsm/fagus/dimmnet/capacity"
)

const (
	// nodeBytes is the least memory of a simulated node: its coroutine, NIC and LLCM
	// (BenchmarkPingPong reports 5.7 to 7.6 KB).
	nodeBytes = 5 << 10
	// One part in reserve of the available memory is left for the kernel's page tables, and for
	// ending the run.
	reserve = 16
	// The memory of the process is read after leastCalls to mostCalls communication calls, the more
	// often the faster it grows.
	leastCalls, mostCalls = 16, 1 << 14
)

// Budget bounds the memory of a run. A process that exceeds the memory of its machine or
// container makes it swap, or the kernel kills the process, or another one. A run fails before.
type Budget struct {
	before int64  // bytes that the process had when the run began
	most   int64  // bytes that the run may take; 0 if unknown
	last   int64  // bytes that the process had when they were read last
	step   uint64 // calls between readings
	next   uint64 // number of the call at which they are read next
}

func unbounded() Budget { return Budget{next: math.MaxUint64} }

// NewBudget returns the budget of a run that begins now. If most is 0, the run may take what is
// available. It is an error if that cannot be enough for this many nodes.
func NewBudget(most int64, nodes int) (*Budget, error) {
	b := unbounded()
	before, err := resident()
	if err != nil {
		return &b, nil
	}
	if most == 0 {
		free := capacity.Left()
		if free.Limit == "" {
			return &b, nil
		}
		most = free.Bytes - free.Bytes/reserve
	}
	b = Budget{before: before, last: before, most: most, step: leastCalls}
	if need := int64(nodes) * nodeBytes; b.most > 0 && need > b.most {
		return nil, fmt.Errorf("sim: %d simulated nodes take at least %d MiB of memory, and %d MiB are available: simulate fewer nodes: %w",
			nodes, need>>20, b.most>>20, syscall.ENOMEM)
	}
	return &b, nil
}

// check returns an error if the run has taken more than it may, and not only because of garbage.
// It is called after the given number of calls; begun of the nodes have started their programs.
func (b *Budget) check(calls uint64, begun, nodes int) error {
	now, err := resident()
	if err != nil {
		return nil
	}
	b.step = min(2*b.step, mostCalls)
	if left := b.before + b.most - now; now-b.last > left/reserve {
		b.step = max(b.step/4, leastCalls)
	}
	b.last, b.next = now, calls+b.step
	if now <= b.before+b.most {
		return nil
	}
	debug.FreeOSMemory()
	if now, err = resident(); err != nil || now <= b.before+b.most-b.most/reserve {
		return nil
	}
	takes := now - b.before
	text := fmt.Sprintf("%d simulated nodes take %d MiB of memory", nodes, takes>>20)
	if begun < nodes {
		text = fmt.Sprintf("%d of %d simulated nodes take %d MiB of memory (all: some %d MiB)",
			begun, nodes, takes>>20, takes/int64(max(begun, 1))*int64(nodes)>>20)
	}
	return fmt.Errorf("sim: %s, and %d MiB are available: simulate fewer nodes, or a smaller problem: %w", text, b.most>>20, syscall.ENOMEM)
}

// resident returns the memory that this process has, in bytes.
func resident() (int64, error) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, err
	}
	var size, pages int64
	if n, _ := fmt.Sscan(string(text), &size, &pages); n < 2 {
		return 0, errors.New("sim: /proc/self/statm has no resident size")
	}
	return pages * int64(os.Getpagesize()), nil
}
