package fagus

import (
	"context"
	"log/slog"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/consistency/order"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/internal/guard"
	"github.com/fagus-dsm/fagus/fagus/internal/pagewatch"
	"github.com/fagus-dsm/fagus/fagus/recording"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Node is one rank's handle on the shared memory. Run passes one to the program of each
// rank. It belongs to the goroutine that runs the program.
type Node struct {
	rank    int
	nodes   int
	host    dimmnet.Host
	space   *consistency.Space
	mode    Mode
	engine  engine   // nil after the program has returned
	silent  bool     // Release of the engine never waits
	views   bool     // this rank reads directly from the arrays of other ranks
	memory  [][]byte // memory of arrays; close unmaps it
	arrays  int      // number of arrays made
	rebinds int      // number of Rebinds: those before it make compiled sets invalid
	work    *hostWork
	watch   *pagewatch.Watch // finds written pages; nil if write detection does not use the kernel
	held    *SyncSet         // the set that the rank holds; nil if none
	wrote   []syncvar.ID     // variables changed in the last tenure; reused
	clock   stopwatch
	waits   *waits // for Report.Waits
	lines   acquireLines
	monitor *rollcall.Monitor // reports to roll-calls what this rank does

	events events
	record *record         // for Config.History; nil if unset
	guard  *guard.Guard    // for Config.Check; nil if off
	order  *order.Recorder // for Config.Check; nil if off
	tracer *tracer         // for Config.Trace; nil if unset

	attached []attachment // of Attached, in the order of the first calls
	saving   saving       // for Config.Checkpoints

	declared  *declarations // of all ranks of this process
	goroutine bool          // see isGoroutine
	status    status
	kept      *recorder    // for Config.Record; nil if unset
	outside   outside      // nil: there is neither a record with values nor a replay
	replays   bool         // see Config.replay
	log       *slog.Logger // of Log
	begun     Time         // when newNode has made it
	summary   *callSummary // of those observers that need one; nil if none does
}

// newNode makes the node of a rank. All ranks have the same configuration.
func newNode(ctx context.Context, h dimmnet.Host, all *Config, board *rollcall.Board, declared *declarations) (*Node, error) {
	cfg := *all
	p := h.Port()
	space := declared.newSpace()
	one, err := oneCopy(h, cfg)
	if err != nil {
		return nil, err
	}
	if one {
		space.OneCopy()
	}
	views := !one && readsViews(h, cfg)
	watch, err := startDetection(space, cfg, views)
	if err != nil {
		return nil, err
	}
	n := &Node{
		rank:    int(p.Rank()),
		nodes:   p.Nodes(),
		host:    h,
		work:    &hostWork{host: h, virtual: cfg.Net.Clock() == dimmnet.Virtual},
		space:   space,
		mode:    cfg.Mode,
		views:   views,
		watch:   watch,
		monitor: board.Monitor(int(p.Rank())),

		declared:  declared,
		goroutine: isGoroutine(h, cfg),
		begun:     h.Now(),
	}
	n.log = slog.New(ofRank{Handler: cfg.records.Handler(), node: n})
	n.waits = newWaits(n)
	if err := n.observe(ctx, &cfg); err != nil {
		closeWatch(watch)
		return nil, err
	}
	if n.engine, err = n.newEngine(cfg); err != nil {
		closeWatch(watch)
		_ = n.guard.Close() // cannot fail: nothing is mapped yet
		n.kept.close()
		return nil, err
	}
	if n.outside != nil && n.kept != nil && n.Folds() {
		n.kept.JSON(&recording.Mark{Kind: recording.Folding})
	}
	_, locked := n.engine.(*lockEngine)
	n.silent = cfg.Mode == Phase || locked
	n.clock = newStopwatch(h, cfg, n.silent, n.engine.Counters)
	n.status.ctx, n.status.cancel = context.WithCancelCause(ctx)
	n.monitor.Attach(rankState{n.engine, space})
	if cfg.Checkpoints != nil || cfg.replay != nil && cfg.replay.Checkpoints {
		n.saving.to = n.witness(cfg.Checkpoints)
		n.saving.to.Begin(n.rank)
	}
	return n, nil
}

// observe adds the observers that the configuration asks for. The engine asks what they want: it
// comes later.
func (n *Node) observe(ctx context.Context, cfg *Config) (err error) {
	if n.record = newRecord(n, cfg.History); n.record != nil {
		n.events.add(n.record)
	}
	if cfg.Check != CheckOff {
		n.guard, n.order = newGuard(n, cfg.Check), order.NewRecorder()
		n.events.add(checker{n})
	}
	if n.tracer = newTracer(n, cfg.Trace); n.tracer != nil {
		n.events.add(n.tracer)
	}
	if m := newMetered(n, cfg.Meter); m != nil {
		n.events.add(m)
		n.events.add(newProfiled(ctx, n, cfg.Meter))
	}
	if l := newCallLog(ctx, n, cfg.Log); l != nil {
		n.events.add(l)
	}
	if n.kept, err = newRecorder(n, cfg); n.kept != nil {
		n.events.add(n.kept)
		if cfg.Record.Values {
			n.outside = n.kept
		}
	}
	return err
}

func (n *Node) close() {
	if n.replays && !n.status.returned {
		return // it has panicked: a debugger may want to see the arrays
	}
	n.kept.close()
	n.engine.Close()
	if n.tracer != nil {
		n.tracer.Close()
	}
	for _, m := range n.memory {
		_ = unmap(m) // cannot fail: mapArray mapped it, and nothing uses it any more
	}
	n.memory = nil
	closeWatch(n.watch)
	_ = n.guard.Close() // cannot fail either
	n.engine = nil
	n.status.cancel(errReturned)
}

// Rank returns this rank's number, from 0 to Nodes()-1.
func (n *Node) Rank() int { return n.rank }

// Nodes returns the number of ranks.
func (n *Node) Nodes() int { return n.nodes }

// Arrays returns the number of arrays that this rank has made. The number never decreases, and is
// the same on ranks that have made the same calls, so a library can make array names unique with
// it.
func (n *Node) Arrays() int { return n.arrays }

// Mode returns the mode in which the program runs.
func (n *Node) Mode() Mode { return n.mode }

// Now returns the time of this rank's clock, which is virtual on a simulated network. The
// difference of two results is the time between the calls.
func (n *Node) Now() Time { return n.time(n.host.Now()) }

// Virtual reports whether the rank's clock is virtual: the network is simulated.
func (n *Node) Virtual() bool { return n.work.virtual }

// Spend advances a virtual clock by d, the simulated duration of a computation. It does nothing on
// a network with a real clock, because computing takes time by itself. It panics if d is negative.
func (n *Node) Spend(d Time) { n.host.Spend(d) }

// SpendMisses advances a virtual clock as Spend does, by the time of reading lines from memory, one
// after another: what a program computes that waits for a cache miss in every step. While another
// thread of the node uses the memory bus, as a thread that polls the NIC does, it takes longer.
func (n *Node) SpendMisses(lines int) { n.host.Charge(dimmnet.Miss, lines) }

// enter begins a call that may wait for other ranks, and whose time belongs to part. set is nil if
// the call takes no set. leave ends the call.
func (n *Node) enter(call rollcall.Call, part Part, set *SyncSet) error {
	if !n.monitor.Enter(call, set.held()) {
		return n.cross(call.String())
	}
	n.waits.begin(part)
	return n.events.tell(eventCalled, call, set, nil)
}

// leave charges the time of a call to part. latest and err are the result of the engine; if err is
// not nil, later calls return the same error. The rank now holds set, or nothing if set is nil.
func (n *Node) leave(call rollcall.Call, part Part, set *SyncSet, latest syncvar.Latest, err error) error {
	n.waits.entered() // if the engine has failed before
	n.clock.enter(PartCompute)
	n.clock.left = n.clock.since
	n.waits.end(n.clock.since, latest)
	if n.clock.drawn {
		n.clock.waited(part, n.waits.cause, n.waits.until)
	}
	if err != nil {
		n.monitor.Fail()
		n.declared.failed(dimmnet.Rank(n.rank), n.place())
		return n.errorf("%v: %w", call, n.declared.locate(disagreement(err)))
	}
	if crossed := n.status.crossed.Load(); crossed != nil {
		n.monitor.Fail()
		return n.stick(*crossed)
	}
	n.monitor.Leave(set.held())
	return nil
}
