// Package locks is the engine of threaded mode where all ranks share one copy of the data: a sync
// variable is a lock in memory that all ranks share, with its version beside it.
//
//	e, err := locks.New(host, space, locks.Config{Spin: true})
//	err = e.Acquire(shared, exclusive)      // some atomic operations, if the variables are free
//	copy(mem, ...)                          // the program computes
//	err = e.Release(shared, exclusive, nil) // one atomic operation for each variable
//	err = e.Meet(syncvar.End, 0)            // waits until all ranks have ended
//
// There are no messages and no helper threads. Barrier, Update, Reduce and End are phases in which
// all ranks take part (package phase).
//
// # Locks
//
// A lock is a fair reader-writer lock. Ranks that find it taken join a queue, and get it in this
// order; readers that follow one another get it together. A word says who holds the variable and
// who has joined the queue last (state.go draws it). It changes by compare-and-swap:
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
// loses its processor delays only those that wait for variables it holds.
//
// A rank acquires the variables of a set by increasing ID, so ranks cannot deadlock.
//
// # Waiting
//
// A waiting rank polls for some microseconds, if ranks have processors to themselves, and then lets
// its port wait by dimmnet.Drive, which ends when the run fails. Who hands the variable over wakes
// it by a Store of a word into its LLCM, if its entry says that it may sleep. If the run fails, the
// error names the variable and the rank that held it.
//
// # Update
//
// A program may read the data that an Update has refreshed until its next call. So the first
// exclusive Acquire of a rank after an Update waits until all ranks have made a call since
// (update.go). That is the rule of phases, in which every Acquire waits for a call of all ranks.
//
// # Limits
//
// The host must be a dimmnet.Sharer. A variable takes 128 bytes of shared memory. The processes of
// a job trust each other with this memory, as with the data in it. The engine checks the ranks and
// counts that it reads before it follows them, so that damaged memory gives an error.
package locks
