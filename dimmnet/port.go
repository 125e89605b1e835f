package dimmnet

import (
	"fmt"
	"slices"
)

// Rank numbers the nodes of a run, 0 to Nodes-1.
type Rank uint16

// MaxNodes bounds the nodes of a run: a Rank has 16 bits.
const MaxNodes = 1 << 16

// Offset is a byte position in the NIC memory of one node. The LLCM starts at
// 0 and is Limits.LLCM bytes long; the bulk memory follows it.
type Offset uint32

// WordBytes is the size of the word that Load reads and that a Store never
// crosses.
const WordBytes = 8

// Mark is a position in the stream of arrivals at one node. Marks are only
// compared for equality.
type Mark uint64

// Awake is the mark of a thread whose next Idle returns at once, so that it looks again.
// A port need not have it: for others it is a mark that never comes.
const Awake = ^Mark(0)

// Limits says what a port can do. All sizes are in bytes.
type Limits struct {
	Store int // largest Store; DIMMnet-1: 8 (AOTF)
	Block int // largest Write; DIMMnet-1: 464 (BOTF)
	RDMA  int // largest Push or Pull; 0 where the port has none
	LLCM  int // memory that peers write and the host polls; DIMMnet-1: 128 KiB
	Bulk  int // memory behind the LLCM for Push and Pull; DIMMnet-1: a bank of SO-DIMM
	// Multicast is how many ranks a Multicast reaches at most; 0 where the network
	// has none.
	Multicast int
}

// Port is one thread's handle on the NIC of its node. Only that thread may
// call it.
//
// A size of zero or above its limit, a rank that does not exist, and an
// address outside the window or (Store, Load) across a word are mistakes of
// the program: the call panics before anything was posted. On a port that has
// failed every post returns false.
//
// At the start of a run every LLCM is zero. A rank may post to itself.
//
// Stores and Writes from one rank to another land in the order posted. A Push
// or Pull is done by the NIC in its own time: what is posted later may land
// before it, and whoever needs the order waits until it is done.
//
// # Bulk memory
//
// It has two sides. Fill and Read work on the side of the host, Push and Pull on
// the side of the network, and Flip exchanges the two. On DIMMnet-1 the sides
// are two banks: a Flip while something is pushed into or out of the node would
// tear it apart, so the protocol must have made sure that nothing is. Other
// ports have one memory for both sides, and their Flip does nothing. So between
// two Flips host and network must use different places. What is in bulk memory
// at the start of a run is not defined.
type Port interface {
	Rank() Rank
	Nodes() int
	Limits() Limits

	// Store posts the low size bytes of v, little endian, to off in dst's LLCM.
	// size is 1..Limits.Store and the bytes must not cross an 8-byte word. They
	// appear at once, and no neighbour in the word is disturbed.
	Store(dst Rank, off Offset, v uint64, size int) (posted bool)
	// Write posts p, 1..Limits.Block bytes, to off in dst's LLCM. The port has
	// taken p when it returns; the caller may reuse it. The bytes appear in any
	// order: who polls for them polls a word that a later Store writes.
	Write(dst Rank, off Offset, p []byte) (posted bool)
	// Multicast is a Store to every rank of dsts, 1..Limits.Multicast different
	// ones, by one packet that the network copies. It counts as one Store. It lands
	// at each rank in order with the other posts to it.
	Multicast(dsts []Rank, off Offset, v uint64, size int) (posted bool)
	// Push posts a copy of n bytes of the own NIC memory at from to dst's at
	// to, Pull a copy of n bytes of src's memory at from to the own at to; both
	// places lie in the LLCM or in the bulk memory. When the bytes have landed, n is
	// stored as a word at done in the own LLCM, which is an arrival there. The bytes
	// at from must rest until then, and no two of the three places may overlap. n is
	// 1..Limits.RDMA.
	Push(dst Rank, from, to Offset, n int, done Offset) (posted bool)
	Pull(src Rank, from, to Offset, n int, done Offset) (posted bool)

	// Load reads the aligned word at off in the own LLCM: one poll.
	Load(off Offset) uint64
	// Read copies len(p) bytes, at least 1, at off in the own LLCM or bulk memory to
	// p. A protocol must have made sure that nobody writes them meanwhile, unless p
	// is less than a word and lies within one of the LLCM: such a Read sees the word
	// at once. It is a poll like a Load, only narrower.
	Read(p []byte, off Offset)
	// Fill copies p, at least 1 byte, to off in the own bulk memory.
	Fill(off Offset, p []byte)
	// Flip exchanges the sides of the own bulk memory.
	Flip()

	// Arrivals marks what has arrived so far.
	Arrivals() Mark
	// Idle returns when Arrivals differs from since, when something that made a
	// post fail has become free, when the port has failed, or earlier.
	Idle(since Mark)
	// Err is nil until the port fails; from then on it stays the same error.
	Err() error

	// Counters says what this port has done so far.
	Counters() Counters
}

// Counters counts the work of one port.
type Counters struct {
	Stores uint64 // posted (AOTF packets)
	Writes uint64 // posted (BOTF packets)
	Pushes uint64 // posted
	Pulls  uint64 // posted
	Bytes  uint64 // payload of all that was posted
	Polls  uint64 // Loads and Reads of less than a word, those of skipped polling passes included
}

// Plus is the sum of both, field by field.
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

// Minus is the difference of both, field by field.
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

// CheckStore panics unless the arguments of a Store are within the limits. It
// is for ports.
func (l *Limits) CheckStore(nodes int, dst Rank, off Offset, size int) {
	checkSize("Store", size, l.Store)
	l.checkRange("Store", nodes, dst, off, size)
	if int(off)%WordBytes+size > WordBytes {
		panic(fmt.Sprintf("dimmnet: Store of %d bytes at offset %d crosses a word", size, off))
	}
}

// CheckWrite panics unless the arguments of a Write are within the limits. It
// is for ports.
func (l *Limits) CheckWrite(nodes int, dst Rank, off Offset, n int) {
	checkSize("Write", n, l.Block)
	l.checkRange("Write", nodes, dst, off, n)
}

// CheckRDMA panics unless the arguments of a Push or Pull are within the
// limits. It is for ports.
func (l *Limits) CheckRDMA(nodes int, peer Rank, from, to Offset, n int, done Offset) {
	const method = "Push or Pull"
	checkSize(method, n, l.RDMA)
	checkRank(method, nodes, peer)
	l.checkMemory(method, from, n)
	l.checkMemory(method, to, n)
	l.checkWord(method, done)
}

// CheckMulticast panics unless the arguments of a Multicast are within the
// limits. It is for ports.
func (l *Limits) CheckMulticast(nodes int, dsts []Rank, off Offset, size int) {
	if n := len(dsts); n < 1 || n > l.Multicast {
		panic(fmt.Sprintf("dimmnet: Multicast to %d ranks: this port takes 1 to %d", n, l.Multicast))
	}
	for i, dst := range dsts {
		l.CheckStore(nodes, dst, off, size)
		if slices.Contains(dsts[:i], dst) {
			panic(fmt.Sprintf("dimmnet: Multicast to rank %d twice", dst))
		}
	}
}

// IsPoll says whether a Read of n bytes at off is a poll. It is for ports.
func (l *Limits) IsPoll(off Offset, n int) bool {
	return n < WordBytes && int(off)%WordBytes+n <= WordBytes && int64(off) < int64(l.LLCM)
}

// CheckLoad panics unless off names a word of the LLCM. It is for ports.
func (l *Limits) CheckLoad(off Offset) { l.checkWord("Load", off) }

// CheckRead panics unless n bytes at off lie in the LLCM or in the bulk memory.
// It is for ports.
func (l *Limits) CheckRead(off Offset, n int) {
	checkSize("Read", n, max(l.LLCM, l.Bulk))
	l.checkMemory("Read", off, n)
}

// CheckFill panics unless n bytes at off lie in the bulk memory. It is for ports.
func (l *Limits) CheckFill(off Offset, n int) {
	checkSize("Fill", n, l.Bulk)
	if int64(off) < int64(l.LLCM) {
		panic(fmt.Sprintf("dimmnet: Fill at offset %d: bulk memory starts at %d", off, l.LLCM))
	}
	l.checkMemory("Fill", off, n)
}

func checkSize(method string, n, limit int) {
	if n < 1 || n > limit {
		panic(fmt.Sprintf("dimmnet: %s of %d bytes: this port takes 1 to %d", method, n, limit))
	}
}

func (l *Limits) checkRange(method string, nodes int, peer Rank, off Offset, n int) {
	checkRank(method, nodes, peer)
	l.checkWindow(method, off, n)
}

func checkRank(method string, nodes int, peer Rank) {
	if int(peer) >= nodes {
		panic(fmt.Sprintf("dimmnet: %s to rank %d: there are %d nodes", method, peer, nodes))
	}
}

// checkMemory is checkWindow for places that may lie in the bulk memory instead.
func (l *Limits) checkMemory(method string, off Offset, n int) {
	if int64(off) < int64(l.LLCM) {
		l.checkWindow(method, off, n)
	} else if int64(off)+int64(n) > int64(l.LLCM)+int64(l.Bulk) {
		panic(fmt.Sprintf("dimmnet: %s of %d bytes at offset %d: outside the bulk memory of %d behind %d", method, n, off, l.Bulk, l.LLCM))
	}
}

func (l *Limits) checkWindow(method string, off Offset, n int) {
	if uint64(off)+uint64(n) > uint64(l.LLCM) {
		panic(fmt.Sprintf("dimmnet: %s of %d bytes at offset %d: outside the window of %d", method, n, off, l.LLCM))
	}
}

func (l *Limits) checkWord(method string, off Offset) {
	if off%WordBytes != 0 {
		panic(fmt.Sprintf("dimmnet: %s of the word at offset %d: not a multiple of %d", method, off, WordBytes))
	}
	l.checkWindow(method, off, WordBytes)
}
