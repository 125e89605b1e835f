// Package quic is a dimmnet.Network between processes of several hosts over UDP: every rank
// has its memory, and what others post to it comes over a QUIC stream from each of them. It is
// always encrypted.
//
//	network := quic.New(quic.Config{})               // all ranks in this process
//	network := quic.Join(quic.Config{}, member)      // this process is one of them
//	err := network.Run(ctx, 4, func(h dimmnet.Host) error { ... })
//
// A joined network runs the body of its own rank alone. QUIC itself is quic-go's.
//
// # Joining
//
// Each rank has one UDP socket, and dimmnet.Member tells all of them where, together with a
// share of a key that is new in every run. The higher of two ranks dials the lower, at the
// addresses that it has told, in their order. In TLS 1.3 both show certificates of the job
// (identity): a rank of another job is sent away, and so is one that says it is another rank.
// Each opens a stream to the other, which begins with a proof that it has the key of the run,
// made for this connection: the certificates of a job are the same in its runs. Then the
// doors are shut.
//
// Where no rank has an identity rank 0 makes them for the run, and Member tells each rank
// those of all: the ranks trust each other then, and what Member's messages are safe from
// the run is safe from.
//
// # Goroutines
//
// quic-go works in goroutines: one reads the socket, one a connection does the rest. Its
// streams wait, and those of package stream do not; so a goroutine reads what comes from a
// peer into a buffer of 256 KiB, and one writes what goes to it from another. Thread and
// goroutine need a processor in turn, and a thread that has to wait sleeps soon. What a peer
// sends while this rank does not read is kept up to 256 KiB and 4 MiB.
//
// A connection that is closed takes back what the peer has not received. So a stream that
// has been read to its end is answered by an empty one, the receipt, and closed are
// connections for which that has come, or has not for a second.
//
// # Beats
//
// They are QUIC datagrams, one a peer ten times a second: nobody else can send them, they need
// no other socket, and quic-go sends them before what waits on streams. Goroutines send and count
// them, so a rank that computes beats; a process that is stopped does not, nor one that has been
// killed: over UDP nothing else ends a connection then. QUIC's own idle timeout would be
// simpler, and wrong: the clock goes on for a process that was stopped itself, and that would
// blame whoever is heard first after it. Package stream's rule looks at what this process has
// been doing meanwhile. So the idle timeout is ten years.
//
// # Limits
//
// Those of package stream; RDMA is the larger of LLCM and bulk memory. Packets have 1452 bytes at
// most, also on the loopback device. A peer costs up to 720 KiB of buffers and what it has sent
// and was not read. Where the system allows no socket buffers of 7 MiB quic-go says so once, by
// package log, and goes on (QUIC_GO_DISABLE_RECEIVE_BUFFER_WARNING=1 keeps it quiet).
package quic
