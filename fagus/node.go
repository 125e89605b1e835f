package fagus

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/consistency/order"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/internal/guard"
	"github.com/fagus-dsm/fagus/fagus/internal/pagewatch"
	"github.com/fagus-dsm/fagus/fagus/internal/source"
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

	observers observers
	event     event           // that observers are being told of
	record    *record         // for Config.History; nil if unset
	guard     *guard.Guard    // for Config.Check; nil if off
	order     *order.Recorder // for Config.Check; nil if off

	attached []attachment // of Attached, in the order of the first calls
	saving   saving       // for Config.Checkpoints

	declared  *declarations         // of all ranks of this process
	goroutine bool                  // see isGoroutine
	err       error                 // the first error of a call; every later call returns it
	crossed   atomic.Pointer[error] // of a call of another goroutine; the next call returns it
	caller    atomic.Uintptr        // the goroutine that makes calls; 0 before the first one
	returned  bool                  // the program has returned
	ctx       context.Context       // of Context
	cancel    context.CancelCauseFunc
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

		saving:    saving{to: cfg.Checkpoints},
		declared:  declared,
		goroutine: isGoroutine(h, cfg),
	}
	n.waits = newWaits(h, &n.clock)
	n.observe(ctx, &cfg)
	if n.engine, err = newEngine(h, space, cfg, views, n.work, engineEvents{n}); err != nil {
		closeWatch(watch)
		_ = n.guard.Close() // cannot fail: nothing is mapped yet
		return nil, err
	}
	_, locked := n.engine.(*lockEngine)
	n.silent = cfg.Mode == Phase || locked
	n.clock = newStopwatch(h, cfg, n.silent, n.engine.Counters)
	n.ctx, n.cancel = context.WithCancelCause(ctx)
	n.monitor.Attach(rankState{n.engine, space})
	if n.saving.to != nil {
		n.saving.to.Begin(n.rank)
	}
	return n, nil
}

// observe adds the observers that the configuration asks for. The engine asks what they want: it
// comes later.
func (n *Node) observe(ctx context.Context, cfg *Config) {
	if n.record = newRecord(n, cfg.History); n.record != nil {
		n.observers.add(n.record)
	}
	if cfg.Check != CheckOff {
		n.guard, n.order = newGuard(n, cfg.Check), order.NewRecorder()
		n.observers.add(checker{n})
	}
	if l := newCallLog(ctx, n, cfg.Log); l != nil {
		n.observers.add(l)
	}
}

func (n *Node) close() {
	n.engine.Close()
	for _, m := range n.memory {
		_ = unmap(m) // cannot fail: mapArray mapped it, and nothing uses it any more
	}
	n.memory = nil
	closeWatch(n.watch)
	_ = n.guard.Close() // cannot fail either
	n.engine = nil
	n.cancel(errReturned)
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
func (n *Node) Now() Time { return n.host.Now() }

// Virtual reports whether the rank's clock is virtual: the network is simulated.
func (n *Node) Virtual() bool { return n.work.virtual }

// Spend advances a virtual clock by d, the simulated duration of a computation. It does nothing on
// a network with a real clock, because computing takes time by itself. It panics if d is negative.
func (n *Node) Spend(d Time) { n.host.Spend(d) }

// SpendMisses advances a virtual clock as Spend does, by the time of reading lines from memory, one
// after another: what a program computes that waits for a cache miss in every step. While another
// thread of the node uses the memory bus, as a thread that polls the NIC does, it takes longer.
func (n *Node) SpendMisses(lines int) { n.host.Charge(dimmnet.Miss, lines) }

// Err returns the first error of this rank's calls, or else the reason why the run has failed, or
// nil. Errors stick: after an error every call returns the same error at once and does nothing, and
// Run returns it even if the program does not. (Errors of NewArray, Bind and Wrote do not stick:
// the call has done nothing.) So a program may leave errors unchecked, and check Err once before it
// uses results:
//
//	x := fagus.NewGuarded[float64](n, "x", 1000)
//	for i := 0; i < steps && n.Err() == nil; i++ {
//		n.Set(x.Write().Unordered()).Do(func() { add(x.Slice()) })
//		n.Barrier()
//	}
//	return n.Err()
//
// A program that computes for long between calls should check Err now and then, so that it stops
// when another rank fails.
func (n *Node) Err() error {
	if n.err != nil {
		return n.err
	}
	if crossed := n.crossed.Load(); crossed != nil {
		return *crossed
	}
	err := n.host.Port().Err()
	if err != nil {
		n.monitor.Fail()
	}
	return err
}

// follows reports whether err, the error of the program, follows from a failure of the run, or from
// its end from outside.
func (n *Node) follows(ctx context.Context, err error) bool {
	return err != nil && (n.host.Port().Err() != nil || ctx.Err() != nil)
}

// Context returns the context of Run. It is also done when a call of this rank has failed, and when
// the rank's program has returned. Any goroutine may use it.
func (n *Node) Context() context.Context { return n.ctx }

type rankError struct {
	rank int
	err  error
}

func (e *rankError) Error() string { return fmt.Sprintf("fagus: rank %d: %v", e.rank, e.err) }
func (e *rankError) Unwrap() error { return e.err }

// problem returns an error that names the rank.
func (n *Node) problem(format string, args ...any) error {
	return &rankError{n.rank, fmt.Errorf(format, args...)}
}

// errorf returns an error that names the rank. The first one becomes the error of all later calls.
func (n *Node) errorf(format string, args ...any) error {
	return n.stick(n.problem(format, args...))
}

// stick makes err, the error of a call, the error of all later calls if it is the first one.
func (n *Node) stick(err error) error {
	if n.err == nil {
		n.err = err
		n.cancel(err)
		n.tellFailure(err)
	}
	return err
}

var errReturned = errors.New("the program of this rank has returned")

// alone returns an error if another goroutine has made the calls before.
func (n *Node) alone(call string) error {
	own := goroutine()
	caller := n.caller.Load()
	if caller == own || caller == serialized || n.caller.CompareAndSwap(0, own) || n.returned {
		return nil
	}
	return n.cross(call)
}

// serialized is a caller: any goroutine. No goroutine has this address.
const serialized = ^uintptr(0)

// Serialized says that several goroutines make the calls of this Node, one call at a time, as with
// MPI_THREAD_SERIALIZED: the program sees to the order. Without it, a call by another goroutine
// than in the first call is an error.
func (n *Node) Serialized() { n.caller.Store(serialized) }

// cross returns the error of a call that another goroutine makes than the one that makes the calls
// of this Node, which may use n.err. Its next call returns the error, too.
func (n *Node) cross(call string) error {
	err := n.problem("%s at %s is made by another goroutine than the calls before: a Node belongs to one goroutine; "+
		"let other goroutines work on slices only, and make all calls of the Node in the one that runs the program", call, source.Here())
	n.crossed.CompareAndSwap(nil, &err)
	return err
}

// alive returns an error if this rank can declare nothing any more.
func (n *Node) alive(call string) error {
	if err := n.alone(call); err != nil {
		return err
	}
	switch {
	case n.err != nil:
		return n.err
	case n.engine == nil:
		return n.errorf("%s: %w", call, errReturned)
	case n.Err() != nil:
		return n.errorf("%s: %w", call, n.Err())
	}
	return nil
}

// ready returns an error if this rank can make no collective call now.
func (n *Node) ready(call string) error {
	if err := n.alone(call); err != nil {
		return err
	}
	if n.err != nil {
		return n.err
	}
	if n.engine == nil {
		return n.errorf("%s: %w", call, errReturned)
	}
	if n.held != nil {
		return n.errorf("%s while holding %s: release it first; to hold several variables at once, put them into one set", call, n.held)
	}
	return nil
}

// enter begins a call that may wait for other ranks, and whose time belongs to part. set is nil if
// the call takes no set. leave ends the call.
func (n *Node) enter(call rollcall.Call, part Part, set *SyncSet) error {
	if !n.monitor.Enter(call, set.held()) {
		return n.cross(call.String())
	}
	n.waits.begin(part)
	return n.tell(eventCalled, call, set, nil)
}

// leave charges the time of a call to part. latest and err are the result of the engine; if err is
// not nil, later calls return the same error. The rank now holds set, or nothing if set is nil.
func (n *Node) leave(call rollcall.Call, part Part, set *SyncSet, latest syncvar.Latest, err error) error {
	n.waits.entered() // if the engine has failed before
	n.clock.enter(PartCompute)
	n.waits.end(n.clock.since, latest)
	if n.clock.drawn {
		n.clock.waited(part, n.waits.cause, n.waits.until)
	}
	if err != nil {
		n.monitor.Fail()
		n.declared.failed(dimmnet.Rank(n.rank), n.place())
		return n.errorf("%v: %w", call, n.declared.locate(disagreement(err)))
	}
	if crossed := n.crossed.Load(); crossed != nil {
		n.monitor.Fail()
		return n.stick(*crossed)
	}
	n.monitor.Leave(set.held())
	return nil
}
