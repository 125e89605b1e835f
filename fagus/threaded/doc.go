// Package threaded is the engine of the multithreaded versions of Fagus: helper
// threads of every node serve requests at any time, so a rank acquires and releases
// by itself, whatever the others do.
//
//	e, err := threaded.New(host, space)
//	err = e.Acquire(shared, exclusive)           // waits for grants and data
//	copy(mem, ...)                               // the program computes
//	err = e.Release(shared, exclusive, written)  // tells, and does not wait
//	err = e.Meet(syncvar.End, 0)                 // serves until all ranks have ended
//
// # Threads
//
//	user     --out-->  send      --rings-->  peers
//	   ^                ^
//	   |                out
//	   wakes            |
//	   +----- process --+  <--in--  receive  <--rings--  peers
//
// The user thread queues a message and goes on. The send thread takes one message
// after another through the ring to its peer. The receive thread polls all rings,
// empties their slots and passes on what was in them; it never looks inside. The
// receive-processing thread alone acts on it.
//
// All state of an engine is under one lock, which is held for short moments only
// and never across a call of a port or an event: in the simulator such a call lets
// other threads run. A thread sleeps by its own event (await).
//
// The queues are bounded, and no cycle of full ones can come to rest. The receive
// thread waits for the processing thread, which waits for nobody: what it queues is
// answers, of which there are at most as many as ranks and their open requests
// (most). Only the user thread waits for room in the queue out. So rings are always
// emptied, and the send thread always comes to its end.
//
// # Messages
//
// Every variable has an owner: the last rank that acquired it exclusively, rank 0
// at first. It has the newest copy and says who is next (syncvar.Site). What it
// acquires itself costs no message.
//
//	request   rank -> owner      wanted in a mode; a set is asked for by increasing
//	                             ID, one after another, so there is no deadlock
//	          owner of yore -> a newer one, until it is there
//	grant     owner -> rank      here it is; data slots follow in the same ring if
//	                             the rank lacks any. An exclusive one makes it the owner
//	release   rank -> owner      a shared tenure is over
//	arrive    rank -> rank 0     it waits for all, in which call
//	leave     rank 0 -> rank     all are here; of a Reduce, slots with the words of all
//	                             ranks come before it in the same ring
//
// In the LLCM of every rank a table says who owns what. Whoever has become the owner
// writes that to all when it releases, by one store each, which nobody has to act on.
// The tables hold hints: what they say may be late.
//
// An owner's copy rests while others are served from it: an exclusive tenure begins
// only when all holders have released, and those that were served have everything
// by then.
//
// Update is a meeting, then one request for every variable in the rank's copy that
// another rank owns, then another meeting: nobody holds anything in between, so all
// ranks get the state in which they called it.
//
// # Where this differs from D1-Fagus
//
// The papers say that a release tells all nodes the variable's new state. Here it
// does so when the owner is another than before: an owner that uses a variable again
// has nothing to tell. Of the variables that have no place in the table (a quarter of
// the LLCM: 4095 on DIMMnet-1) a rank knows the owner by its last grant, and requests
// may take more hops.
package threaded
