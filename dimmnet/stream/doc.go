// Package stream is the ports of networks whose ranks are connected by streams of bytes, a
// stream to each other rank: memory, frames, waiting and failure. What the streams are,
// how they are made and who may make them is a matter of the network (tcp).
//
//	join := func(ctx context.Context, m dimmnet.Member) (*stream.Links, error) { ... }
//	err := stream.Run(ctx, cfg, member, nodes, join, body)
//
// A network has a [Stream] for each peer, of which no method waits; a [Poll], where a
// thread sleeps until something comes on one of them; and if it likes [Beats], which do not
// go through them.
//
// # Frames
//
// A frame has a header of 24 bytes and at most a page behind it; pieces of a Push, Pull or
// gift have up to 256 KiB. The header is checked before anything is done: by a CRC32C,
// the number of the frame, the sizes that its kind may have, and the bounds of the memory.
// The payload has a CRC32C of its own ([Sums] says where both are left out). Small
// payloads are checked before they are put into memory, pieces after: they are read by the
// stream straight to their place. A frame that is none fails the run.
//
// What a rank gives (dimmnet.Giver) is read from where it is, and goes straight to where the peer takes it;
// little is copied on the way. A peer's stream is not read any further while a gift is due in it that nobody takes.
//
// Posts are gathered, up to 64 KiB, until the thread calls Idle or Err: Drive does when its
// Stepper comes no further. They are sent without that a millisecond later, by a timer. An Idle of a thread
// that has not read for some time reads first, and if something has come it leaves posts where they
// are, since answers may go with them; the next one sends. A Push is sent from where its bytes are. If a stream
// takes no more, posts are gathered up to 128 KiB, and then refused; Idle returns when half of that is free.
//
// # Waiting
//
// No thread and no goroutine receives: a thread of the node does that when it idles, when
// it waits for an event, and in one of 64 Loads. While a node computes, nothing lands in its
// memory, no Pull from it is answered and no Push to it acknowledged, and what its
// streams have not taken stays here. So who pulls waits for the peer to wait.
//
// Idle reads the streams for some 300 us, yielding at times, and then sleeps. Of the
// threads of a node that sleep, in Idle or for an event, one sleeps in the Poll and does
// what comes for all of them; when it leaves another takes its place. Where threads
// outnumber processors, or goroutines do a part of the work (Config.Helped), nobody reads
// for long.
//
// # Failure
//
// A rank that fails tells all others because of which rank and why, and so do those that
// it has told. A stream that ends before both ranks have said goodbye fails the run; that is
// seen by who reads it, and where there are Beats ten times a second. What Member's owner
// knows of a process it tells by OnLoss. A rank whose threads have returned takes part until
// all others have said goodbye, since they may still want its memory; then all streams
// are closed.
//
// Where there are Beats each process sends one ten times a second, whatever its program
// does, and fails the run when it has heard none of a rank for Config.Stall: the rank's
// process is stopped, or its host is cut off. Of the time between two own beats only twice
// what it should be counts: who was stopped himself, or had no processor, blames nobody. Who
// hears none of several others says that he is cut off himself.
//
// # Limits
//
// Store 8, Block 4096 at most, no Multicast; 64 Pushes, Pulls and gifts under way to a peer. A
// peer costs up to 208 KiB of buffers. Little-endian machines only. Deadlocks are not
// found out, but a thread that sleeps for Config.Patience fails the run. What is pushed large
// shares its stream with Stores: they wait for the end of a piece.
package stream
