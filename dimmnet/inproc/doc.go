// Package inproc is a dimmnet.Network inside one process: every thread is a
// goroutine, a node's LLCM is a slice, and a post is a copy made by the sender.
//
// It is not a simulator (its clock is the wall's and two runs differ) and not
// shared memory between processes. Nothing is ever in flight: a post has landed
// when it returns, so no call of a port reports posted == false for want of room.
//
//	network := inproc.New(inproc.Config{})
//	err := network.Run(ctx, 4, func(h dimmnet.Host) error {
//		port := h.Port()
//		port.Store(next, 0, 1, 8)
//		return dimmnet.Drive(port, stepper, done)
//	})
//
// # What lands how
//
// A Store is atomic whatever its size, a Load is atomic, and so is every word
// that a Write, Read, Push or Pull covers in part; the words that it covers
// whole are plain copies. So neighbours within a word may be written at the
// same time by anybody, and a protocol that orders its copies by a later Store
// and Load of another word is clean under the race detector. Polling a word
// that a Write or Push covers whole is a race. The bytes of a Push or Pull
// must not overlap those it is copied to.
//
// # Waiting
//
// Idle spins, yields and then sleeps until something arrives. It never waits
// without bound. When all threads that have not returned are asleep, in Idle with
// nothing unseen or in the Wait of an event that is not set, nobody is left to
// wake them: the run fails at once and the error names them. A thread that sleeps
// for Config.Patience while others do not (one computes for ever, say) fails the
// run as well. A thread must wait for others by its port and by events alone: one
// that waits by a channel or a mutex is taken to be computing.
//
// # Threads
//
// Errors name the body of rank 3 by 3, and a thread that Host.Go started there by
// 3:name. Such a thread is locked to an OS thread (Go says why). An arrival wakes
// all threads of its node that are in Idle. Set and Wait take the lock of the run;
// Wait sleeps at once, without spinning. Idle spins for long only while no more
// threads than there are processors are outside Wait. Threads of one node that
// Fill the same bytes, or Flip, must take turns, by events.
//
// # Failure
//
// The first of: a body or thread that returned an error, panicked or called
// runtime.Goexit; a context that is done; a deadlock; patience at its end. It
// wakes all threads, every Port.Err returns that same error, wrapping its cause,
// and every post from then on returns false and does nothing: Drive, which
// looks at Err when a step gets nowhere, so ends with the cause. Load and Read
// go on working. Run then waits Config.Grace for the threads; a goroutine that
// does not return by then is left behind, and the error says which.
//
// # Limits
//
// Store 8, Block 4096 or the LLCM if that is less, RDMA the whole LLCM or bulk
// memory, no Multicast. All
// LLCMs of a run together take at most 256 GiB of address space; the pages are
// touched by whoever writes them first, but the garbage collector counts them
// all, so that programs with hundreds of nodes do well to set Config.LLCM or
// GOMEMLIMIT. Little-endian machines only.
package inproc
