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
// # One helper thread
//
// With Config.OneHelper, as on real processors, a single helper thread does the work of all three,
// and the user thread sends its own messages (helper.go): every thread that sleeps and must be
// woken costs some ten microseconds. The messages are the same.
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
//	pass      owner -> reader    a reader is to grant the request of a later reader (Trees)
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
// In the papers a release reports the variable's new state to all nodes. Here it does so only if
// the owner has changed.
//
// An owner's copy does not change while the owner sends it. An exclusive tenure begins only when
// all holders have released the variable, and a holder has all data before it releases.
//
// Update is a meeting of all ranks, then a request for every variable that the rank has acquired
// and another rank owns, then a second meeting. No rank holds a variable between the two meetings,
// so all ranks get the contents at the moment when all ranks were in Update.
//
// # Trees
//
// With Config.Trees the readers of a version form a tree. While an owner sends data to
// syncvar.Fanout ranks, it does not itself send the data for another shared grant. It sends a pass
// message to an earlier reader of the same version (syncvar.Readers). That reader sends the grant,
// which names the owner, and then the data: what it has, and the rest as they arrive. The pass
// message may arrive before the reader's own grant, which may come from yet another rank. Then it
// waits for the grant.
//
// The owner still counts the new reader as a holder and gets its release. So it grants no
// exclusive tenure before the new reader has all data, and until then the sending reader's copy
// keeps the version. A pass message thus never has to go back to the owner: one that names another
// version is an error.
//
// The send thread then has a lane for every rank, and sends in all lanes in turn. Within a lane,
// messages stay in order, and data stay in order, but no message waits for data.
//
// With more than 32 ranks, ranks meet in a tree instead of at rank 0. A rank arrives at its parent
// when all its children have arrived, and gets its leave message from the parent. In a Reduce,
// slots with the words of the ranks below come before the arrive message.
//
// # Direct mode
//
// With Config.Direct a rank takes a free variable from its owner without a message, as in
// D1-Fagus: the paper's ranks rewrite the sync variables of other nodes in their LLCM. With the
// paper's single store alone, two ranks could take one variable at once, or a rank could take what
// its owner has just acquired. So a rank first claims the variable, and reads what the owner wrote
// about it.
//
//	owner  open      at the end of a tenure, for a variable that nobody holds or wants:
//	                 Store "free in version v" into its own LLCM
//	taker  claim     Store "I take it" into the owner's LLCM; Pull until that has landed
//	       read      Pull the claims of all ranks and the owner's record. Give up if another rank
//	                 claims the variable, if it is not free, or if it is newer than the own copy
//	       take      Store "taken by me in version v+1" and then "no claim" into the owner's LLCM
//	owner  close     before it uses or grants the variable: Store "closed" into its own LLCM;
//	                 Load until that has landed, and until no claim is left; then Load who took it
//
// A rank that gives up makes a request, and so does a rank that wants to read. If another rank has
// taken the variable, the taker tries that rank next. The owner learns of its loss when it closes
// the record. Then it forwards requests as every former owner does.
//
// A taker waits only for Pulls. NICs answer these, or, on stream networks, any thread of the owner
// that idles, as every waiting thread does. So the receive-processing thread may wait until claims
// are gone, and rings are still always emptied. A rank that has forwarded another rank's request
// takes nothing before its own next request is granted, so that the forwarded request does not
// follow the variable forever (syncvar.Site.Takes).
//
// Update sends one request after the other, as in the paper; without Direct there are up to 16 at a
// time. The table takes two fifths of the LLCM, which is 2182 entries on DIMMnet-1 with 2 nodes.
// docs/internals/model/take.pml is a model of this protocol, without its messages.
package threaded
