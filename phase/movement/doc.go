// Package movement moves the data of a phase, and carries lists through rings.
//
// A [Mover] has one of four methods for a run (method.go). For each peer to which its rank has
// rings, it has an outgoing and an incoming queue. It knows no plan: the agreement of the phase
// says what moves, and from which version on (Agreement). It never waits.
//
// # Methods of moving data
//
// A Mover has an outQueue and an inQueue for every peer. The method (method.go) gives each of them
// a dataSender or a dataReceiver, or moves data past them.
//
// Over a tree the method is always push. Where ranks read each other's memory, push lets receivers
// read small variables from their owner's memory, as fetch does.
//
// # Zero copy
//
// The receiver checks each location and posts a receive for its bytes. The sender is done when the
// network no longer reads its memory; it waits for no answer. A rank that passes on a variable
// sends each cut of 1 MiB when the whole cut has arrived.
//
// # Push
//
// All variables that go from one owner along the same tree form one multicast. They are packed
// into one message, the same for all receivers. A message goes from a sender S to a receiver R
// like this:
//
//	R -> S   grant    the offset of the memory that R has reserved for the message
//	S -> R   PUSH     the message, or its next 64 KiB
//	S        done     S's NIC reports that the bytes of the PUSH have landed
//	S -> R   notice   how many bytes have landed, because R's NIC reports nothing to R
//	S -> S            clear the done word for the next PUSH
//
// In a phase that repeats there is no grant: the grant of one cycle ago stands (standing.go).
//
// A receiver that passes the message on pushes the bytes that a notice announces, out of the bulk
// memory in which they landed. The receiver's host reads the message last, for its own copy.
//
// The plan, and the number of bytes that its variables guard, decide whether a multicast goes by
// PUSH or through rings. Only its owner and its receivers need to know the method, and all of them
// have bound the variables. A rank that has not bound them yet delays no other rank. The receiver
// chooses the offset and sends it in the grant. No rank computes how another uses its memory, and
// a bad offset from the wire can damage only its sender's memory.
//
// The words for grants and notices are numbered by the plan: by the hops out of a rank, and the
// hops into it. In a tree, a hop has the number of the peer, if there are enough words. A word has
// one writer in a phase, and the rank that reads the word waits for it in the same phase. No word
// of a later phase can land earlier: a rank transfers only when all ranks have sent their lists
// for the phase, and so have finished the phase before. Hops without a word go through rings. In a
// tree, rings carry no data. There, the phase moves only the multicasts that have words, and
// grants nothing (joint.partial in agreement/tree); in the next phase all ranks repeat their
// calls.
//
// # Rounds and banks
//
// A rank handles the messages of a plan in the plan's order, in rounds of as many as its bulk
// memory holds:
//
//	fill    write this rank's own messages, by the host
//	Flip    if the host has filled a message: now the network sees it
//	move    grant, push and notify for all messages, until nothing is under way
//	Flip    if a message has arrived: now the host sees it
//	read    check every message, and copy its pieces to their addresses
//
// A rank never flips while a peer can push into it. Peers push only messages that the rank granted
// in this round, after the first Flip. The second Flip waits for the last notice of every granted
// message, which the sender posts when the last byte has landed. Nor does a rank flip while its
// own PUSH is under way: a round lasts until every hop out of the rank is done. So the host and
// the network never use the bulk memory at the same time. A port whose two banks are one memory
// needs no other rule.
//
// If a rank expects a phase to repeat, its first Flip in the phase comes before its mark. Peers
// push when they know that all ranks have sent marks.
//
// No two ranks wait for each other. All ranks take the messages of a plan in the same order and
// leave none out, and a multicast that may need another message ends the round. Let M be the first
// message that some rank has not finished. Every rank that takes part in M has M in its present
// round, or in its next round if the present round holds only earlier messages, which are
// finished everywhere. So M is granted, pushed and passed on.
package movement
