package dimmnet

import (
	"fmt"
	"slices"
)

// Rank is the number of a node in a run, 0 to Nodes-1.
type Rank uint16

// MaxNodes is the largest number of nodes in a run: a Rank has 16 bits.
const MaxNodes = 1 << 16

// Offset is a byte address in the NIC memory of one node. The LLCM occupies 0 up to
// Limits.LLCM; the bulk memory follows it.
type Offset uint32

// WordBytes is the size of the aligned word that Load reads and that a Store never crosses.
const WordBytes = 8

// SampleBytes is the most that a Pull can copy while it changes (Port).
const SampleBytes = 64

// Mark is a position in the sequence of arrivals at one node. Marks can only be compared for
// equality.
type Mark uint64

// Awake is the mark that a port may return from Arrivals to make the next Idle return at once: the
// thread is to poll again before it sleeps. No arrival produces this mark.
const Awake = ^Mark(0)

// Limits describes what a port can do. All sizes are in bytes.
type Limits struct {
	Store int // largest Store; DIMMnet-1: 8 (AOTF)
	Block int // largest Write; DIMMnet-1: 464 (BOTF)
	RDMA  int // largest Push or Pull; 0 on a port without RDMA
	LLCM  int // memory that peers write and the host polls; DIMMnet-1: 128 KiB
	Bulk  int // memory behind the LLCM, for Push and Pull; DIMMnet-1: a bank of SO-DIMM
	// Multicast is the largest number of ranks in a Multicast; 0 if the network has none.
	Multicast int
}

// Port is one thread's handle on the NIC of its node. Only that thread may call it.
//
// A call with invalid arguments is a bug of the program and panics before anything is posted:
// a size below 1 or above its limit, a rank that does not exist, an address outside the
// memory, and for Store and Load an access that crosses a word. Once the port has failed,
// every post returns false.
//
// At the start of a run every LLCM is zero. A rank may post to itself.
//
// Stores, Writes and Multicasts from one rank to another land in the order in which they were
// posted. The NIC performs a Push or Pull in its own time: later posts may land before it. A
// program that needs the order waits until the transfer is done.
//
// # Bulk memory
//
// Bulk memory has two sides. The host uses one (Fill and Read), the network the other (Push
// and Pull), and Flip exchanges them. On DIMMnet-1 the sides are two banks. A Flip during a
// transfer from or to the node would split the data over both banks, so the protocol must make
// sure that no transfer is under way. Other ports have one memory for both sides, and Flip
// does nothing. To work on every port, the host and the network therefore use different
// addresses between two Flips. The contents of bulk memory are undefined at the start of a
// run.
type Port interface {
	Rank() Rank
	Nodes() int
	Limits() Limits

	// Store posts the low size bytes of v, little endian, to off in dst's LLCM. size is
	// 1..Limits.Store, and the bytes must lie in one aligned 8-byte word. They appear together,
	// and the other bytes of the word do not change.
	Store(dst Rank, off Offset, v uint64, size int) (posted bool)
	// Write posts p, 1..Limits.Block bytes, to off in dst's LLCM. The caller may reuse p when
	// Write returns. The bytes may appear in any order, so a receiver polls a word that a later
	// Store writes, never the block itself.
	Write(dst Rank, off Offset, p []byte) (posted bool)
	// Multicast posts a Store to every rank in dsts, 1..Limits.Multicast different ranks, as one
	// packet that the network copies. It counts as one Store. At each rank it lands in order with
	// the other posts to that rank.
	Multicast(dsts []Rank, off Offset, v uint64, size int) (posted bool)
	// Push copies n bytes at offset from of this node's NIC memory to offset to of dst's. Pull
	// copies n bytes at offset from of src's NIC memory to offset to of this node's. n is
	// 1..Limits.RDMA, and each range lies in the LLCM or in the bulk memory. When the bytes have
	// landed, the value n is stored in the word at done in this node's LLCM, which counts as an
	// arrival. Until then the source bytes must not change, except in a sample: a Pull of whole
	// words, at most SampleBytes, from an LLCM. A sample copies each word as a whole, at some time
	// after the Pull was posted. Two words of one sample may be of different times. The source,
	// the destination and the word at done must not overlap.
	Push(dst Rank, from, to Offset, n int, done Offset) (posted bool)
	Pull(src Rank, from, to Offset, n int, done Offset) (posted bool)

	// Load reads the aligned word at off in this node's LLCM. It counts as one poll.
	Load(off Offset) uint64
	// Read copies len(p) bytes, at least 1, from off in this node's LLCM or bulk memory to p. The
	// protocol must make sure that no peer writes those bytes meanwhile. One kind of Read needs no
	// such care: a Read of less than a word within one word of the LLCM samples the word as a
	// whole and counts as one poll.
	Read(p []byte, off Offset)
	// Fill copies p, at least 1 byte, to off in this node's bulk memory.
	Fill(off Offset, p []byte)
	// Flip exchanges the two sides of this node's bulk memory.
	Flip()

	// Arrivals returns the mark of the last arrival at this node.
	Arrivals() Mark
	// Idle returns when Arrivals differs from since, when the port has failed, or when a credit or
	// buffer becomes free that an earlier post lacked. It may also return without a reason.
	Idle(since Mark)
	// Err returns nil until the port fails, and from then on the same error.
	Err() error

	// Counters returns the work that this port has done so far.
	Counters() Counters
}

// Counters counts the work of one port.
type Counters struct {
	Stores uint64 // Stores and Multicasts posted (AOTF packets)
	Writes uint64 // Writes posted (BOTF packets)
	Pushes uint64 // Pushes posted
	Pulls  uint64 // Pulls posted
	Bytes  uint64 // payload of all posts
	Polls  uint64 // Loads, and Reads of less than a word; a simulator counts skipped polls too
}

// Plus returns the sum of c and d, field by field.
func (c Counters) Plus(d Counters) Counters {
	return Counters{
		Stores: c.Stores + d.Stores,
		Writes: c.Writes + d.Writes,
		Pushes: c.Pushes + d.Pushes,
		Pulls:  c.Pulls + d.Pulls,
		Bytes:  c.Bytes + d.Bytes,
		Polls:  c.Polls + d.Polls,
	}
}

// Minus returns the difference of c and d, field by field.
func (c Counters) Minus(d Counters) Counters {
	return Counters{
		Stores: c.Stores - d.Stores,
		Writes: c.Writes - d.Writes,
		Pushes: c.Pushes - d.Pushes,
		Pulls:  c.Pulls - d.Pulls,
		Bytes:  c.Bytes - d.Bytes,
		Polls:  c.Polls - d.Polls,
	}
}

// CheckStore panics unless the arguments of a Store are within the limits. Ports call it.
func (l *Limits) CheckStore(nodes int, dst Rank, off Offset, size int) {
	checkSize("Store", size, l.Store)
	l.checkAddress("Store", nodes, dst, off, size)
	if int(off)%WordBytes+size > WordBytes {
		panic(fmt.Sprintf("dimmnet: Store of %d bytes at offset %d crosses a word", size, off))
	}
}

// CheckWrite panics unless the arguments of a Write are within the limits. Ports call it.
func (l *Limits) CheckWrite(nodes int, dst Rank, off Offset, n int) {
	checkSize("Write", n, l.Block)
	l.checkAddress("Write", nodes, dst, off, n)
}

// CheckRDMA panics unless a Push's or Pull's arguments are within the limits. Ports call it.
func (l *Limits) CheckRDMA(nodes int, peer Rank, from, to Offset, n int, done Offset) {
	const method = "Push or Pull"
	checkSize(method, n, l.RDMA)
	checkRank(method, nodes, peer)
	l.checkMemory(method, from, n)
	l.checkMemory(method, to, n)
	l.checkWord(method, done)
}

// CheckMulticast panics unless a Multicast's arguments are within the limits. Ports call it.
func (l *Limits) CheckMulticast(nodes int, dsts []Rank, off Offset, size int) {
	if n := len(dsts); n < 1 || n > l.Multicast {
		panic(fmt.Sprintf("dimmnet: Multicast to %d ranks: this port accepts 1 to %d", n, l.Multicast))
	}
	for i, dst := range dsts {
		l.CheckStore(nodes, dst, off, size)
		if slices.Contains(dsts[:i], dst) {
			panic(fmt.Sprintf("dimmnet: Multicast to rank %d twice", dst))
		}
	}
}

// IsPoll reports whether a Read of n bytes at off counts as a poll. Ports call it.
func (l *Limits) IsPoll(off Offset, n int) bool {
	return n < WordBytes && int(off)%WordBytes+n <= WordBytes && int64(off) < int64(l.LLCM)
}

// CheckLoad panics unless off is the address of a word in the LLCM. Ports call it.
func (l *Limits) CheckLoad(off Offset) { l.checkWord("Load", off) }

// CheckRead panics unless n bytes at off lie in the LLCM or in the bulk memory. Ports call it.
func (l *Limits) CheckRead(off Offset, n int) {
	checkSize("Read", n, max(l.LLCM, l.Bulk))
	l.checkMemory("Read", off, n)
}

// CheckFill panics unless n bytes at off lie in the bulk memory. Ports call it.
func (l *Limits) CheckFill(off Offset, n int) {
	checkSize("Fill", n, l.Bulk)
	if int64(off) < int64(l.LLCM) {
		panic(fmt.Sprintf("dimmnet: Fill at offset %d: bulk memory starts at %d", off, l.LLCM))
	}
	l.checkMemory("Fill", off, n)
}

func checkSize(method string, n, limit int) {
	if n < 1 || n > limit {
		panic(fmt.Sprintf("dimmnet: %s of %d bytes: this port accepts 1 to %d", method, n, limit))
	}
}

func (l *Limits) checkAddress(method string, nodes int, peer Rank, off Offset, n int) {
	checkRank(method, nodes, peer)
	l.checkLLCM(method, off, n)
}

func checkRank(method string, nodes int, peer Rank) {
	if int(peer) >= nodes {
		panic(fmt.Sprintf("dimmnet: %s to rank %d: the run has %d nodes", method, peer, nodes))
	}
}

// checkMemory panics unless n bytes at off lie in the LLCM or in the bulk memory.
func (l *Limits) checkMemory(method string, off Offset, n int) {
	if int64(off) < int64(l.LLCM) {
		l.checkLLCM(method, off, n)
	} else if int64(off)+int64(n) > int64(l.LLCM)+int64(l.Bulk) {
		panic(fmt.Sprintf("dimmnet: %s of %d bytes at offset %d: outside the bulk memory of %d bytes behind %d", method, n, off, l.Bulk, l.LLCM))
	}
}

func (l *Limits) checkLLCM(method string, off Offset, n int) {
	if uint64(off)+uint64(n) > uint64(l.LLCM) {
		panic(fmt.Sprintf("dimmnet: %s of %d bytes at offset %d: outside the LLCM of %d bytes", method, n, off, l.LLCM))
	}
}

func (l *Limits) checkWord(method string, off Offset) {
	if off%WordBytes != 0 {
		panic(fmt.Sprintf("dimmnet: %s of the word at offset %d: not a multiple of %d", method, off, WordBytes))
	}
	l.checkLLCM(method, off, WordBytes)
}
