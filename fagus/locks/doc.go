// Package locks is the engine of threaded mode where ranks share memory: a sync variable is a lock
// in memory that all ranks share, with its version beside it.
//
//	e, err := locks.New(host, space, locks.Config{Spin: true})
//	err = e.Acquire(shared, exclusive)          // some atomic operations, if all are free
//	copy(mem, ...)                              // the program computes
//	err = e.Release(shared, exclusive, changed) // one atomic operation for each variable
//	err = e.Meet(syncvar.End, 0)                // waits until all ranks have ended
//
// There are no messages and no helper threads. Barrier, Update, Reduce and End are phases in which
// all ranks take part (package phase).
//
// # Locks
//
// A lock is a fair reader-writer lock. Ranks that find it taken join a queue, and get it in this
// order; readers that follow one another get it together. A word says who holds the variable and
// who was the last to join the queue (state.go draws it). It changes by compare-and-swap:
//
//	free ──acquire──> held ──release──> free
//	                   │ acquire: the rank joins the queue
//	                   v
//	                  held, ranks wait ──release──> held by those whose turn it is
//
// A rank that waits alone polls the word, so that one swap hands the variable over: the cache line
// travels to the releaser and back to the waiter, and brings the version with it. If several ranks
// wait, or the rank sleeps, the last holder takes the queue apart, and sets a flag for each rank
// whose turn it is. No rank ever waits for a rank that is between two of its steps: a rank that
// loses its processor delays only the ranks that wait for its variables.
//
// A rank acquires the variables of a set by increasing ID, so ranks cannot deadlock.
//
// # Waiting
//
// A waiting rank polls for some microseconds, if ranks have processors to themselves, and then
// lets its port wait by dimmnet.Drive, which ends when the run fails. The rank that hands over the
// variable wakes the waiter by a Store into its LLCM, if the waiter's entry says that it may
// sleep. If the run fails, the error names the variable and the rank that held it.
//
// # Copies
//
// The ranks share one copy of the data, or each has a copy of its own, which all others can read.
// In the second case a rank that acquires a variable copies what is new from the owner's memory
// (copies.go). The shared memory has the addresses of the last five changes; a copy that lacks
// older ones gets all that the variable guards. The owner does nothing.
//
// # Update
//
// With copies, an Update is a meeting, after which each rank copies what is new of all variables
// that it has had.
//
// With one copy, a program may read the data that an Update has refreshed until its next call. So
// the first exclusive Acquire of a rank after an Update waits until all ranks have made a call
// since (update.go). That is the rule of phases, in which every Acquire waits for a call of all
// ranks. With copies, it waits until all ranks have copied what the Update brings.
//
// # Limits
//
// The host must be a dimmnet.Sharer. A variable takes 128 bytes of shared memory, with copies 256.
// The processes of a job trust each other with this memory, as with the data in it. The engine
// checks the ranks and counts that it reads before it follows them, so that damaged memory gives
// an error.
package locks
