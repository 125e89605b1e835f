//go:build linux

package shm

import (
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/cpuset"
	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
	"github.com/fagus-dsm/fagus/dimmnet/live/local"
	"github.com/fagus-dsm/fagus/dimmnet/live/memory"
)

// header is the first page of a segment. Words with different writers are two cache lines apart,
// because the prefetcher fetches lines in pairs.
type header struct {
	magic uint64
	llcm  uint64     // bytes
	bulk  uint64     // bytes
	cpus  cpuset.Set // the processors that the process may use
	// barriers is 1 if the process has registered for barriers (barrier.go).
	barriers uint64
	_        [local.CacheLine - 32]byte

	// asleep is 1 if a thread may sleep, or be about to sleep, until wakes changes.
	asleep atomic.Uint32
	_      [local.CacheLine - 4]byte

	wakes atomic.Uint32
	_     [local.CacheLine - 4]byte

	processor atomic.Uint32 // where a thread of the rank last waited, plus 1
	_         [local.CacheLine - 4]byte

	failed atomic.Uint32 // 0, or 1 plus the rank that caused the run to fail
	_      [local.CacheLine - 4]byte

	notices atomic.Uint64
	notice  futexFlag
	_       [local.CacheLine - 16]byte

	beat  atomic.Uint32 // incremented while the rank's process runs
	ended atomic.Uint32 // 1 if the rank's Run is over
	_     [local.CacheLine - 8]byte

	// The reason for the failure of this rank, written before failed is set. gone is 1 if the rank
	// is lost (dimmnet.IsGone).
	gone        atomic.Uint32
	reasonBytes atomic.Uint32
	reason      [1024]byte
}

const (
	headerBytes = pageBytes
	magic       = 0x364d5348_73756761 // "agusSHM6"
)

// segment is the memory of a rank as this process maps it.
type segment struct {
	*header
	memory.NIC
	mapped []byte // the header and the NIC memory
	heap   []byte // the memory that programs share
	goHeap bool   // the memory is the Go heap's, for the race detector
}

func (c *Config) nicBytes() int {
	return (headerBytes + c.LLCM + c.Bulk + pageBytes - 1) &^ (pageBytes - 1)
}

func (c *Config) segmentBytes() int { return c.nicBytes() + c.Heap }

const seals = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL

func create(cfg *Config) (*segment, *os.File, error) {
	size := cfg.segmentBytes()
	fd, err := unix.MemfdCreate("fagus", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, nil, fmt.Errorf("shm: memfd_create: %w", err)
	}
	f := os.NewFile(uintptr(fd), "fagus segment")
	s, err := func() (*segment, error) {
		if err := unix.Fchmod(fd, 0o600); err != nil {
			return nil, fmt.Errorf("shm: fchmod: %w", err)
		}
		if err := unix.Ftruncate(fd, int64(size)); err != nil {
			return nil, fmt.Errorf("shm: allocating a segment of %d bytes: %w", size, err)
		}
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals); err != nil {
			return nil, fmt.Errorf("shm: sealing a segment: %w", err)
		}
		s, err := mapSegment(fd, cfg)
		if err != nil {
			return nil, err
		}
		s.populate(headerBytes + cfg.LLCM)
		s.magic, s.llcm, s.header.bulk, s.cpus = magic, uint64(cfg.LLCM), uint64(cfg.Bulk), cpuset.Own()
		if registerBarriers() {
			s.barriers = 1
		}
		return s, nil
	}()
	if err != nil {
		_ = f.Close() // err is the more useful error
		return nil, nil, err
	}
	return s, f, nil
}

func open(f *os.File, rank dimmnet.Rank, cfg *Config) (*segment, error) {
	fd := int(f.Fd())
	// If the creator could shrink the segment, an access would kill this process by a signal.
	have, err := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0)
	if err != nil {
		return nil, fmt.Errorf("shm: rank %d sent a file that is not a segment: %w", rank, err)
	}
	if have&seals != seals {
		return nil, fmt.Errorf("shm: rank %d sent a file that is not sealed (seals %#x)", rank, have)
	}
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return nil, fmt.Errorf("shm: fstat of the segment of rank %d: %w", rank, err)
	}
	if size := int64(cfg.segmentBytes()); stat.Size != size {
		return nil, fmt.Errorf("shm: rank %d has a segment of %d bytes, this rank one of %d: all must have the same configuration", rank, stat.Size, size)
	}
	s, err := mapSegment(fd, cfg)
	if err != nil {
		return nil, err
	}
	if s.magic != magic || s.llcm != uint64(cfg.LLCM) || s.header.bulk != uint64(cfg.Bulk) {
		s.unmap()
		return nil, fmt.Errorf("shm: rank %d has a segment of another version (magic %#x, %d bytes of LLCM, %d of bulk memory)", rank, s.magic, s.llcm, s.header.bulk)
	}
	return s, nil
}

// mapSegment maps a segment. Bulk memory and heap take up memory only when they are written.
func mapSegment(fd int, cfg *Config) (*segment, error) {
	const readWrite = unix.PROT_READ | unix.PROT_WRITE
	m, err := unix.Mmap(fd, 0, cfg.nicBytes(), readWrite, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("shm: mapping a segment: %w", err)
	}
	heap, err := unix.Mmap(fd, int64(cfg.nicBytes()), cfg.Heap, readWrite, unix.MAP_SHARED|unix.MAP_NORESERVE)
	if err != nil {
		_ = unix.Munmap(m) // cannot fail for a mapping made above
		return nil, fmt.Errorf("shm: mapping a heap of %d bytes (Config.Heap): %w", cfg.Heap, err)
	}
	return newSegment(cfg, m, heap), nil
}

// populate allocates the first n bytes of a new segment, so that no post waits for a page.
func (s *segment) populate(n int) {
	for at := 0; at < n; at += pageBytes {
		s.mapped[at] = 0
	}
}

func newSegment(cfg *Config, nic, heap []byte) *segment {
	words := unsafe.Slice((*uint64)(unsafe.Pointer(&nic[headerBytes])), (cfg.LLCM+cfg.Bulk)/word)
	llcm, bulk := words[:cfg.LLCM/word:cfg.LLCM/word], words[cfg.LLCM/word:]
	return &segment{
		header: (*header)(unsafe.Pointer(&nic[0])),
		NIC:    memory.NIC{LLCM: llcm, Host: bulk, Network: bulk},
		mapped: nic,
		heap:   heap,
	}
}

func (s *segment) unmap() {
	// Munmap cannot fail for mappings that were made here and are no longer in use.
	_ = unix.Munmap(s.mapped)
	_ = unix.Munmap(s.heap)
}

// arrive wakes threads that may sleep, after the bytes of a post are in place. While no thread may
// sleep, arrive costs one load of a word that stays in this processor's cache.
//
// No wake-up is lost. The poster writes its data and then reads asleep; the waiter sets asleep and
// then reads the data (see Idle). At least one of the two sees the other's write: either all four
// accesses are sequentially consistent, or the waiter executes the poster's barrier, too
// (barrier.go). Only one of several posters clears asleep, and wakes all sleepers.
// A Write is not atomic: its bytes may become visible after the read of asleep. Nobody waits for
// them (dimmnet.Port.Write), but for a later Store, after which the poster reads asleep again.
func (s *segment) arrive() {
	if s.asleep.Load() == 0 {
		return
	}
	delay.Here()
	if s.asleep.Swap(0) != 0 {
		s.wake()
	}
}

func (s *segment) wake() {
	delay.Here()
	s.wakes.Add(1)
	wakeAll((*uint32)(unsafe.Pointer(&s.wakes)), true)
}

func (s *segment) fail(rank dimmnet.Rank) {
	s.failed.CompareAndSwap(0, 1+uint32(rank))
	s.wake()
	delay.Here()
	s.notice.set(true)
}

func (s *segment) setReason(text string, gone bool) {
	n := copy(s.reason[:], text)
	if gone {
		s.gone.Store(1)
	}
	s.reasonBytes.Store(uint32(n))
}

// reasonText returns the text that setReason stored. A peer wrote the text, so it may be invalid.
func (s *segment) reasonText() string {
	return string(s.reason[:min(int(s.reasonBytes.Load()), len(s.reason))])
}
