package fagus

import (
	"runtime"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/locks"
	"github.com/fagus-dsm/fagus/fagus/replay"
	"github.com/fagus-dsm/fagus/fagus/threaded"
	"github.com/fagus-dsm/fagus/phase"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Mode selects the engine, a version of Fagus that runs a program (docs/lab/papers.md, Fagus).
type Mode uint8

// The modes.
const (
	// Phase has no helper threads (D1-Fagus2): Acquire, Update, Barrier and Reduce are
	// communication phases in which all ranks take part, and Release sends nothing.
	Phase Mode = iota
	// Threaded lets ranks acquire and release independently. Each variable is granted in the order
	// of the requests for it. Where ranks share memory, a variable is a lock in it. Elsewhere a
	// helper thread on each node serves the requests of the others; in the simulator, and with
	// Config.Helpers, there are three of them (D1-Fagus).
	Threaded
)

// String returns the mode as flags spell it: "phase" or "threaded".
func (m Mode) String() string { return nameOf(m, "mode", "phase", "threaded") }

// engine executes the calls of a Node in one mode. Every list of IDs is strictly increasing. Every
// Acquire, Meet and Fence calls Entered of the observer before it waits.
type engine interface {
	// Declare runs f, which adds arrays or variables, while no other thread uses the space.
	Declare(f func() error) error
	// Acquire returns when all variables of both lists are granted and their data are current.
	// latest is of its last phase.
	Acquire(shared, exclusive []syncvar.ID) (latest syncvar.Latest, err error)
	// Await says that the rank, which holds a variable, releases it unchanged next, and then waits
	// for a change of it by AcquireChanged.
	Await(id syncvar.ID)
	// AcquireChanged is Acquire after another rank has changed the variable of Await, or may have.
	// eager says that it may return when it is not known yet whether a tenure has changed it.
	AcquireChanged(shared, exclusive []syncvar.ID, eager bool) (latest syncvar.Latest, err error)
	// Version returns the version of a variable that the rank holds, or last held.
	Version(id syncvar.ID) syncvar.Version
	// Owns reports whether this rank has the newest version of a variable, and grants it. Exactly
	// one rank does when all ranks have met and none has begun a tenure since.
	Owns(id syncvar.ID) bool
	// Release ends the tenures that Acquire began. written lists the exclusive variables whose
	// data the rank has changed.
	Release(shared, exclusive, written []syncvar.ID) error
	// Meet returns when all ranks have made the same call and its effect is complete. word is this
	// rank's number in a Reduce, and 0 in other calls.
	Meet(call syncvar.Call, word uint64) (latest syncvar.Latest, err error)
	// Fence orders all calls of all ranks before it before all calls of all ranks after it.
	Fence() (latest syncvar.Latest, err error)
	// Words returns the words of all ranks in the last Reduce, by rank. The slice is valid until
	// the next call of the engine.
	Words() []uint64
	// Counters returns the port operations of all threads of this node, including the user thread.
	Counters() dimmnet.Counters
	// counts sets the fields of s that the engine counts.
	counts(s *Stats)
	// LastWait describes the rank's current or most recent wait for other ranks. Any goroutine may
	// call it while the rank is in a call.
	LastWait() syncvar.Wait
	// Close ends all accesses of the engine to the memory of arrays.
	Close()
}

// newEngine returns the engine of the rank. In a replay it is one that has the record.
func (n *Node) newEngine(cfg Config) (engine, error) {
	if cfg.replay == nil {
		return newEngine(n.host, n.space, cfg, n.views, n.work, engineEvents{n})
	}
	e := cfg.replay.Engine(n.space, engineEvents{n})
	n.replays, n.outside = true, relayed{e, n.outside}
	return &replayEngine{e}, nil
}

// newEngine returns the engine for cfg, which emits its events to o. views is true if ranks read
// other ranks' arrays directly.
func newEngine(h dimmnet.Host, space *consistency.Space, cfg Config, views bool, work *hostWork, o syncvar.Observer) (engine, error) {
	if cfg.Mode == Threaded && (space.IsOneCopy() || views) && !cfg.helpers() {
		e, err := locks.New(h, space, locks.Config{
			Transfer: cfg.Transfer, Spin: ownProcessor(h),
			FirstPhase: cfg.first.phase, FirstVersion: cfg.first.version, Observer: o, Charge: work.charge,
		})
		return &lockEngine{e, h.Port()}, err
	}
	if cfg.Mode == Threaded {
		e, err := threaded.New(h, space, threaded.Config{
			Notices: cfg.Notices, Direct: cfg.Direct, Trees: cfg.trees(h.Port().Nodes()), OneHelper: cfg.Net.Clock() == dimmnet.Wall && !cfg.helpers(),
			FirstVersion: cfg.first.version, Observer: o,
		})
		return &threadedEngine{e, h.Port()}, err
	}
	e, err := phase.New(h.Port(), space, phase.Config{
		Transfer: cfg.Transfer,
		Lists:    cfg.Lists,
		Live:     cfg.Net.Clock() == dimmnet.Wall,
		Views:    views,
		Polls:    isProcess(h) && ownProcessor(h),
		Whole:    phase.WholeBytes,
		Help:     views && ownProcessor(h),

		FirstPhase:   cfg.first.phase,
		FirstVersion: cfg.first.version,

		Replica: cfg.replica,

		Observer: o,
		Charge:   work.charge,
	})
	work.repeats = e.Repeats
	return &phaseEngine{e, h.Port()}, err
}

// trees reports whether the helper threads of so many nodes use trees. With 6 ranks over tcp on 2
// processors, trees are slower: the ranks share the processors that pass the data on.
func (c *Config) trees(nodes int) bool {
	return c.Lists == ListsTree || c.Lists == ListsAuto && !c.Direct && c.Net.Clock() == dimmnet.Virtual && nodes > threaded.FlatNodes
}

// helpers reports whether Threaded mode has helper threads even where ranks share one copy.
func (c *Config) helpers() bool { return c.Helpers || c.Notices || c.Direct }

// ownProcessor reports whether every rank has a processor to itself, as far as known.
func ownProcessor(h dimmnet.Host) bool {
	if v, ok := h.(dimmnet.Viewer); ok {
		return v.OwnProcessor()
	}
	return h.Port().Nodes() <= runtime.GOMAXPROCS(0)
}

type replayEngine struct{ *replay.Engine }

func (replayEngine) counts(*Stats) {}

// Await does nothing: the record has what the next Acquire sees.
func (replayEngine) Await(syncvar.ID) {}

// AcquireChanged does not wait.
func (e *replayEngine) AcquireChanged(shared, exclusive []syncvar.ID, _ bool) (syncvar.Latest, error) {
	return e.Acquire(shared, exclusive)
}

type lockEngine struct {
	*locks.Engine
	port dimmnet.Port
}

// Acquire acquires by locks: without a phase.
func (e *lockEngine) Acquire(shared, exclusive []syncvar.ID) (syncvar.Latest, error) {
	return syncvar.Latest{}, e.Engine.Acquire(shared, exclusive)
}

// AcquireChanged waits until a rank releases the variable as changed.
func (e *lockEngine) AcquireChanged(shared, exclusive []syncvar.ID, _ bool) (syncvar.Latest, error) {
	return syncvar.Latest{}, e.Engine.AcquireChanged(shared, exclusive)
}

// Meet meets in phases.
func (e *lockEngine) Meet(call syncvar.Call, word uint64) (syncvar.Latest, error) {
	err := e.Engine.Meet(call, word)
	return e.Latest(), err
}

// Counters returns the counters of the port, which only the user thread uses.
func (e *lockEngine) Counters() dimmnet.Counters { return e.port.Counters() }

// Fence is a Barrier: an Acquire does not wait for ranks that have not called it.
func (e *lockEngine) Fence() (syncvar.Latest, error) { return e.Meet(syncvar.Fence, 0) }
func (e *lockEngine) counts(s *Stats) {
	c := e.Counts()
	s.Locks, s.LockWaits = c.Acquired, c.Waited
	s.Transfers, s.Fetched = c.Copied, c.Fetched
}

// Close does nothing: no other thread uses the memory.
func (e *lockEngine) Close() {}

type threadedEngine struct {
	*threaded.Engine
	port dimmnet.Port
}

// Acquire acquires by the helper threads.
func (e *threadedEngine) Acquire(shared, exclusive []syncvar.ID) (syncvar.Latest, error) {
	return syncvar.Latest{}, e.Engine.Acquire(shared, exclusive)
}

// AcquireChanged waits at the owner.
func (e *threadedEngine) AcquireChanged(shared, exclusive []syncvar.ID, _ bool) (syncvar.Latest, error) {
	return syncvar.Latest{}, e.Engine.AcquireChanged(shared, exclusive)
}

// Meet meets by the helper threads, which tell who came last.
func (e *threadedEngine) Meet(call syncvar.Call, word uint64) (syncvar.Latest, error) {
	return syncvar.Latest{}, e.Engine.Meet(call, word)
}

// Counters adds what the user thread's port and the helper threads have counted.
func (e *threadedEngine) Counters() dimmnet.Counters {
	return e.Engine.Counters().Plus(e.port.Counters())
}

// Fence is a Barrier.
func (e *threadedEngine) Fence() (syncvar.Latest, error) { return e.Meet(syncvar.Fence, 0) }

func (e *threadedEngine) counts(s *Stats) {
	c := e.Counts()
	s.Requests = c.Requests + c.Refreshes
	s.Takes, s.Transfers, s.Passed, s.Slots = c.Takes, c.Transfers, c.Passed, c.Slots
}

type phaseEngine struct {
	*phase.Engine
	port dimmnet.Port
}

// Acquire acquires in phases.
func (e *phaseEngine) Acquire(shared, exclusive []syncvar.ID) (syncvar.Latest, error) {
	err := e.Engine.Acquire(shared, exclusive)
	return e.Latest(), err
}

// AcquireChanged takes part in phases until the variable has changed.
func (e *phaseEngine) AcquireChanged(shared, exclusive []syncvar.ID, eager bool) (syncvar.Latest, error) {
	err := e.Engine.AcquireChanged(shared, exclusive, eager)
	return e.Latest(), err
}

// Meet meets in phases.
func (e *phaseEngine) Meet(call syncvar.Call, word uint64) (syncvar.Latest, error) {
	err := e.Engine.Meet(call, word)
	return e.Latest(), err
}

// Declare runs f directly: there is no other thread.
func (e *phaseEngine) Declare(f func() error) error { return f() }

// Release says nothing of variables that were read.
func (e *phaseEngine) Release(_, exclusive, written []syncvar.ID) error {
	e.Engine.Release(exclusive, written)
	return nil
}

// Owns reports whether the last tenure of a variable was this rank's.
func (e *phaseEngine) Owns(id syncvar.ID) bool { return e.Table().State(id).Owner == e.port.Rank() }

// Counters returns the counters of the port, which only the user thread uses.
func (e *phaseEngine) Counters() dimmnet.Counters { return e.port.Counters() }
func (e *phaseEngine) counts(s *Stats)            { s.Counts = e.Counts() }

// Close does nothing: no other thread uses the memory.
func (e *phaseEngine) Close() {}
