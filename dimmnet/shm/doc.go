// Package shm is a dimmnet.Network between processes of one host: every rank has a
// segment of shared memory, which all map, and a post is a copy made by the sender.
//
//	network := shm.New(shm.Config{})                 // all ranks in this process
//	network := shm.Join(shm.Config{}, member)        // this process is one of them
//	err := network.Run(ctx, 4, func(h dimmnet.Host) error { ... })
//
// A joined network runs the body of its own rank alone. It needs Linux.
//
// # Segments
//
// A segment is a memfd of fixed, sealed size that only its user can open: a header of a
// page, the LLCM, the bulk memory, and a heap for what programs share, which peers
// read and write when their engines agree. Its rank makes and touches it; [Member] hands it to
// the others, which refuse one that is not sealed or has another size. Nothing has a name in
// a file system, so nothing is left behind by whatever end.
//
// # Waiting
//
// Idle spins, yields and then sleeps on a futex in the header. A poster that finds no
// sleeper makes no system call. Where ranks outnumber processors nobody spins: whoever
// spins keeps the awaited one from running.
//
// # Failure
//
// A rank that fails writes why into its header and tells all. What ends a process is not
// seen here: Member's owner, who holds a connection to it, knows ([Member]). A process
// that is stopped is found out by its segment, in which every process beats ten times a
// second, whatever its program does.
//
// # Limits
//
// Store 8, Block 4096 or the LLCM if that is less, RDMA the larger of LLCM and bulk
// memory, no Multicast. Little-endian machines only. Deadlocks are not found out, but
// a thread that sleeps for Config.Patience fails the run. All processes trust each other with
// the memory that they share: a segment can be written by whoever has it.
package shm
