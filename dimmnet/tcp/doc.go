// Package tcp is a dimmnet.Network between processes of several hosts: every rank has
// its memory, and what others post to it comes over a TCP connection from each of them.
//
//	network := tcp.New(tcp.Config{})                 // all ranks in this process
//	network := tcp.Join(tcp.Config{}, member)        // this process is one of them
//	err := network.Run(ctx, 4, func(h dimmnet.Host) error { ... })
//
// A joined network runs the body of its own rank alone. It needs Linux; elsewhere Run
// returns an error.
//
// # Joining
//
// Each rank listens, and dimmnet.Member tells all of them where, together with a share of a key
// that is new in every run. The higher of two ranks dials the lower, at the addresses that it
// has told, in their order, and each proves by that key that it is of the run and which rank
// it is. Who cannot is sent away; no byte that he sends comes near any memory. Then the doors
// are shut.
//
// # Encryption
//
// With Config.Identity, or Config.Encrypt where all ranks are in one process, all this goes
// through TLS 1.3, in which both sides show certificates of the job: a rank of another job is
// sent away, and so is one that says it is another rank. The proof by the key of the run
// comes on top: the certificates of a job are the same in its runs. Without, who can read and
// change what goes over the network can read and change the run.
//
// crypto/tls does not wait either: what it takes for a connection (wire) returns an error
// that passes where it would wait, and gathers what is written.
//
// # Frames
//
// A frame has a header of 24 bytes and at most a page behind it; pieces of a Push or
// Pull have up to 256 KiB. The header is checked before anything is done: by a CRC32C,
// the number of the frame, the sizes that its kind may have, and the bounds of the memory.
// The payload has a CRC32C of its own (with TLS there is none). Small payloads are checked before they are put
// into memory, pieces after: they are read by the system straight to their place. A frame
// that is none fails the run.
//
// Posts are gathered, up to 64 KiB, until the thread makes a call of its port that is
// no post: Drive does after every step. They are sent without that a millisecond later, by a
// timer. A Push is sent from where its bytes are. If a connection takes no more, posts are
// gathered up to 128 KiB, and then refused; Idle returns when half of that is free.
//
// # Waiting
//
// No thread and no goroutine receives: a thread of the node does that when it idles, when
// it waits for an event, and in one of 64 Loads. While a node computes, nothing lands in its
// memory, no Pull from it is answered and no Push to it acknowledged, and what its
// connections have not taken stays here. So who pulls waits for the peer to wait.
//
// Idle reads the connections for some 300 us, yielding at times, and then sleeps. Of
// the threads of a node that sleep, in Idle or for an event, one sleeps in epoll_wait
// and does what comes for all of them; when it leaves another takes its place. Where threads
// outnumber processors nobody reads for long. How many ranks are on this host is told
// by their addresses.
//
// # Failure
//
// A rank that fails tells all others because of which rank and why, and so do those that
// it has told. A connection that ends before both ranks have said goodbye fails the run.
//
// A host that is cut off and a process that is stopped end no connection. So each joined
// process sends the others a beat ten times a second, whatever its program does, and fails
// the run when it has heard none of a rank for Config.Stall. Beats are datagrams to the port
// where the rank listens, since a peer that computes reads no connection, and what waits
// in one for it would hold beats up. They are authenticated by the key of the run; who floods
// the port can end a run, but not change it. Silence is counted in own beats: who was stopped
// himself, or had no processor, blames nobody. Who hears none of several others says that
// he is cut off himself. Where datagrams do not pass, the run fails after Config.Joining and says
// so. TCP_USER_TIMEOUT would not do: it ends connections to peers that compute.
//
// A connection that has ended is found by the next beat as well, though nobody reads it.
// What Member's owner knows of a process it tells by OnLoss. A rank whose threads have returned takes part until all others have said goodbye, since
// they may still want its memory; then all connections are closed.
//
// # Limits
//
// Store 8, Block 4096 or the LLCM if that is less, RDMA the larger of LLCM and bulk
// memory, no Multicast; 64 Pushes and 64 Pulls under way to a peer. A peer costs up to 208
// KiB of buffers. Little-endian machines only. Deadlocks are not found out, but a thread
// that sleeps for Config.Patience fails the run. What is pushed large shares its connection
// with Stores: they wait for the end of a piece.
package tcp
