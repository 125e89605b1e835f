// Package threaded is the engine of the multithreaded versions of Fagus: helper
// threads of every node serve requests at any time, so a rank acquires and releases
// by itself, whatever the others do.
//
//	e, err := threaded.New(host, space)
//	err = e.Acquire(shared, exclusive)           // waits for grants and data
//	copy(mem, ...)                               // the program computes
//	err = e.Release(shared, exclusive, written)  // tells, and does not wait
//	err = e.Meet(syncvar.End)                    // serves until all ranks have ended
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
// Every variable has a manager, the rank of its ID modulo the ranks, which keeps a
// syncvar.Queue: owner, versions of the copies, holders, and who waits, first come
// first served.
//
//	request   rank -> manager    wanted in a mode; a set is asked for by increasing
//	                             ID, one after another, so there is no deadlock
//	serve     manager -> owner   bring that rank what it lacks
//	grant     owner -> rank      here it is; data slots follow in the same ring
//	          manager -> rank    if it lacks nothing
//	release   rank -> manager    the tenure is over; was anything changed
//	refresh   rank -> manager    at Update: one for every variable in the rank's copy
//	arrive    rank -> rank 0     it waits for all, in which call
//	leave     rank 0 -> rank     all are here
//
// An owner's copy rests while it is served: an exclusive tenure begins only when
// all holders have released, and those that were served have everything by then.
//
// Update is a meeting, then the refreshes, then another meeting: nobody holds
// anything in between, so all ranks get the state in which they called it.
//
// # Where this differs from D1-Fagus
//
// The probable owner is not looked up in tables that peers write into the LLCM at
// every release; the manager always knows it. So a release is one message, not one to
// every node, and a request takes one hop more.
package threaded
