// Package inproc is a dimmnet.Network inside one process: every thread is a goroutine, the LLCM of
// a node is a slice, and the sender copies the bytes of a post.
//
// It is not a simulator: its clock is the wall clock, and two runs differ. It does not share
// memory between processes either. Nothing is ever in flight: a post has landed when it returns,
// so a post returns false only on a failed run.
//
//	network := inproc.New(inproc.Config{})
//	err := network.Run(ctx, 4, func(h dimmnet.Host) error {
//		port := h.Port()
//		port.Store(next, 0, 1, 8)
//		return dimmnet.Drive(port, stepper, done)
//	})
//
// # Memory order
//
// Stores and Loads are atomic. A Write, Read, Push or Pull accesses a word atomically if it covers
// only part of the word, and copies whole words without atomic operations. Threads may therefore
// write different bytes of one word concurrently. A protocol that orders its copies by a later
// Store and Load of another word is clean under the race detector. Polling a word that a Write or
// Push covers whole is a data race. The source and destination of a Push or Pull must not overlap.
//
// # Waiting
//
// Idle spins, yields and then sleeps until something arrives. Every sleep is bounded. A thread is
// asleep in Idle without a new arrival, or while it waits for an event that is not set. When all
// threads that have not returned are asleep, no thread is left to wake them: the run fails at once,
// and the error names the threads. The run also fails when a thread sleeps for Config.Patience
// while other threads are awake, for example because one computes forever. A thread must wait for
// others only through its port and events: a thread that waits for a channel or mutex counts as
// computing.
//
// # Threads
//
// In errors, 3 is the body of rank 3, and 3:name is a thread that Host.Go started on rank 3. Such
// a thread is locked to an OS thread. An arrival wakes all threads of its node that are in Idle.
// Set and Wait take the lock of the run; Wait sleeps without spinning. Idle spins long only while
// the threads outside Wait do not outnumber the processors. Threads of one node that Fill the same
// bytes, or Flip, must take turns, by means of events.
//
// # Failure
//
// A run fails when a body or thread returns an error, panics or calls runtime.Goexit. It also fails
// when the context is done, in a deadlock, or when a thread has slept for Config.Patience. The
// first failure counts. It wakes all threads. From then on every Port.Err returns the same error,
// which wraps the cause, and every post returns false and does nothing. Drive, which reads Err when
// a step makes no progress, then ends with that error. Load and Read still work. Run waits at most
// Config.Grace for the threads; the error of Run names each thread that has not returned by then.
//
// # Limits
//
// A Store has at most 8 bytes, a Write 4096 or the size of the LLCM if smaller, a Push or Pull the
// size of the LLCM or bulk memory. There is no Multicast. All LLCMs of a run together take at most
// 256 GiB of address space. The operating system provides a page when it is first written, but the
// garbage collector counts all pages: programs with hundreds of nodes should set Config.LLCM or
// GOMEMLIMIT. The package supports little-endian machines only.
package inproc
