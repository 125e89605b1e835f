package host

import "github.com/fagus-dsm/fagus/dimmnet"

// The methods in this file are for a NIC that is not of package network, and keeps its own state.

// call is an event of such a NIC.
type call struct {
	f    func(at dimmnet.Time)
	rank dimmnet.Rank
	seen bool // f changes memory that idle threads of rank can notice
}

// At schedules a call of f at the time at, which must not be before the current event or the
// last Sync. If seen is true, the call is an arrival at rank, and idle threads there poll
// again. Calls at the same time happen in the order in which they were scheduled.
func (th *Thread) At(at dimmnet.Time, rank dimmnet.Rank, seen bool, f func(at dimmnet.Time)) {
	k := th.k
	k.line.Schedule(at, evCall, k.callees.Put(call{f, rank, seen}))
}

func (k *Kernel) called(ref int32, at dimmnet.Time) {
	c := *k.callees.At(ref)
	*k.callees.At(ref) = call{}
	k.callees.Free(ref)
	c.f(at)
	if c.seen {
		k.nodes[c.rank].net.Arrive()
	}
}

// Landed records in the trace that p from rank from has landed at off of rank's memory.
func (th *Thread) Landed(at dimmnet.Time, from, rank dimmnet.Rank, off uint64, p []byte) {
	th.k.trace.Bytes(at, from, rank, off, p)
}

// Delay returns a random delay, from the run's seed and two numbers; 0 without a seed.
func (th *Thread) Delay(stream, number uint64) dimmnet.Time {
	delays := th.k.cfg.Delays
	if delays.Seed == 0 {
		return 0
	}
	return delays.Of(deviceStream|stream, number)
}

// deviceStream separates the random delays of these NICs from those of this package.
const deviceStream = 1 << 33

// WakeAt makes idle threads of this node poll again at t, when a resource of the NIC becomes free.
func (th *Thread) WakeAt(t dimmnet.Time) { th.node.net.WakeAt(t) }
