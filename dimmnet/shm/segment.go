//go:build linux

package shm

import (
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/cpuset"
	"github.com/fagus-dsm/fagus/dimmnet/memory"
)

// header is the first page of a segment. Words of different writers are two cache
// lines apart, because the prefetcher fetches lines in pairs.
type header struct {
	magic uint64
	llcm  uint64     // bytes
	bulk  uint64     // bytes
	cpus  cpuset.Set // that its process may use
	_     [cacheLine - 24]byte

	// asleep is 1 if a thread may sleep, or be about to, until wakes changes.
	asleep atomic.Uint32
	_      [cacheLine - 4]byte

	wakes atomic.Uint32
	_     [cacheLine - 4]byte

	failed atomic.Uint32 // 0, or 1 and the rank whose failure is this one's
	_      [cacheLine - 4]byte

	notices atomic.Uint64
	bell    bell // of the notices
	_       [cacheLine - 16]byte

	beat  atomic.Uint32 // counts up while the rank's process runs
	ended atomic.Uint32 // 1 if its Run is over
	_     [cacheLine - 8]byte

	// Why this rank failed, in words; written before it is told.
	words atomic.Uint32 // bytes
	why   [1024]byte
}

const (
	cacheLine   = 128
	headerBytes = pageBytes
	magic       = 0x324d5348_73756761 // "agusSHM2"
)

// segment is the memory of a rank, as this process sees it.
type segment struct {
	*header
	mapped []byte
	memory memory.Words
	bulk   memory.Words
	heap   []byte // of arrays
}

// nicBytes is how much of a segment is not heap, in whole pages.
func (c *Config) nicBytes() int {
	return (headerBytes + c.LLCM + c.Bulk + pageBytes - 1) &^ (pageBytes - 1)
}

// segmentBytes is the size of a segment. The heap is its end.
func (c *Config) segmentBytes() int { return c.nicBytes() + c.Heap }

const seals = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL

// create makes a segment. The file is for the other ranks.
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
			return nil, fmt.Errorf("shm: a segment of %d bytes: %w", size, err)
		}
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals); err != nil {
			return nil, fmt.Errorf("shm: sealing a segment: %w", err)
		}
		s, err := mapSegment(fd, cfg, unix.MAP_POPULATE)
		if err != nil {
			return nil, err
		}
		s.magic, s.llcm, s.header.bulk, s.cpus = magic, uint64(cfg.LLCM), uint64(cfg.Bulk), cpuset.Own()
		return s, nil
	}()
	if err != nil {
		_ = f.Close() // its error would say less
		return nil, nil, err
	}
	return s, f, nil
}

// open maps the segment that another rank has made.
func open(f *os.File, rank dimmnet.Rank, cfg *Config) (*segment, error) {
	fd := int(f.Fd())
	// A segment that its maker could shrink would kill this process by a signal.
	have, err := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0)
	if err != nil {
		return nil, fmt.Errorf("shm: rank %d sent a file that is no segment: %w", rank, err)
	}
	if have&seals != seals {
		return nil, fmt.Errorf("shm: rank %d sent a file that is not sealed (%#x)", rank, have)
	}
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return nil, fmt.Errorf("shm: the segment of rank %d: %w", rank, err)
	}
	if size := int64(cfg.segmentBytes()); stat.Size != size {
		return nil, fmt.Errorf("shm: rank %d has a segment of %d bytes, this rank one of %d: all must have the same configuration", rank, stat.Size, size)
	}
	s, err := mapSegment(fd, cfg, 0)
	if err != nil {
		return nil, err
	}
	if s.magic != magic || s.llcm != uint64(cfg.LLCM) || s.header.bulk != uint64(cfg.Bulk) {
		s.unmap()
		return nil, fmt.Errorf("shm: rank %d has a segment of another make (%#x, %d bytes of LLCM, %d of bulk memory)", rank, s.magic, s.llcm, s.header.bulk)
	}
	return s, nil
}

// mapSegment maps a segment: flags are for what is not heap.
func mapSegment(fd int, cfg *Config, flags int) (*segment, error) {
	const readWrite = unix.PROT_READ | unix.PROT_WRITE
	m, err := unix.Mmap(fd, 0, cfg.nicBytes(), readWrite, unix.MAP_SHARED|flags)
	if err != nil {
		return nil, fmt.Errorf("shm: mapping a segment: %w", err)
	}
	heap, err := unix.Mmap(fd, int64(cfg.nicBytes()), cfg.Heap, readWrite, unix.MAP_SHARED|unix.MAP_NORESERVE)
	if err != nil {
		_ = unix.Munmap(m) // it was made here: it cannot fail
		return nil, fmt.Errorf("shm: mapping a heap of %d bytes: %w", cfg.Heap, err)
	}
	return cut(cfg, m, heap), nil
}

// cut makes a segment of its memory.
func cut(cfg *Config, nic, heap []byte) *segment {
	words := unsafe.Slice((*uint64)(unsafe.Pointer(&nic[headerBytes])), (cfg.LLCM+cfg.Bulk)/word)
	return &segment{
		header: (*header)(unsafe.Pointer(&nic[0])),
		mapped: nic,
		memory: words[: cfg.LLCM/word : cfg.LLCM/word],
		bulk:   words[cfg.LLCM/word:],
		heap:   heap,
	}
}

func (s *segment) unmap() {
	// The mappings were made here and are not used any more: it cannot fail.
	_ = unix.Munmap(s.mapped)
	_ = unix.Munmap(s.heap)
}

// place is where off is: in the LLCM, or in the bulk memory.
func (s *segment) place(off dimmnet.Offset) (memory.Words, dimmnet.Offset) {
	if llcmBytes := dimmnet.Offset(len(s.memory) * word); off >= llcmBytes {
		return s.bulk, off - llcmBytes
	}
	return s.memory, off
}

// arrive tells those who may sleep that bytes have landed, which are in place already.
// While nobody does it costs the look at a word that rests in this processor's cache.
//
// No wake-up is lost. The poster writes and then looks at asleep; the waiter sets asleep
// and then looks at what was written (see Idle). Go's atomics are sequentially
// consistent, so at least one of them sees what the other did. Of several posters one
// takes asleep back, and wakes all.
func (s *segment) arrive() {
	if s.asleep.Load() != 0 && s.asleep.Swap(0) != 0 {
		s.stir()
	}
}

// stir wakes all that sleep.
func (s *segment) stir() {
	s.wakes.Add(1)
	wakeAll((*uint32)(unsafe.Pointer(&s.wakes)), true)
}

// fail notes that a rank has failed, and wakes all that wait here.
func (s *segment) fail(rank dimmnet.Rank) {
	s.failed.CompareAndSwap(0, 1+uint32(rank))
	s.stir()
	s.bell.ring(true)
}

// explain says why the rank of the segment has failed.
func (s *segment) explain(words string) {
	n := copy(s.why[:], words)
	s.words.Store(uint32(n))
}

// explanation is what explain said. The peer wrote it: it may be anything.
func (s *segment) explanation() string {
	return string(s.why[:min(int(s.words.Load()), len(s.why))])
}
