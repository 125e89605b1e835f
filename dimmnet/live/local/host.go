package local

import (
	"context"
	"encoding/binary"
	"fmt"
	"runtime"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/cycles"
)

// CacheLine is the distance in bytes that keeps words of different threads apart: two lines of 64
// bytes, because the prefetcher fetches lines in pairs.
const CacheLine = 128

const word = dimmnet.WordBytes

// Host is the part of a dimmnet.Host and Port that networks with a wall clock have in common.
type Host struct {
	Counts  dimmnet.Counters // used only by the thread
	network string           // name of the network, for messages
	name    string           // name passed to Host.Go; "" for a body
	start   time.Time        // when the run started
	clock   cycles.Clock     // follows the system's clock since start
	rank    dimmnet.Rank
	nodes   int
	limits  dimmnet.Limits
}

// NewHost returns the Host of one thread; name is "" for a body, and start is when the run began.
func NewHost(network, name string, start time.Time, rank dimmnet.Rank, nodes int, limits dimmnet.Limits) Host {
	return Host{network: network, name: name, start: start, clock: cycles.Start(start), rank: rank, nodes: nodes, limits: limits}
}

// Label returns the name of the thread in messages.
func (h *Host) Label() string { return dimmnet.ThreadLabel(h.rank, h.name) }

// Now returns the time since the start of the run.
func (h *Host) Now() dimmnet.Time {
	return dimmnet.Time(h.clock.Now().Nanoseconds()) * dimmnet.Nanosecond
}

// CommonNow returns the time since the start of the run by the system's clock.
func (h *Host) CommonNow() dimmnet.Time {
	return dimmnet.Time(time.Since(h.start).Nanoseconds()) * dimmnet.Nanosecond
}

// Spend does nothing, because computation takes its own time on a wall clock.
func (h *Host) Spend(d dimmnet.Time) {
	if d < 0 {
		panic(fmt.Sprintf("%s: Spend of %v: want 0 or more", h.network, d))
	}
}

// Charge does nothing, because work takes its own time on a wall clock.
func (h *Host) Charge(w dimmnet.Work, n int) {
	if n < 0 {
		panic(fmt.Sprintf("%s: Charge of %d units of %v: want 0 or more", h.network, n, w))
	}
}

// Note does nothing: the network keeps no trace.
func (h *Host) Note(string, uint64) {}

// Rank returns the rank of the thread's node.
func (h *Host) Rank() dimmnet.Rank { return h.rank }

// Nodes returns the number of nodes of the run.
func (h *Host) Nodes() int { return h.nodes }

// Limits returns the limits of the port.
func (h *Host) Limits() dimmnet.Limits { return h.limits }

// Counters returns the numbers of the thread's posts and polls so far.
func (h *Host) Counters() dimmnet.Counters { return h.Counts }

// Multicast panics: no live network supports it, because separate Stores are as fast.
func (h *Host) Multicast(dsts []dimmnet.Rank, off dimmnet.Offset, _ uint64, size int) bool {
	h.limits.CheckMulticast(h.nodes, dsts, off, size)
	return false
}

// Flip does nothing: the bulk memory has one side. A network with two sides overrides it.
func (h *Host) Flip() {}

// CheckNotify panics unless dst is a rank of the run.
func (h *Host) CheckNotify(dst dimmnet.Rank) {
	if int(dst) >= h.nodes {
		panic(fmt.Sprintf("%s: rank %d notifies rank %d: the run has %d nodes", h.network, h.rank, dst, h.nodes))
	}
}

// Go runs f in a goroutine that is locked to an OS thread, and calls ended when f has ended.
//
// The helper threads of D1-Fagus are pthreads (docs/lab/papers.md, Fagus): switching to a helper
// costs a kernel switch, and a helper that polls takes the processor of the body. Goroutines that
// share an OS thread would switch in 0.1 us and make helpers look cheaper than they are.
func Go(network, name string, h dimmnet.Host, f func(dimmnet.Host) error, ended func(cause, shown error)) {
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		dimmnet.RunThread(network, name, h, f, ended)
	}()
}

// CheckStart panics if the thread has returned: only a running thread may start another.
func (h *Host) CheckStart(returned bool) {
	if returned {
		panic(fmt.Sprintf("%s: rank %s starts a thread after it has returned", h.network, h.Label()))
	}
}

// PanicWaited panics because two threads of rank wait for one event.
func PanicWaited(network string, rank dimmnet.Rank) {
	panic(fmt.Sprintf("%s: two threads of rank %d wait for one event", network, rank))
}

// CheckRun returns an error unless a network can run body on this machine and ctx is not done.
func CheckRun(ctx context.Context, network string, body func(dimmnet.Host) error) error {
	switch {
	case body == nil:
		return fmt.Errorf("%s: running a nil body: want a function", network)
	case binary.NativeEndian.Uint16([]byte{1, 0}) != 1:
		return fmt.Errorf("%s: this machine is big-endian: the network needs a little-endian one", network)
	case ctx.Err() != nil:
		return Cancelled(ctx, network)
	}
	return nil
}

// Cancelled returns the failure of a run whose context is done.
func Cancelled(ctx context.Context, network string) error {
	return fmt.Errorf("%s: %w", network, dimmnet.ContextErr(ctx))
}

// Membership implements the methods that all joinable networks with a wall clock share.
type Membership struct {
	Member dimmnet.Member // nil: all ranks are in this process
}

// Clock returns dimmnet.Wall.
func (m Membership) Clock() dimmnet.Clock { return dimmnet.Wall }

// Job returns the rank of this process and the number of ranks: size 0 if all are in this process.
func (m Membership) Job() (rank dimmnet.Rank, size int) { return dimmnet.JobOf(m.Member) }

// Gather passes own to all ranks, and returns the bytes that every rank passed, by rank.
func (m Membership) Gather(ctx context.Context, own []byte) ([][]byte, error) {
	return m.Member.Gather(ctx, own)
}

// Describe passes own to the member, if it is a Describer.
func (m Membership) Describe(own func() []byte) {
	if d, ok := m.Member.(dimmnet.Describer); ok {
		d.Describe(own)
	}
}

// Ask asks by the member. It returns nothing if that is no Describer.
func (m Membership) Ask(ctx context.Context, own []byte, of []dimmnet.Rank) [][]byte {
	if d, ok := m.Member.(dimmnet.Describer); ok {
		return d.Ask(ctx, own, of)
	}
	return nil
}

// CheckNodes returns an error unless the job has as many ranks as the run has nodes.
func (m Membership) CheckNodes(network string, nodes int) error {
	if m.Member != nil && nodes != m.Member.Size() {
		return fmt.Errorf("%s: a run of %d nodes in a job of %d ranks: the numbers must be equal", network, nodes, m.Member.Size())
	}
	return nil
}
