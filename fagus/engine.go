package fagus

import (
	"fmt"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/threaded"
	"github.com/fagus-dsm/fagus/phase"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Engine says which version of Fagus runs a program.
type Engine uint8

// The engines.
const (
	// Phase has no helper threads (D1-Fagus2): Acquire, Update, Barrier and Reduce
	// are communication phases in which all ranks take part, and Release says nothing.
	Phase Engine = iota
	// Threaded has three helper threads a node (D1-Fagus): a rank acquires and
	// releases by itself, and who asked first for a variable is served first.
	Threaded
)

// String is the name as a flag has it.
func (e Engine) String() string {
	switch e {
	case Phase:
		return "phase"
	case Threaded:
		return "threaded"
	}
	return fmt.Sprintf("engine %d", uint8(e))
}

// engine is what a Node wants of the version of Fagus that it runs on. IDs are
// strictly increasing.
type engine interface {
	// Declare runs f, which adds to the space.
	Declare(f func() error) error
	Acquire(shared, exclusive []syncvar.ID) error
	// Version is that of an exclusive tenure, which the rank holds.
	Version(id syncvar.ID) syncvar.Version
	// Release gives back what was acquired; written are the exclusive ones that were
	// changed.
	Release(shared, exclusive, written []syncvar.ID) error
	// Meet waits until all ranks are in the same call, and does what it is for. Reduce
	// gives word to all ranks; of other calls that is 0.
	Meet(call syncvar.Call, word uint64) error
	// Words are what all ranks have given in the last call, a Reduce, by rank. They are
	// the engine's, until the next call.
	Words() []uint64
	// Counters says what the threads of this node have done, the user's included.
	Counters() dimmnet.Counters
	// counts fills in what the engine has counted.
	counts(s *Stats)
	// LastWait says what the rank waits for, or did when it last found nothing to do. It
	// may be called by any goroutine, while the rank is in a call.
	LastWait() syncvar.Wait
	// Close says that the memory behind the space goes away.
	Close()
}

// newEngine returns the engine that cfg names, for the rank of h; views says that it can
// read the arrays of all others.
func newEngine(h dimmnet.Host, space *consistency.Space, cfg Config, views bool) (engine, error) {
	if cfg.Mode == Threaded {
		e, err := threaded.New(h, space, cfg.Notices)
		return &threadedEngine{e, h.Port()}, err
	}
	e, err := phase.New(h.Port(), space, phase.Config{Transfer: cfg.Transfer, Words: cfg.Net.Clock() == dimmnet.Wall, Views: views, Help: views && h.(dimmnet.Viewer).Spare()})
	return &phaseEngine{Engine: e, port: h.Port()}, err
}

// threadedEngine is the engine of the multithreaded versions.
type threadedEngine struct {
	*threaded.Engine
	port dimmnet.Port
}

// Counters adds what the user thread has done, which is nothing so far.
func (e *threadedEngine) Counters() dimmnet.Counters {
	return e.Engine.Counters().Plus(e.port.Counters())
}

func (e *threadedEngine) counts(s *Stats) {
	c := e.Counts()
	s.Requests = c.Requests + c.Refreshes
	s.Transfers, s.Slots = c.Transfers, c.Slots
}

// phaseEngine is the engine of D1-Fagus2.
type phaseEngine struct {
	*phase.Engine
	port  dimmnet.Port
	clean []syncvar.ID // exclusive in the last tenure, and left unchanged
}

// Declare runs f: there is no other thread.
func (e *phaseEngine) Declare(f func() error) error { return f() }

// Acquire goes through phases until both sets are granted.
func (e *phaseEngine) Acquire(shared, exclusive []syncvar.ID) error {
	return e.call(syncvar.List{Call: syncvar.Acquire, Shared: shared, Exclusive: exclusive})
}

// Meet goes through phases until all ranks are in the same call.
func (e *phaseEngine) Meet(call syncvar.Call, word uint64) error {
	return e.call(syncvar.List{Call: call, Word: word})
}

// call says along with a call what the last tenure left unchanged.
func (e *phaseEngine) call(l syncvar.List) error {
	l.Clean = e.clean
	if err := e.Call(l); err != nil {
		return err
	}
	e.clean = e.clean[:0]
	return nil
}

// Version is the one that the last phase has given.
func (e *phaseEngine) Version(id syncvar.ID) syncvar.Version { return e.Table().State(id).Version }

// Release communicates nothing: the next call says what was left unchanged.
func (e *phaseEngine) Release(_, exclusive, written []syncvar.ID) error {
	for _, id := range exclusive {
		if len(written) > 0 && written[0] == id {
			written = written[1:]
		} else {
			e.clean = append(e.clean, id)
		}
	}
	return nil
}

// Counters says what the port has done.
func (e *phaseEngine) Counters() dimmnet.Counters { return e.port.Counters() }

func (e *phaseEngine) counts(s *Stats) { s.Counts = e.Counts() }

// Close does nothing: no other thread uses the memory.
func (e *phaseEngine) Close() {}
