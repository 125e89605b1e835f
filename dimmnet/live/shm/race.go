//go:build linux && race

package shm

import (
	"unsafe"

	"github.com/fagus-dsm/fagus/dimmnet/live/cpuset"
)

// raceHeap bounds the heap, because the race detector keeps state for every byte of it.
const raceHeap = 16 << 20

// newLocal returns the segment of a rank of this process. The race detector does not track mapped
// memory, and would miss the accesses that order the ranks, so here a segment is Go memory.
func newLocal(cfg *Config) (*segment, error) {
	cfg.Heap = min(cfg.Heap, raceHeap)
	pages := make([]uint64, (cfg.segmentBytes()+pageBytes)/word)
	skip := -uintptr(unsafe.Pointer(&pages[0])) % pageBytes / word
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&pages[skip])), cfg.segmentBytes())
	s := newSegment(cfg, bytes[:cfg.nicBytes()], bytes[cfg.nicBytes():])
	s.cpus, s.goHeap = cpuset.Own(), true
	return s, nil
}

func (s *segment) unmapLocal() {}
