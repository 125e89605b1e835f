// Package quic is a dimmnet.Network between processes of several hosts over UDP: every rank has
// its own memory, and receives the posts of each other rank over a QUIC stream. The network is
// always encrypted.
//
//	network := quic.New(quic.Config{})               // all ranks in this process
//	network := quic.Join(quic.Config{}, member)      // this process is one rank
//	err := network.Run(ctx, 4, func(h dimmnet.Host) error { ... })
//
// A joined network runs only the body of its own rank. quic-go implements the QUIC protocol.
//
// # Joining
//
// Each rank has one UDP socket, and dimmnet.Member passes its address to all ranks, together with a
// share of a key that is new in every run (package mesh). The higher of two ranks dials the lower,
// at the lower rank's addresses in their order. In TLS 1.3, both show certificates of the job
// (package identity): a rank of another job is refused, and so is a rank that claims to be another.
// Each opens a stream to the other. The stream begins with a proof that the rank has the key of the
// run. The proof is bound to the connection, and it is necessary because a job's certificates are
// the same in all its runs. When all ranks are connected, the listeners are closed.
//
// If no rank has an identity, rank 0 issues identities for the run, and Member passes them to all
// ranks. The ranks then trust each other, and the run is as safe as the messages of Member.
//
// # Goroutines
//
// quic-go works in goroutines: one reads the socket, and one per connection does the rest. Its
// streams wait, but the streams of package stream must not: package pump has two more goroutines
// for each peer. The bytes that a peer sends while this rank does not read are stored, up to 256
// KiB plus 4 MiB.
//
// Closing a QUIC connection discards bytes that the peer has not received. A rank that has read a
// stream to its end therefore answers with an empty stream, the receipt. A connection is closed
// when the receipt arrives, or after one second without it.
//
// # Beats
//
// Beats are QUIC datagrams, sent to each peer ten times a second. No other process can send them,
// they need no other socket, and quic-go sends them before the bytes that wait in streams.
// Goroutines send and count beats, so a rank that computes still sends them. A process that is
// stopped or was killed sends none, and over UDP nothing else ends its connections. The idle
// timeout of QUIC would be simpler, but wrong: it runs while a process is stopped, and a process
// that continues would accuse the first peer that it hears from. Package stream takes into account
// how long this process itself was stopped. The idle timeout is ten years instead.
//
// # Limits
//
// The limits are in package stream. A Push or Pull has at most the larger of LLCM and bulk memory.
// Packets have at most 1452 bytes, on the loopback device too. A peer costs up to 720 KiB of
// buffers, plus the bytes that it has sent and this rank has not read. Where the system does not
// allow socket buffers of 7 MiB, quic-go logs that once and goes on
// (QUIC_GO_DISABLE_RECEIVE_BUFFER_WARNING=1 suppresses the message).
package quic
