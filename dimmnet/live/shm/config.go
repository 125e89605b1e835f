package shm

import "time"

// Config describes a Network. It must be the same on all ranks. The zero value is useful: each
// field has a default. Run rejects negative values.
type Config struct {
	// LLCM is the size of each node's LLCM in bytes, rounded up to a multiple of 8. 0 means
	// 128 KiB, or 32 KiB times the number of nodes if that is more.
	LLCM int
	// Bulk is the size of each node's bulk memory in bytes, rounded up to a multiple of 8. A page
	// of it takes up memory only when it is written.
	Bulk int
	// Heap is the size in bytes, rounded up to a page, of the memory that a rank shares. Other
	// ranks can read it, and can write rank 0's. A page takes up memory only when it is written. 0
	// means the size of the machine's memory, or less if another limit is smaller: 64 TiB for all
	// nodes together, half of the address space that ulimit -v permits, or the size of a file that
	// ulimit -f permits.
	Heap int
	// Patience is how long a thread may sleep without an arrival or its event. 0 means 1 hour.
	Patience time.Duration
	// Stall is how long the process of another rank may show no sign of life before the run fails.
	// A process that computes shows signs of life, a process that is stopped does not. 0 means 15
	// seconds (local.DefaultStall). On an overloaded machine it grows with the delays that this
	// process observes. A negative value disables the check, as a debugger requires.
	Stall time.Duration
	// Grace is how long a failed run waits for its threads to return. 0 means 5 seconds.
	Grace time.Duration
}
