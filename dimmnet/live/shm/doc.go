// Package shm is a dimmnet.Network between processes of one host: every rank has a segment of
// shared memory, all ranks map all segments, and the sender copies the bytes of a post.
//
//	network := shm.New(shm.Config{})                 // all ranks in this process
//	network := shm.Join(shm.Config{}, member)        // this process is one rank
//	err := network.Run(ctx, 4, func(h dimmnet.Host) error { ... })
//
// A joined network runs only the body of its own rank. The package needs Linux.
//
// # Segments
//
// A segment is a memfd of a fixed, sealed size that only its user can open. It consists of a header
// page, the LLCM, the bulk memory, and a heap for memory that programs share; the engines agree on
// when a rank may read or write the heap of a peer. Each rank creates and touches its own segment,
// and [Member] hands it to the others, which refuse a segment that is not sealed or has another
// size. Segments have no name in a file system, so nothing remains after a run, however it ends.
//
// # Waiting
//
// Idle returns at once, so that its caller polls, for as long as local.Ladder says, and then
// sleeps on a futex in the header. A poster that finds no sleeper makes no system call. Where
// ranks outnumber processors, a thread yields before each poll, because a rank that polls keeps
// the rank that it waits for from running. Elsewhere it sleeps at once if another rank has waited
// on the same processor, and soon if other programs want it.
//
// # Failure
//
// A rank that fails writes the reason to its header and notifies all ranks. This package does not
// notice the end of a process. The owner of [Member], which holds a connection to the process,
// reports it by OnLoss. The package does notice that a process is stopped, because every process
// increments a counter in its segment ten times a second, whatever its program does.
//
// # Limits
//
// A Store has at most 8 bytes, a Write 4096 or the LLCM if that is smaller, a Push or Pull the
// larger of LLCM and bulk memory. There is no Multicast. The package supports little-endian
// machines only. It does not detect deadlocks, but a thread that sleeps for Config.Patience fails
// the run. All processes trust each other with the shared memory: a process that has a segment can
// write all of it.
package shm
