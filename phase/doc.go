// Package phase is the engine of the phase-split versions of Fagus: it takes a
// rank through one communication phase after another.
//
//	          Begin(list)
//	               |
//	               v
//	+-> gather: the own list to all, the lists of all from them
//	|              |  all lists are here
//	|              v
//	|   plan: grants and transfers, the same on every rank
//	|              |
//	|              v
//	|   transfer: pieces out where a slot is free, in where one has arrived;
//	|              |  messages from bulk memory to bulk memory, round by round
//	|              |  all own transfers are done, whatever the others do
//	|              v
//	|   done: stamps, versions and owners change; the call is granted?
//	|              |                    |
//	+---- no ------+                    +--- yes: the next compute phase
//
// An [Engine] is a dimmnet.Stepper: it never waits. [Engine.Call] drives it
// through as many phases as a call takes.
//
// # Calls
//
// A rank takes part in every phase until all have returned from their programs.
// Acquire lasts until its list is granted; Update, Barrier and Reduce until all
// ranks are in the same call; End until all are in End. While a rank waits it keeps
// sending lists and passing on data. Two ranks that wait in different calls
// for all, would wait for ever: both get an error that names them.
//
// # What a node may see early
//
// A peer that is done with a phase may send its list for the next one at once.
// It lands behind the data of this phase in the same ring, and rests there: a
// rank polls a ring only while something of the present phase is due from it.
// So a peer is never more than one phase ahead.
//
// # Lists in a word
//
// On real ports (Config.Words) a list that wants one variable or none goes as one word,
// stored at the peer, in the place of header, list, flag and the flag that gives the slot
// back. The papers' engine has no such words; in virtual time, where it is studied, there
// are none. callword.go says why two words a peer are enough, and two more for what is
// given in a Reduce.
//
// # Bulk transfer
//
// On a port with RDMA and bulk memory data go by PUSH as well (type [Transfer]). What
// goes from one owner along the same tree is one cast: any number of variables,
// packed into one message, the same for all receivers. A message goes from a
// sender S to a receiver R like this:
//
//	R -> S   grant    push to this place; R has made room
//	S -> R   PUSH     the bytes, or the next 64 KiB of them
//	S        done     S's own NIC says that they have landed
//	S -> R   notice   so many bytes have landed; R's NIC tells R nothing
//	S -> S            clear the done word, for the next PUSH
//
// A receiver that serves others pushes on what a notice names, straight from
// where it has landed. No byte passes its host on the way; its own copy is read
// last.
//
// Whether a cast goes by PUSH or through the rings is decided from the plan and
// from the sizes of what its variables guard. Only its owner and its receivers
// need to know, and all of them have bound its variables: a rank that has not come
// so far in its program is no obstacle. A place is the receiver's to choose, and
// travels in the grant. So nobody computes what a third rank does with its
// memory, and an address from the wire can hurt only the memory of its sender.
//
// The words for grants and notices are numbered by the plan: the i-th hop out of
// a rank, the i-th into it. A word has one writer in a phase, and every word
// written in a phase is waited for in it. No word of a later phase can come
// between, for nobody transfers in a phase before all ranks have sent their lists
// for it, and so have finished the one before. Hops without a word go through the
// rings; where there are no rings they wait: a phase then only brings what its
// words allow, grants nothing (Plan.Partial), and the calls go on in the next.
//
// # Gifts
//
// Where bytes can go from one program's memory to another's (dimmnet.Giver) nothing goes by PUSH,
// and through the rings go lists and places only: where the next bytes belong that the sender gives.
// The receiver checks a place, and takes the bytes to it. A sender is done when what it has given
// need not rest any more; it waits for no word of the receiver. Who passes a variable on
// follows a cut of 1 MiB behind.
//
// Where ranks can read each other's memory (Config.Views) nothing follows the places: the receiver
// fetches what they name, and of much, if there are processors enough, the sender puts a part there
// (fetch.go).
//
// # Rounds and banks
//
// A rank goes through its messages in the plan's order, in rounds of as many as
// its bulk memory holds:
//
//	fill    the own messages, by the host
//	Flip    if anything was filled: now the network sees it
//	move    grant, push, notify, all at once, until nothing is under way
//	Flip    if anything came: now the host sees it
//	read    check every message, and read its pieces to their places
//
// Nobody flips while a peer can push into it: a peer pushes only what was granted
// in this round, after the first Flip, and the second Flip waits for the notice
// of the end of each message that was granted, which is posted when its last byte
// has landed. Nobody flips during a PUSH of its own: a round also waits until
// every hop out of the rank is done. In between, fill and read on one side, and
// pushes on the other, never have the bulk memory at the same time, so that a port
// whose two sides are one memory needs no rule of its own.
//
// No two ranks wait for each other: all take the messages of a plan in the same
// order and leave none out, where a cast that may need another message ends the
// round. Then of all messages not yet through, the first one is in the present
// round of every rank that takes part in it, or will be as soon as this round is
// through, which holds only earlier ones; so it is granted, pushed and passed on,
// whatever else waits.
//
// # Lists over a tree
//
// Rings to all peers bound the number of nodes by the LLCM. Beyond that lists are
// gathered and spread over a tree with rings between neighbours, and all data go
// by PUSH.
//
// On real ports a rank keeps the slots that it has emptied until they are half of a ring, so that
// nothing is sent between the data that it waits for and its computing.
//
// # Message counts
//
// docs/messages.md has the formulas, and a test compares them with a run.
//
// # Where this differs from the design
//
// Ranks need not call Acquire equally often: one that waits for all of them
// serves the others with lists that want nothing. So only calls that can
// never come together are errors.
//
// The design wanted landing places as prefix sums that sender and receiver both
// compute. For that every rank would have to know the sizes of all variables
// that go to a receiver, which a rank that has not bound them yet does not.
//
// The list of a phase also says which variables of the last exclusive tenure
// were left unchanged ("clean"), for a few bytes. Their version still advances,
// but nobody fetches it. And the paper's flags "not yet" cost no write; see
// package ringbuf.
package phase
