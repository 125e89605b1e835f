//go:build linux && race

package shm

import (
	"unsafe"

	"github.com/fagus-dsm/fagus/dimmnet/cpuset"
)

// raceHeap bounds the heap: the race detector keeps books on all of it.
const raceHeap = 16 << 20

// local makes the segment of a rank that is in this process. The race detector does not
// look at mapped memory, and so would not see what orders the ranks: here a segment is
// memory of Go.
func local(cfg *Config) (*segment, error) {
	cfg.Heap = min(cfg.Heap, raceHeap)
	pages := make([]uint64, (cfg.segmentBytes()+pageBytes)/word)
	skip := -uintptr(unsafe.Pointer(&pages[0])) % pageBytes / word
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&pages[skip])), cfg.segmentBytes())
	s := cut(cfg, bytes[:cfg.nicBytes()], bytes[cfg.nicBytes():])
	s.cpus = cpuset.Own()
	return s, nil
}

func (s *segment) unmapLocal() {}
