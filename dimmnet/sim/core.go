package sim

import (
	"errors"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Core is a simulated thread without its NIC, for packages that put their own NIC into the
// hosts. The work of the host costs time of the thread (Charge); the work of the NIC and its
// network are events (At). All else works as with DIMMnet-1: threads, CPUs, the order of
// events, skipped polls, random delays and the trace.
type Core struct{ th *thread }

// call is an event of another package.
type call struct {
	f    func(at dimmnet.Time)
	rank dimmnet.Rank
	seen bool // f changes memory that idle threads of rank can notice
}

// OpenCore returns the core of a simulated host. It is an error on a UDP network.
func OpenCore(h dimmnet.Host) (Core, error) {
	th, ok := h.(*thread)
	if !ok {
		return Core{}, errors.New("sim: OpenCore: the host is not simulated by this package")
	}
	if th.k.cfg.UDP != nil {
		return Core{}, errors.New("sim: OpenCore: hosts of a UDP network have no NIC")
	}
	th.k.flight = 0 // nothing is known about the NIC
	return Core{th}, nil
}

// Sync handles all events before the thread's clock. Afterwards the thread reads and changes the
// state of the node as of that time.
func (c Core) Sync() { c.th.sync() }

// Now returns the thread's clock.
func (c Core) Now() dimmnet.Time { return c.th.now }

// Charge makes the CPU busy for d, without a random delay.
func (c Core) Charge(d dimmnet.Time) { c.th.now += d }

// At schedules a call of f at the time at, which must not be before the current event or the
// last Sync. If seen is true, the call is an arrival at rank, and idle threads there poll
// again. Calls at the same time happen in the order in which they were scheduled.
func (c Core) At(at dimmnet.Time, rank dimmnet.Rank, seen bool, f func(at dimmnet.Time)) {
	k := c.th.k
	k.schedule(at, evCall, k.callees.put(call{f, rank, seen}))
}

func (k *kernel) called(ref int32, at dimmnet.Time) {
	c := *k.callees.at(ref)
	*k.callees.at(ref) = call{}
	k.callees.free(ref)
	c.f(at)
	if c.seen {
		k.nodes[c.rank].arrivals++
	}
}

// Landed records in the trace that p from rank from has landed at off of rank's memory.
func (c Core) Landed(at dimmnet.Time, from, rank dimmnet.Rank, off uint64, p []byte) {
	t := &c.th.k.trace
	t.fold(uint64(at))
	t.fold(uint64(from)<<48 | uint64(rank)<<32 ^ off)
	t.bytes(p)
	if t.emit != nil {
		t.emit(Record{At: at, Rank: rank, From: from, Off: dimmnet.Offset(off), Bytes: len(p)})
	}
}

// Delay returns a random delay, from the network's seed and two numbers; 0 without a seed.
func (c Core) Delay(stream, number uint64) dimmnet.Time {
	cfg := &c.th.k.cfg
	if cfg.Seed == 0 {
		return 0
	}
	return randomDelay(cfg.Seed, coreStream|stream, number, cfg.MaxDelay)
}

// coreStream separates the random delays of other packages from those of this one.
const coreStream = 1 << 33

// Rank returns the thread's rank.
func (c Core) Rank() dimmnet.Rank { return c.th.rank }

// Count adds the counts in more to the thread's counters.
func (c Core) Count(more dimmnet.Counters) { c.th.counters = c.th.counters.Plus(more) }

// Counters implements Port.Counters.
func (c Core) Counters() dimmnet.Counters { return c.th.counters }

// Arrivals implements Port.Arrivals.
func (c Core) Arrivals() dimmnet.Mark { return c.th.Arrivals() }

// Idle implements Port.Idle.
func (c Core) Idle(since dimmnet.Mark) { c.th.Idle(since) }

// Err implements Port.Err.
func (c Core) Err() error { return c.th.Err() }

// Failed reports whether the run has failed. Unlike Err, it does not check the limits of the run.
func (c Core) Failed() bool { return c.th.k.err != nil }

// Fail fails the run.
func (c Core) Fail(err error) { c.th.k.fail(err) }

// WakeAt makes idle threads of this node poll again at t, when a resource of the NIC becomes free.
func (c Core) WakeAt(t dimmnet.Time) { c.th.wakeAt(t) }
