package threaded

import (
	"github.com/fagus-dsm/fagus/syncvar"
)

// Counts holds what an engine has done so far.
type Counts struct {
	Requests  uint64 // requests to other ranks in Acquire
	Refreshes uint64 // requests to other ranks in Update
	Transfers uint64 // transfers of a variable to a peer
	Passed    uint64 // of Transfers, those for another owner: the rank passes data on
	Slots     uint64 // slots of data sent, each with a piece of a variable
	Takes     uint64 // variables taken from other ranks without a message
}

// Config configures an engine. It must be equal on all ranks.
type Config struct {
	// Notices makes Host.Notify announce every slot. Then the receive thread waits for notices
	// instead of polling.
	Notices bool
	// Direct lets a rank take a variable without a message: it rewrites the variable's record in
	// the owner's LLCM. The variable must be free, this rank's copy must be current, and the
	// access exclusive. Otherwise it makes a request. Without RDMA, on other than 2 to 8 nodes, or
	// with too small an LLCM, all ranks only make requests. Update then sends one request after
	// the other, as in the paper.
	Direct bool
	// OneHelper gives the rank one helper thread instead of three, and lets the user thread send
	// its own messages. It must not be set with Notices or Direct, nor in the simulator, where
	// threads must not wait for each other's locks.
	OneHelper bool
	// Trees lets a rank that reads a variable pass the data on to later readers, and lets meetings
	// go over a tree. Without it, as in the papers, owners serve all readers, one after the other,
	// and all ranks meet at rank 0. It must not be set with Direct.
	Trees bool
	// FirstVersion is the version of all variables before any tenure. It is 0 except in tests,
	// which start near the end of a counter.
	FirstVersion syncvar.Version
	// Observer gets the events of the rank's calls. It may be nil.
	Observer syncvar.Observer
}
