package replay

import (
	"context"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Network returns a network that runs only this rank, and carries nothing. A panic of the rank
// ends the process, as it does in other Go programs: so a debugger sees where it happens.
func (r *Rank) Network() dimmnet.Network { return network{r} }

type network struct{ *Rank }

// Clock returns the kind of clock that the recorded run had.
func (n network) Clock() dimmnet.Clock { return n.About.Clock }

// Run runs body as the rank.
func (n network) Run(ctx context.Context, nodes int, body func(dimmnet.Host) error) error {
	if nodes != n.Nodes {
		return fmt.Errorf("replay: the recorded run had %d ranks, not %d", n.Nodes, nodes)
	}
	return body(&host{port: port{n.Rank, ctx}})
}

// host is the host of the rank.
type host struct{ port port }

func (h *host) Port() dimmnet.Port { return h.port }

// Now returns the time of the last recorded call.
func (h *host) Now() dimmnet.Time {
	if h.port.of.engine == nil {
		return 0
	}
	return h.port.of.engine.now
}

func (h *host) Spend(d dimmnet.Time) {
	if d < 0 {
		panic(fmt.Sprintf("replay: Spend of %v: want at least 0", d))
	}
}

func (h *host) Charge(dimmnet.Work, int)                   {}
func (h *host) Note(string, uint64)                        {}
func (h *host) Go(name string, _ func(dimmnet.Host) error) { panic(alone("thread " + name)) }
func (h *host) NewEvent() dimmnet.Event                    { panic(alone("an event")) }
func (h *host) Notify(dimmnet.Rank)                        { panic(alone("a notice")) }
func (h *host) Notice() dimmnet.Event                      { panic(alone("a notice")) }
func (h *host) Notices() uint64                            { return 0 }

// alone is the panic of a call that a rank cannot make alone.
func alone(what string) string {
	return fmt.Sprintf("replay: %s: the network of a replay has one rank, and carries nothing", what)
}

// port is the port of the rank. Nothing uses it but for its numbers.
type port struct {
	of  *Rank
	ctx context.Context
}

func (p port) Rank() dimmnet.Rank     { return dimmnet.Rank(p.of.About.Rank) }
func (p port) Nodes() int             { return p.of.Nodes }
func (p port) Limits() dimmnet.Limits { return dimmnet.Limits{} }

func (p port) Store(dimmnet.Rank, dimmnet.Offset, uint64, int) bool       { panic(alone("Store")) }
func (p port) Write(dimmnet.Rank, dimmnet.Offset, []byte) bool            { panic(alone("Write")) }
func (p port) Multicast([]dimmnet.Rank, dimmnet.Offset, uint64, int) bool { panic(alone("Multicast")) }
func (p port) Push(dimmnet.Rank, dimmnet.Offset, dimmnet.Offset, int, dimmnet.Offset) bool {
	panic(alone("Push"))
}

func (p port) Pull(dimmnet.Rank, dimmnet.Offset, dimmnet.Offset, int, dimmnet.Offset) bool {
	panic(alone("Pull"))
}

func (p port) Load(dimmnet.Offset) uint64  { panic(alone("Load")) }
func (p port) Read([]byte, dimmnet.Offset) { panic(alone("Read")) }
func (p port) Fill(dimmnet.Offset, []byte) { panic(alone("Fill")) }
func (p port) Flip()                       { panic(alone("Flip")) }
func (p port) Arrivals() dimmnet.Mark      { return 0 }
func (p port) Idle(dimmnet.Mark)           { panic(alone("Idle")) }
func (p port) Counters() dimmnet.Counters  { return dimmnet.Counters{} }

// Err returns an error when the context of the run is done.
func (p port) Err() error {
	if p.ctx.Err() == nil {
		return nil
	}
	return dimmnet.ContextErr(p.ctx)
}
