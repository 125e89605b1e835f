// Package stream implements the ports of networks whose ranks are connected by streams of bytes:
// memory, frames, waiting and failure. A rank has one stream to each other rank, or gets it when
// it first has something for that rank (OnDemand). The network (tcp, quic, ofi) provides the
// streams, and decides who may connect.
//
//	join := func(ctx context.Context, m dimmnet.Member) (*stream.Links, error) { ... }
//	err := stream.Run(ctx, cfg, member, nodes, join, body)
//
// A network provides a [Stream] to each peer, whose methods never wait; a [Poll], in which a thread
// sleeps until one of the streams is ready; and optionally [Beats], which do not use the streams. A
// network that reads and writes the memory of peers by itself provides [Remote]s, too.
//
// # Frames
//
// A frame has a header of 24 bytes and a payload of at most a page. A piece of a Push, Pull or
// zero-copy send may have 256 KiB, and 1 MiB to a peer on this host. The receiver checks the
// header before it acts: a CRC32C, the number of the frame, the sizes that its kind allows, and
// the bounds of the memory. The payload has a CRC32C of its own, with one exception: a large piece
// to a peer on this host goes from memory to memory and through no device, and a checksum would
// take as long as the transfer. ([Sums] configures which checksums exist.) A small payload is
// checked before it is written to memory. A piece is read from the stream straight into memory,
// and checked afterwards. An invalid frame fails the run.
//
// Where a stream is [Vectored], the payload of a piece goes in one system call with its header and
// all gathered posts. A zero-copy send (dimmnet.ZeroCopy) goes with few copies from the sender's
// bytes to the place where the peer receives them. While a peer's next frame is a zero-copy piece
// without a matching Receive, the peer's stream is not read.
//
// Posts are gathered, up to 64 KiB, until the thread calls Idle or Err. Drive calls them when its
// Stepper makes no progress. A timer sends the posts after a millisecond in any case, or after up
// to 8 ms if it has lately found nothing to send. If a thread has not read for some time, Idle
// reads first. If something has arrived, this Idle does not send, because answers may go with the
// gathered posts. At the end of a call in which a thread has sent data, Err does not send if such
// calls have lately followed each other at once: then the word of the next call goes in the same
// segment (pace). Posts wait at most twice. A Push is sent from the memory that contains its
// bytes. When a stream accepts no more, up to 128 KiB of posts are gathered, and further posts are
// refused; Idle returns when half of that space is free.
//
// # Waiting
//
// No thread or goroutine only receives. A thread of the node receives when it idles, when it waits
// for an event, and in one of 64 Loads. So while a node computes, nothing lands in its memory, no
// Pull from it is answered, and no Push to it is acknowledged. Posts that its streams have not
// accepted are not sent either. A Pull takes until the peer waits. Only a [Remote] moves data
// without a thread of the peer.
//
// Idle reads the streams for as long as local.Ladder says, and then sleeps. Of the threads of a
// node that sleep, in Idle or for an event, one is the leader: it sleeps in the Poll and receives
// for all. When it leaves, another takes its place. docs/internals/model/sleepers.pml is a model
// of this, and docs/internals/model/timer.pml a model of the timer. Where threads outnumber
// processors, or goroutines do a part of the work (Config.Helped), no thread reads for long.
//
// # Failure
//
// A rank that fails reports to all others which rank failed and why, and they repeat the report. A
// stream that ends before both ranks have sent a goodbye fails the run. A thread that reads
// notices the end; where there are Beats, so does a check ten times a second. The owner of Member
// reports by OnLoss that a process has ended. A rank whose threads have returned serves its peers
// until all have sent a goodbye, because they may access its memory; it drops zero-copy pieces.
// With OnDemand goodbyes go up the tree and down again: a rank without a stream may still need
// one. Then all streams are closed. The end of a failed run does not wait for the rank that is
// gone.
//
// Where there are Beats, each process sends them regularly, whatever its program does. A process
// fails the run when a rank gives no sign of life for Config.Stall: the rank's process is stopped,
// or its host is cut off. The time between two checks counts as at most twice the normal interval:
// a process that was stopped itself, or had no processor, accuses no peer. A process may have been
// stopped for half of Config.Stall, and a peer that was silent since may have ended. Then the
// process reports that it was stopped itself: the peer may have given it up. A process that hears
// none of several peers reports that its own host is cut off.
//
// A network may drop beats and let streams pass. A rank that hears no beat of a peer for a quarter
// of Config.Stall sends it frames of kind alive, which say so, and reads its stream; the peer does
// the same. Every frame is a sign of life.
//
// # Limits
//
// A Store has at most 8 bytes, a Write 4096. There is no Multicast. At most 64 Pushes, Pulls and
// zero-copy sends to a peer are in progress. A peer with a stream costs up to 208 KiB of buffers.
// The package supports little-endian machines only. It does not detect deadlocks, but a thread
// that sleeps for Config.Patience fails the run. A Store waits while its stream sends a piece.
package stream
