package threaded

import (
	"fmt"
	"slices"
	"sync"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

const (
	// outRoom is how many messages may wait to be sent before the user thread waits.
	outRoom = 64
	// window is how many requests of a rank may be open at a time.
	window = 16
)

// Engine is one rank's part in a run. Its methods belong to the user thread. That
// thread alone adds to the space, and the variables of its exclusive tenures are its
// own: there it reads and writes them without the lock.
type Engine struct {
	rank    dimmnet.Rank
	nodes   int
	layout  ringbuf.Layout
	stop    dimmnet.Offset // of the word that ends the receive thread
	most    int            // messages that can wait to be sent if all ranks keep the rules
	events  [threads]dimmnet.Event
	notices bool // every slot is announced, and the receive thread sleeps until then

	mu       sync.Mutex // of all below
	due      [threads]bool
	space    *consistency.Space
	out      []outgoing
	in       []incoming
	wanted   map[syncvar.ID]*want           // open requests
	streams  []*consistency.Stream          // by rank: what is arriving from it
	versions map[syncvar.ID]syncvar.Version // of the exclusive tenures
	had      map[syncvar.ID]struct{}        // acquired before: what Update refreshes
	managed  map[syncvar.ID]*syncvar.Queue  // by this rank
	meeting  []message                      // at rank 0, by rank: how it has arrived
	agreed   []uint32                       // at rank 0, by rank: so many declarations are known to be the same
	waits    syncvar.Call                   // the call in which this rank waits for all
	ended    bool                           // all ranks have ended
	closed   bool                           // the program's memory is gone
	running  int                            // helper threads
	counters [threads]dimmnet.Counters      // of the helper threads' ports
	counts   Counts
}

// want is an open request of this rank.
type want struct {
	mode    syncvar.Mode
	version syncvar.Version
	from    int // the rank whose data are arriving, or -1
}

// Counts says what an engine has done so far.
type Counts struct {
	Requests  uint64 // acquires of a variable
	Refreshes uint64 // requests of Updates
	Transfers uint64 // of a variable to a peer
	Slots     uint64 // of data sent: pieces of variables
}

// New returns the engine of a host's rank and starts its helper threads. space
// holds the rank's memory; from now on the caller changes it within Declare alone.
// With notices every slot is announced by Host.Notify, and the receive thread sleeps
// until then instead of polling; all ranks must be the same in this.
// An error says that the nodes do not fit the port.
func New(h dimmnet.Host, space *consistency.Space, notices bool) (*Engine, error) {
	p := h.Port()
	e, err := newEngine(p.Rank(), p.Nodes(), p.Limits(), space, notices)
	if err != nil {
		return nil, err
	}
	for t := range e.events {
		e.events[t] = h.NewEvent()
	}
	if e.nodes > 1 { // else all is said to the rank itself
		e.running = int(threads - send) // before one of them may end
		e.start(h, send, "send", e.send)
		e.start(h, receive, "receive", e.receive)
		e.start(h, process, "process", e.process)
	}
	return e, nil
}

// newEngine returns an engine without threads.
func newEngine(rank dimmnet.Rank, nodes int, limits dimmnet.Limits, space *consistency.Space, notices bool) (*Engine, error) {
	limits.LLCM = limits.LLCM&^(dimmnet.WordBytes-1) - dimmnet.WordBytes
	layout, err := ringbuf.NewLayout(limits, nodes)
	if err != nil {
		return nil, fmt.Errorf("threaded: %w", err)
	}
	return &Engine{
		rank:     rank,
		nodes:    nodes,
		layout:   layout,
		stop:     dimmnet.Offset(limits.LLCM),
		most:     outRoom + nodes*(window+1),
		space:    space,
		notices:  notices,
		wanted:   make(map[syncvar.ID]*want),
		streams:  make([]*consistency.Stream, nodes),
		versions: make(map[syncvar.ID]syncvar.Version),
		had:      make(map[syncvar.ID]struct{}),
		managed:  make(map[syncvar.ID]*syncvar.Queue),
		meeting:  make([]message, nodes),
		agreed:   make([]uint32, nodes),
	}, nil
}

// Declare runs f, which adds to the space, while no helper thread looks at it.
func (e *Engine) Declare(f func() error) error {
	e.mu.Lock()
	defer e.unlock()
	return f()
}

// Acquire waits until all variables are granted in their modes and their data are
// here. Both sets are strictly increasing and have nothing in common, and the rank
// holds none of them.
func (e *Engine) Acquire(shared, exclusive []syncvar.ID) error {
	for len(shared)+len(exclusive) > 0 {
		id, mode := syncvar.ID(0), syncvar.Shared
		if len(exclusive) == 0 || len(shared) > 0 && shared[0] < exclusive[0] {
			id, shared = shared[0], shared[1:]
		} else {
			id, exclusive, mode = exclusive[0], exclusive[1:], syncvar.Exclusive
		}
		if err := e.ask(message{op: request, id: id, mode: mode}); err != nil {
			return err
		}
		if err := e.await(user, func() bool { return e.wanted[id] == nil }); err != nil {
			return e.waiting(id, err)
		}
	}
	return nil
}

// ask sends a request when there is room for it.
func (e *Engine) ask(m message) error {
	var failed error
	err := e.await(user, func() bool {
		if len(e.out) >= outRoom || len(e.wanted) >= window {
			return false
		}
		e.had[m.id] = struct{}{}
		e.wanted[m.id] = &want{mode: m.mode, from: -1}
		if m.op == request {
			e.counts.Requests++
		} else {
			e.counts.Refreshes++
		}
		failed = e.queue(e.manager(m.id), m, nil)
		return true
	})
	if err != nil {
		return e.waiting(m.id, err)
	}
	return e.own(failed)
}

// own is an error in what this rank has said to itself.
func (e *Engine) own(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("threaded: %w", err)
}

// waiting says what a rank was waiting for when its port failed.
func (e *Engine) waiting(id syncvar.ID, err error) error {
	return fmt.Errorf("threaded: waiting for %q, which rank %d manages: %w", e.space.Name(id), e.manager(id), err)
}

// Version is that of an exclusive tenure which the rank holds.
func (e *Engine) Version(id syncvar.ID) syncvar.Version {
	e.mu.Lock()
	defer e.unlock()
	return e.versions[id]
}

// Release ends the tenures of both sets and tells the managers, without waiting for
// an answer. written are the exclusive ones in which something was changed.
func (e *Engine) Release(shared, exclusive, written []syncvar.ID) error {
	for _, ids := range [][]syncvar.ID{shared, exclusive} {
		for _, id := range ids {
			_, changed := slices.BinarySearch(written, id)
			var failed error
			err := e.await(user, func() bool {
				if len(e.out) >= outRoom {
					return false
				}
				delete(e.versions, id)
				failed = e.queue(e.manager(id), message{op: release, id: id, flag: changed}, nil)
				return true
			})
			if err != nil {
				return fmt.Errorf("threaded: telling rank %d that %q is free: %w", e.manager(id), e.space.Name(id), err)
			}
			if failed != nil {
				return e.own(failed)
			}
		}
	}
	return nil
}

// Meet waits until all ranks are in the same call, Update, Barrier or End. Update
// brings what is newer of all variables that this rank has acquired before; End
// returns when the helper threads have.
func (e *Engine) Meet(call syncvar.Call) error {
	if err := e.meet(call); err != nil {
		return err
	}
	switch call {
	case syncvar.Update:
		if err := e.refresh(); err != nil {
			return err
		}
		return e.meet(call)
	case syncvar.End:
		return e.await(user, func() bool { return e.running == 0 })
	}
	return nil
}

// refresh sends one request for every variable in the rank's copy, and waits for
// the answers.
func (e *Engine) refresh() error {
	ids := make([]syncvar.ID, 0, len(e.had))
	for id := range e.had { // only the user thread changes it
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		if err := e.ask(message{op: refresh, id: id}); err != nil {
			return err
		}
	}
	if err := e.await(user, func() bool { return len(e.wanted) == 0 }); err != nil {
		return fmt.Errorf("threaded: waiting for what is newer: %w", err)
	}
	return nil
}

// meet waits until all ranks have come so far.
func (e *Engine) meet(call syncvar.Call) error {
	var failed error
	err := e.await(user, func() bool {
		if len(e.out) >= outRoom {
			return false
		}
		e.waits = call
		declared := e.space.Declared()
		m := message{op: arrive, call: call, declared: uint32(declared), digest: e.space.Digest(declared)}
		failed = e.queue(0, m, nil)
		return true
	})
	if err == nil && failed == nil {
		err = e.await(user, func() bool { return e.waits == 0 })
	}
	if err != nil {
		return fmt.Errorf("threaded: waiting for all ranks to come to the same point: %w", err)
	}
	return e.own(failed)
}

// Counts says what the engine has done so far.
func (e *Engine) Counts() Counts {
	e.mu.Lock()
	defer e.unlock()
	return e.counts
}

// Counters says what the ports of the helper threads have done, as far as is known.
func (e *Engine) Counters() (c dimmnet.Counters) {
	e.mu.Lock()
	defer e.unlock()
	for _, d := range e.counters {
		c = c.Plus(d)
	}
	return c
}

// Close says that the program's memory goes away: the helper threads leave it
// alone from now on.
func (e *Engine) Close() {
	e.mu.Lock()
	defer e.unlock()
	e.closed = true
	e.wake(process)
}
