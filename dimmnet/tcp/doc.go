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
// # Speed
//
// Frames, waiting and failure are those of package stream. Idle makes system calls that
// do not wait before it sleeps in epoll_wait; how many ranks are on this host is told
// by their addresses. A peer costs up to 208 KiB of buffers, and 192 more with TLS.
//
// # Beats
//
// A host that is cut off and a process that is stopped end no connection. So each joined
// process sends the others beats, whatever its program does: datagrams to the port where
// they listen, since a peer that computes reads no connection, and what waits in one for it
// would hold beats up. They are authenticated by the key of the run; who floods the port can
// end a run, but not change it. Where datagrams do not pass, the run fails after
// Config.Joining and says so. TCP_USER_TIMEOUT would not do: it ends connections to
// peers that compute.
//
// # Limits
//
// Those of package stream; RDMA is the larger of LLCM and bulk memory.
package tcp
