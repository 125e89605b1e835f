// Package tcp is a dimmnet.Network between processes of several hosts: every rank has its own
// memory, and receives the posts of each other rank over a TCP connection.
//
//	network := tcp.New(tcp.Config{})                 // all ranks in this process
//	network := tcp.Join(tcp.Config{}, member)        // this process is one rank
//	err := network.Run(ctx, 4, func(h dimmnet.Host) error { ... })
//
// A joined network runs only the body of its own rank.
//
// # Joining
//
// Each rank listens, and dimmnet.Member passes its address to all ranks, together with a share of
// a key that is new in every run (package mesh). The higher of two ranks dials the lower, at the
// lower rank's addresses in their order. By means of the key, each proves that it belongs to the
// run, and which rank it is. A connection without that proof is closed, and no byte that it
// carried reaches any memory. When all ranks are connected, the listeners are closed.
//
// With more than Config.Direct ranks, only neighbours in a tree are connected at the start
// (stream.OnDemand). The listeners stay open, and a rank dials another when it first has something
// for it. If two ranks dial each other, the connection that the higher rank dials remains.
//
// # Encryption
//
// With Config.Identity, or Config.Encrypt where all ranks are in one process, all connections use
// TLS 1.3. Both sides show certificates of the job, so a rank of another job is refused, and so is
// a rank that claims to be another. The proof by the key of the run is still necessary, because a
// job's certificates are the same in all its runs. Without encryption, everyone who can read and
// change the traffic can read and change the run.
//
// On Linux the code never waits in crypto/tls: the connection beneath it (type wire) returns a
// temporary error where a read would wait, and buffers written bytes.
//
// # Performance
//
// Package stream implements frames, waiting and failure. On Linux Idle makes system calls that do
// not wait before it sleeps in epoll_wait. The addresses of the ranks show how many of them are on
// this host. A peer costs up to 208 KiB of buffers, and 192 KiB more with TLS.
//
// Other systems have other calls for that, so goroutines read and write the connections there
// (package pump). The tag fagusportable chooses them on Linux too, for tests:
//
//	go test -tags fagusportable ./dimmnet/live/tcp
//
// # Beats
//
// A TCP connection does not end when its host is cut off or its process is stopped. Each joined
// process therefore sends beats to the others, whatever its program does. They are datagrams to the
// port on which a rank listens: a connection would delay them, because a rank that computes does
// not read it. The key of the run authenticates them. Where datagrams do not pass, package stream
// sends frames in their place, so that an attacker who floods the port changes nothing.
// TCP_USER_TIMEOUT is no substitute: it ends connections to ranks that compute.
//
// # Limits
//
// The limits are in package stream. A Push or Pull has at most the larger of LLCM and bulk.
package tcp
