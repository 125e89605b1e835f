package sim

import (
	"errors"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Core is a simulated thread without its NIC: for packages that put one of their own into the hosts. What the host does takes
// time of the thread (Charge); what the NIC and its network do are events (At). Everything holds that holds for DIMMnet-1: threads, CPUs, the
// order of events, skipped polls, random delays and the trace.
type Core struct{ th *thread }

// call is an event of another package.
type call struct {
	f    func(at dimmnet.Time)
	rank dimmnet.Rank
	seen bool // who idles at the rank may notice
}

// OpenCore is the core of a simulated host. On a UDP network it is an error.
func OpenCore(h dimmnet.Host) (Core, error) {
	th, ok := h.(*thread)
	if !ok {
		return Core{}, errors.New("sim: the host is not a simulated one")
	}
	if th.k.cfg.UDP != nil {
		return Core{}, errors.New("sim: hosts of a UDP network have no place for a NIC")
	}
	return Core{th}, nil
}

// Sync lets everything happen that precedes the thread's clock. What the thread sees or changes afterwards is as it is at that time.
func (c Core) Sync() { c.th.sync() }

// Now is the thread's clock.
func (c Core) Now() dimmnet.Time { return c.th.now }

// Charge lets the CPU be busy for d, with no random delay.
func (c Core) Charge(d dimmnet.Time) { c.th.now += d }

// At lets f be called when it is at, which is not before the event, or the Sync, that it is called from. If seen, it is an arrival at rank: whoever
// idles there looks again. Calls for the same instant come in the order in which they were asked for.
func (c Core) At(at dimmnet.Time, rank dimmnet.Rank, seen bool, f func(at dimmnet.Time)) {
	k := c.th.k
	k.schedule(at, evCall, k.callees.put(call{f, rank, seen}))
}

// called makes such a call.
func (k *kernel) called(ref int32, at dimmnet.Time) {
	c := *k.callees.at(ref)
	*k.callees.at(ref) = call{}
	k.callees.free(ref)
	c.f(at)
	if c.seen {
		k.nodes[c.rank].arrivals++
	}
}

// Landed puts into the trace that bytes of from have landed at off of rank's memory.
func (c Core) Landed(at dimmnet.Time, from, rank dimmnet.Rank, off uint64, p []byte) {
	t := &c.th.k.trace
	t.fold(uint64(at))
	t.fold(uint64(from)<<48 | uint64(rank)<<32 ^ off)
	t.bytes(p)
	if t.emit != nil {
		t.emit(Record{At: at, Rank: rank, From: from, Off: dimmnet.Offset(off), Bytes: len(p)})
	}
}

// Delay is a random delay, drawn from the seed of the network and two numbers; 0 without a seed.
func (c Core) Delay(stream, number uint64) dimmnet.Time {
	cfg := &c.th.k.cfg
	if cfg.Seed == 0 {
		return 0
	}
	return randomDelay(cfg.Seed, coreStream|stream, number, cfg.MaxDelay)
}

// coreStream tells the random delays of other packages from those of this one.
const coreStream = 1 << 33

// Rank is the thread's.
func (c Core) Rank() dimmnet.Rank { return c.th.rank }

// Count counts what the thread has done.
func (c Core) Count(more dimmnet.Counters) { c.th.counters = c.th.counters.Plus(more) }

// Counters, Arrivals, Idle and Err are those of a Port.
func (c Core) Counters() dimmnet.Counters { return c.th.counters }

// Arrivals: see Counters.
func (c Core) Arrivals() dimmnet.Mark { return c.th.Arrivals() }

// Idle: see Counters.
func (c Core) Idle(since dimmnet.Mark) { c.th.Idle(since) }

// Err: see Counters.
func (c Core) Err() error { return c.th.Err() }

// Failed says whether the run has failed, at no cost.
func (c Core) Failed() bool { return c.th.k.err != nil }

// Fail fails the run.
func (c Core) Fail(err error) { c.th.k.fail(err) }

// WakeAt wakes who idles at this node at t: something becomes free then.
func (c Core) WakeAt(t dimmnet.Time) { c.th.wakeAt(t) }
