package locks

import (
	"fmt"
	"sync"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/phase"
	"github.com/fagus-dsm/fagus/syncvar"
)

// spins is how often a waiting rank polls before it lets its port wait: a few microseconds.
const spins = 2000

// Engine is one rank's side of a run. Only the rank's goroutine may call its methods, except
// LastWait.
type Engine struct {
	port     dimmnet.Port
	rank     dimmnet.Rank
	nodes    int
	space    *consistency.Space
	phases   *phase.Engine // takes the rank through the calls in which all ranks meet
	observer syncvar.Observer
	first    syncvar.Version
	spins    int
	wake     dimmnet.Offset // of the word in which stores wake a rank

	private bool                // the ranks have copies of their own, which all can read
	changes []*changes          // by variable; empty with one copy
	news    []consistency.Range // reused
	pieces  []consistency.Piece // reused

	memory  *memory
	common  *common
	entries []*entry // by rank
	own     *entry
	locks   []*lock       // by variable
	known   []declaration // by variable
	copies  []tenure      // by variable
	grants  []dimmnet.Rank
	waiter  waiter
	caller  caller
	poster  poster
	watcher watcher
	counts  Counts

	updates uint64 // the number of Updates up to now
	open    bool   // the rank has made no call since the last Update
	settled uint64 // the number of Updates after which all ranks have made a call

	mu sync.Mutex
	at waiting // guarded by mu
}

// tenure is what a rank knows of its last tenure of a variable. With copies of its own, version is
// the version of its copy.
type tenure struct {
	version syncvar.Version
	updates uint64 // Engine.updates at that time
	had     bool   // the rank has had the variable
}

// Counts holds what an engine has done so far.
type Counts struct {
	Acquired uint64 // variables acquired
	Waited   uint64 // variables for which the rank waited because others held them
	Copied   uint64 // variables with bytes copied from another rank
	Fetched  uint64 // the number of these bytes
}

// Config configures an engine. All but Spin and the observers must be equal on all ranks.
type Config struct {
	// Transfer is as in phase.Config.
	Transfer phase.Transfer
	// Spin says that every rank has a processor to itself. Then a waiting rank polls the lock for a
	// few microseconds before it lets its port wait.
	Spin bool
	// FirstPhase and FirstVersion are the numbers of the first phase and of the versions before
	// any tenure. They are 0 except in tests, which start near the end of a counter.
	FirstPhase   uint64
	FirstVersion syncvar.Version
	// Observer gets the events of the rank's calls. It may be nil.
	Observer syncvar.Observer
	// Charge is as in phase.Config.
	Charge func(w dimmnet.Work, n int)
}

// New returns the engine of a host's rank. space holds the memory that all ranks share, or copies
// that all ranks can read (consistency.Space.SetViews). From now on the caller adds to space only
// within Declare. The host must be a dimmnet.Sharer. New fails if the host has no memory to share,
// or if the rings of so many nodes do not fit the LLCM.
func New(h dimmnet.Host, space *consistency.Space, cfg Config) (*Engine, error) {
	p := h.Port()
	if cfg.Observer == nil {
		cfg.Observer = syncvar.Unobserved{}
	}
	phases, err := phase.New(p, space, phase.Config{
		Observer: cfg.Observer, Transfer: cfg.Transfer, Live: true, Polls: cfg.Spin, Reserved: dimmnet.WordBytes,
		FirstPhase: cfg.FirstPhase, FirstVersion: cfg.FirstVersion, Charge: cfg.Charge,
	})
	if err != nil {
		return nil, err
	}
	e := &Engine{
		port: p, rank: p.Rank(), nodes: p.Nodes(), space: space, phases: phases, observer: cfg.Observer, first: cfg.FirstVersion,
		private: !space.IsOneCopy(),
		wake:    dimmnet.Offset(p.Limits().LLCM-dimmnet.WordBytes) &^ (dimmnet.WordBytes - 1),
	}
	if cfg.Spin {
		e.spins = spins
	}
	e.waiter, e.caller, e.poster = waiter{Port: p, e: e}, caller{Port: p, e: e}, poster{port: p, off: e.wake}
	e.watcher = watcher{Port: p, e: e}
	if e.memory, err = newMemory(h.(dimmnet.Sharer), 1+e.nodes); err != nil {
		return nil, err
	}
	if err := e.place(); err != nil {
		return nil, err
	}
	return e, nil
}

// place allocates the records that come before the locks.
func (e *Engine) place() error {
	p, err := e.memory.record()
	if err != nil {
		return err
	}
	e.common = (*common)(p)
	for range e.nodes {
		if p, err = e.memory.record(); err != nil {
			return err
		}
		e.entries = append(e.entries, (*entry)(p))
	}
	e.own = e.entries[e.rank]
	return nil
}

// Declare calls f, which adds to the space, and makes locks for the variables that f adds.
func (e *Engine) Declare(f func() error) error {
	if err := f(); err != nil {
		return err
	}
	for e.space.Bound(syncvar.ID(len(e.locks))) {
		p, err := e.memory.record()
		if err != nil {
			return err
		}
		count := e.space.Declared()
		e.locks = append(e.locks, (*lock)(p))
		e.known = append(e.known, declaration{count: uint32(count), digest: e.space.Digest(count)})
		e.copies = append(e.copies, tenure{version: e.first})
		if e.private {
			if p, err = e.memory.record(); err != nil {
				return err
			}
			e.changes = append(e.changes, (*changes)(p))
		}
	}
	return nil
}

// Acquire returns when the rank has all variables of both lists, which are strictly increasing and
// disjoint. The rank must hold none of the variables.
func (e *Engine) Acquire(shared, exclusive []syncvar.ID) error {
	if err := e.enter(); err != nil {
		return err
	}
	return e.acquireAll(shared, exclusive)
}

// enter begins an Acquire.
func (e *Engine) enter() error {
	e.observer.Entered()
	// A rank that finds its variables free would not notice a failed port.
	if err := e.port.Err(); err != nil {
		return err
	}
	return e.called()
}

func (e *Engine) acquireAll(shared, exclusive []syncvar.ID) error {
	if len(exclusive) > 0 && e.settled != e.updates {
		if err := e.awaitCalls(); err != nil {
			return err
		}
	}
	alone := len(shared)+len(exclusive) == 1
	for len(shared)+len(exclusive) > 0 {
		id, access := syncvar.ID(0), syncvar.Shared
		if len(exclusive) == 0 || len(shared) > 0 && shared[0] < exclusive[0] {
			id, shared = shared[0], shared[1:]
		} else {
			id, exclusive, access = exclusive[0], exclusive[1:], syncvar.Exclusive
		}
		if err := e.acquire(id, access, alone); err != nil {
			return err
		}
	}
	return nil
}

// Version returns the version of a variable that the rank holds or last held, or that the last
// Update brought. During an exclusive tenure it returns the version that the tenure makes.
func (e *Engine) Version(id syncvar.ID) syncvar.Version {
	if t := e.copies[id]; e.private || t.updates == e.updates {
		return t.version
	}
	return e.locks[id].version(e.first)
}

// Owns reports whether this rank was the last to acquire a variable exclusively. If no rank was,
// it is true at rank 0. No rank may be in an exclusive Acquire.
func (e *Engine) Owns(id syncvar.ID) bool {
	return syncvar.HintOf(e.locks[id].hint).Owner == e.rank
}

// Release ends the tenures of both lists. It waits for no other rank. written lists the exclusive
// variables that the rank changed. It wakes the ranks that wait for a change of them.
func (e *Engine) Release(shared, exclusive, written []syncvar.ID) error {
	if e.private {
		for _, id := range written {
			e.change(id)
		}
	}
	for _, id := range shared {
		if err := e.release(id); err != nil {
			return err
		}
	}
	for _, id := range exclusive {
		if len(written) > 0 && e.watched(id) {
			if err := e.releaseChanged(id, written); err != nil {
				return err
			}
		} else if err := e.release(id); err != nil {
			return err
		}
	}
	return nil
}

// Meet returns when all ranks have made the same call. It takes one phase in which all take part.
// After an Update, the rank's copies of all variables that it has had are current.
func (e *Engine) Meet(call syncvar.Call, word uint64) error {
	if err := e.called(); err != nil {
		return err
	}
	if err := e.phases.Meet(call, word); err != nil {
		return err
	}
	if call == syncvar.Update && e.nodes > 1 {
		e.updates++
		e.open = true
		if e.private {
			return e.fetchAll()
		}
	}
	return nil
}

// Words returns the words of all ranks in the last Reduce, by rank.
func (e *Engine) Words() []uint64 { return e.phases.Words() }

// Latest returns the rank for which the last Meet waited longest.
func (e *Engine) Latest() syncvar.Latest { return e.phases.Latest() }

// Counts returns what the engine has done so far.
func (e *Engine) Counts() Counts { return e.counts }

// failed returns the error of a lock.
func (e *Engine) failed(doing string, id syncvar.ID, err error) error {
	return fmt.Errorf("locks: %s %q: %w", doing, e.space.Name(id), err)
}
