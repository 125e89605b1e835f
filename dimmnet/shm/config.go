package shm

import "time"

// Config says what a Network is like; it is the same on all ranks. The zero value is
// useful: each field has a default. Run rejects negative values.
type Config struct {
	// LLCM is the memory of each node in bytes, rounded up to a multiple of 8.
	// 0 means 128 KiB, or 32 KiB for each node of the run if that is more.
	LLCM int
	// Bulk is the bulk memory of each node in bytes, rounded up to a multiple of 8.
	Bulk int
	// Heap is how much of a rank's memory others can read, and of rank 0's write, in bytes,
	// rounded up to a page; it takes room when it is written. 0 means as much as the machine
	// has, or 64 TiB for all nodes if that is less.
	Heap int
	// Patience is how long a thread may sleep before the run fails, without an arrival
	// or its event. 0 means 1 hour.
	Patience time.Duration
	// Stall is how long the process of another rank may show no sign of life until the run
	// fails: it is stopped, since one that computes shows some. 0 means 1.6 seconds, less
	// than 0 that nobody looks, as for a debugger.
	Stall time.Duration
	// Grace is how long a run that has failed waits for its threads to return.
	// 0 means 5 seconds.
	Grace time.Duration
}
