// Package threaded is the engine of the multithreaded versions of Fagus: helper threads of every
// node serve requests at any time, so a rank acquires and releases independently of the others.
//
//	e, err := threaded.New(host, space, threaded.Config{})
//	err = e.Acquire(shared, exclusive)           // waits for grants and data
//	copy(mem, ...)                               // the program computes
//	err = e.Release(shared, exclusive, written)  // waits for no answer
//	err = e.Meet(syncvar.End, 0)                 // waits until all ranks have ended
//
// # Threads
//
//	user     --out-->  send      --rings-->  peers
//	   ^                ^
//	   |                out
//	   wakes            |
//	   +----- process --+  <--in--  receive  <--rings--  peers
//
// The user thread queues a message and goes on. The send thread sends one message after another
// through the ring to its peer. The receive thread polls all rings, empties their slots and passes
// the contents on without looking at them. Only the receive-processing thread handles messages.
//
// One lock guards all state of an engine. No thread holds the lock for long, or while it calls a
// port or an event, because in the simulator such a call lets other threads run. Every thread
// sleeps on its own event (await).
//
// The queues are bounded, and no cycle of full queues can block. The receive thread waits for the
// processing thread, which waits for no other thread. The processing thread queues only answers,
// and the number of open requests bounds the number of answers (Engine.most). Only the user thread
// waits for space in the out queue. So rings are always emptied, and the send thread can go on.
//
// # Messages
//
// Every variable has an owner: the rank that last acquired it exclusively, at first rank 0. The
// owner has the newest copy and grants all requests (syncvar.Site). It acquires the variable
// without a message. A tenure is the time from Acquire to Release.
//
//	request   rank -> owner      asks for shared or exclusive access. A rank requests the
//	                             variables of a set by increasing ID, one after another, so
//	                             there is no deadlock
//	          former owner -> newer owner, until the request reaches the owner
//	grant     owner -> rank      grants a request. Data slots follow in the same ring if the
//	                             rank's copy is old. An exclusive grant transfers ownership
//	release   rank -> owner      ends a shared tenure
//	arrive    rank -> rank 0     the rank waits for all ranks; names its call
//	leave     rank 0 -> rank     all ranks have arrived. In a Reduce, slots with the words of
//	                             all ranks come first, in the same ring
//
// A table in the LLCM of every rank holds the owners of variables. When a new owner releases, it
// writes its rank to all tables, by one Store per table. The entries are hints, and may be late.
// The table takes a quarter of the LLCM, which is 4095 entries on DIMMnet-1. Requests for
// variables without an entry take more hops, because a rank knows only the owner of its last grant.
//
// In the papers a release reports the variable's new state to all nodes. Here a release does so
// only if the owner has changed.
//
// An owner's copy does not change while the owner sends it. An exclusive tenure begins only when
// all holders have released the variable, and a holder has all data before it releases.
//
// Update is a meeting of all ranks, then a request for every variable that the rank has acquired
// so far and another rank owns, then a second meeting. No rank holds a variable between the two
// meetings, so all ranks get the contents of the moment in which all ranks were in Update.
package threaded
