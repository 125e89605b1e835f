package locks

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Memory that ranks share consists of records of this size. Words with different writers are two
// cache lines apart, because the prefetcher fetches lines in pairs.
const recordBytes = 128

// lock is the record of a variable. Only the present holders use the fields behind state, and
// state orders these uses.
type lock struct {
	state atomic.Uint64
	// hint holds the rank that was the last to acquire the variable exclusively, and how many
	// exclusive tenures have begun.
	hint uint64
	// first is 1 plus the rank at the head of the list of waiting ranks; 0: the list is empty.
	first uint32
	_     uint32
	// declared identifies the declarations up to the variable, and the rank that made them.
	declared atomic.Uint64
	// watchers has a bit for each rank that waits for a change. Ranks set theirs while they hold
	// the variable. Of more ranks than bits, several share a bit.
	watchers [watchBits / 64]atomic.Uint64
}

// watchBits is the number of bits of lock.watchers.
const watchBits = 8 * (recordBytes - 32)

// entry is the record of a rank: its place in the queue of the variable for which it waits. The
// rank writes next and wants before it joins the queue. From then on they belong to the rank that
// hands the variable over.
type entry struct {
	next    uint32        // 1 plus the next rank; 0: none
	wants   uint32        // the access that the rank wants
	granted atomic.Uint32 // 1: the rank has the variable
	sleeps  atomic.Uint32 // 1: the rank that sets granted or changed must wake this rank
	// calls is the number of Updates after which the rank made a call.
	calls   atomic.Uint64
	changed atomic.Uint32 // 1: the variable for whose change the rank waits has changed
	_       [recordBytes - 28]byte
}

// common is the first record.
type common struct {
	watchers atomic.Int64 // ranks that sleep until others make a call after an Update
	_        [recordBytes - 8]byte
}

// The sizes of the records are checked here.
const (
	_ = uint(recordBytes-unsafe.Sizeof(lock{})) + uint(unsafe.Sizeof(lock{})-recordBytes)
	_ = uint(recordBytes-unsafe.Sizeof(entry{})) + uint(unsafe.Sizeof(entry{})-recordBytes)
	_ = uint(recordBytes-unsafe.Sizeof(changes{})) + uint(unsafe.Sizeof(changes{})-recordBytes)
	_ = uint(recordBytes-unsafe.Sizeof(common{})) + uint(unsafe.Sizeof(common{})-recordBytes)
)

const pageBytes = 4096

// memory is the memory that ranks share. All ranks allocate the same blocks in the same order.
type memory struct {
	host  dimmnet.Sharer
	block []byte // the free part of the last block
	next  int    // bytes of the next block
}

// newMemory allocates the first block, which holds need records before any lock. It does so before
// any declaration. So the locks of this block are at the same place on all ranks, even if ranks
// declare different things.
func newMemory(host dimmnet.Sharer, need int) (m *memory, err error) {
	m = &memory{host: host, next: (need*recordBytes+2*pageBytes-1)&^(pageBytes-1) + pageBytes}
	return m, m.grow()
}

func (m *memory) grow() (err error) {
	if m.block, err = m.host.Share(m.next); err != nil {
		return fmt.Errorf("locks: memory for sync variables: %w", err)
	}
	m.next *= 2
	return nil
}

// record returns the next record, all zero when the run begins.
func (m *memory) record() (unsafe.Pointer, error) {
	if len(m.block) < recordBytes {
		if err := m.grow(); err != nil {
			return nil, err
		}
	}
	p := unsafe.Pointer(&m.block[0])
	m.block = m.block[recordBytes:]
	return p, nil
}

// declaration is what a rank knows of the declarations up to a variable.
type declaration struct {
	count  uint32
	digest uint64
	same   bool // equal at the other ranks that have acquired the variable
}

// digestShift is the number of bits in lock.declared below the digest: the rank, and a 1 that
// makes the word differ from 0.
const digestShift = rankBits + 1

// agree compares the declarations up to a variable with the first rank that acquired it.
func (d *declaration) agree(l *lock, own dimmnet.Rank, space *consistency.Space) error {
	mine := d.digest<<digestShift | 1<<rankBits | uint64(own)
	if !l.declared.CompareAndSwap(0, mine) {
		if other := l.declared.Load(); other>>digestShift != mine>>digestShift {
			return space.CheckSame(own, dimmnet.Rank(other&(1<<rankBits-1)), 0, d.count, ^d.digest)
		}
	}
	d.same = true
	return nil
}

// version returns the version of the last exclusive tenure that has begun, or first if none has.
func (l *lock) version(first syncvar.Version) syncvar.Version {
	return first + syncvar.HintOf(l.hint).Version
}

func (l *lock) load() state { return state(l.state.Load()) }
func (l *lock) swap(before, after state) bool {
	return l.state.CompareAndSwap(uint64(before), uint64(after))
}
