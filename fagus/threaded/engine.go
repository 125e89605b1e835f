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
	port    dimmnet.Port // of the user thread
	rank    dimmnet.Rank
	nodes   int
	layout  ringbuf.Layout
	hints   table
	stop    dimmnet.Offset // of the word that ends the receive thread
	most    int            // messages that can wait to be sent if all ranks keep the rules
	events  [threads]dimmnet.Event
	notices bool // every slot is announced, and the receive thread sleeps until then

	mu       sync.Mutex // of all below
	due      [threads]bool
	space    *consistency.Space
	out      []outgoing
	in       []incoming
	sites    map[syncvar.ID]*syncvar.Site
	wanted   map[syncvar.ID]*want      // open requests
	streams  []*consistency.Stream     // by rank: what is arriving from it
	had      map[syncvar.ID]struct{}   // acquired before: what Update refreshes
	meeting  []message                 // at rank 0, by rank: how it has arrived
	agreed   []uint32                  // by rank: so many declarations are known to be the same
	waits    syncvar.Call              // the call in which this rank waits for all
	words    []uint64                  // by rank, those of the last Reduce that have come
	ended    bool                      // all ranks have ended
	closed   bool                      // the program's memory is gone
	running  int                       // helper threads
	counters [threads]dimmnet.Counters // of the helper threads' ports
	counts   Counts
}

// want is an open request of this rank.
type want struct {
	mode syncvar.Mode
	from int // the rank whose data are arriving, or -1
}

// Counts says what an engine has done so far.
type Counts struct {
	Requests  uint64 // acquires of a variable that another rank owned
	Refreshes uint64 // of an Update
	Transfers uint64 // of a variable to a peer
	Slots     uint64 // of data sent: pieces of variables
}

// New returns the engine of a host's rank and starts its helper threads. space
// holds the rank's memory; from now on the caller changes it within Declare alone.
// With notices every slot is announced by Host.Notify, and the receive thread sleeps
// until then instead of polling; all ranks must be the same in this.
// An error says that the nodes do not fit the port.
func New(h dimmnet.Host, space *consistency.Space, notices bool) (*Engine, error) {
	e, err := newEngine(h.Port(), space, notices)
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

// newEngine returns an engine without threads. The LLCM holds the rings, then the
// table of hints, then the stop word.
func newEngine(p dimmnet.Port, space *consistency.Space, notices bool) (*Engine, error) {
	limits, nodes := p.Limits(), p.Nodes()
	stop := limits.LLCM&^(dimmnet.WordBytes-1) - dimmnet.WordBytes
	hints := newTable(max(0, stop))
	limits.LLCM = int(hints.at)
	layout, err := ringbuf.NewLayout(limits, nodes)
	if err != nil {
		return nil, fmt.Errorf("threaded: %w", err)
	}
	return &Engine{
		port:    p,
		rank:    p.Rank(),
		nodes:   nodes,
		layout:  layout,
		hints:   hints,
		stop:    dimmnet.Offset(stop),
		most:    outRoom + nodes*(window+1),
		space:   space,
		notices: notices,
		sites:   make(map[syncvar.ID]*syncvar.Site),
		wanted:  make(map[syncvar.ID]*want),
		streams: make([]*consistency.Stream, nodes),
		had:     make(map[syncvar.ID]struct{}),
		meeting: make([]message, nodes),
		agreed:  make([]uint32, nodes),
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
	if err := e.port.Err(); err != nil { // which who owns all that it wants would not see
		return err
	}
	for len(shared)+len(exclusive) > 0 {
		id, mode := syncvar.ID(0), syncvar.Shared
		if len(exclusive) == 0 || len(shared) > 0 && shared[0] < exclusive[0] {
			id, shared = shared[0], shared[1:]
		} else {
			id, exclusive, mode = exclusive[0], exclusive[1:], syncvar.Exclusive
		}
		if err := e.ask(id, syncvar.Want{Mode: mode}); err != nil {
			return err
		}
		if err := e.await(user, func() bool { return e.wanted[id] == nil }); err != nil {
			return e.waiting(id, err)
		}
	}
	return nil
}

// ask makes a request when there is room for it.
func (e *Engine) ask(id syncvar.ID, w syncvar.Want) error {
	told := e.hints.load(e.port, id)
	var failed error
	err := e.await(user, func() bool {
		if len(e.out) >= outRoom || len(e.wanted) >= window {
			return false
		}
		s := e.site(id)
		if int(told.Owner) < e.nodes {
			s.Learn(told)
		}
		if !s.Owns() {
			e.count(w)
		}
		e.had[id] = struct{}{}
		e.wanted[id] = &want{mode: w.Mode, from: -1}
		turns, err := s.Ask(w)
		failed = e.follow(id, turns, err)
		return true
	})
	if err != nil {
		return e.waiting(id, err)
	}
	return e.own(failed)
}

// count counts a request that is sent.
func (e *Engine) count(w syncvar.Want) {
	if w.Brief {
		e.counts.Refreshes++
	} else {
		e.counts.Requests++
	}
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
	e.mu.Lock()
	owner := e.site(id).Hint().Owner
	e.mu.Unlock()
	return fmt.Errorf("threaded: waiting for %q, of which rank %d was known to be the owner: %w", e.space.Name(id), owner, err)
}

// Version is that of an exclusive tenure which the rank holds.
func (e *Engine) Version(id syncvar.ID) syncvar.Version {
	e.mu.Lock()
	defer e.unlock()
	return e.site(id).Have()
}

// Release ends the tenures of both sets, without waiting for an answer. written are
// the exclusive ones in which something was changed. It tells the owners of the
// shared ones, and all ranks of what this rank has come to own.
func (e *Engine) Release(shared, exclusive, written []syncvar.ID) error {
	for _, ids := range [][]syncvar.ID{shared, exclusive} {
		for _, id := range ids {
			_, changed := slices.BinarySearch(written, id)
			if err := e.release(id, changed); err != nil {
				return fmt.Errorf("threaded: telling others that %q is free: %w", e.space.Name(id), err)
			}
		}
	}
	return nil
}

func (e *Engine) release(id syncvar.ID, changed bool) error {
	var failed error
	var h syncvar.Hint
	var news bool
	err := e.await(user, func() bool {
		if len(e.out) >= outRoom {
			return false
		}
		s := e.site(id)
		if s.Owns() {
			turns, err := s.Release(e.rank, changed)
			failed = e.follow(id, turns, err)
			h, news = s.News()
		} else {
			failed = e.queue(outgoing{to: s.Lender(), m: message{op: release, id: id}})
		}
		return true
	})
	if err == nil && failed == nil && news {
		err = e.hints.tell(e.port, id, h)
	}
	if err != nil {
		return err
	}
	return e.own(failed)
}

// Meet waits until all ranks are in the same call, which is not Acquire. Update
// brings what is newer of all variables that this rank has acquired before; End
// returns when the helper threads have; Reduce gives word to all ranks, else that is 0.
func (e *Engine) Meet(call syncvar.Call, word uint64) error {
	if err := e.meet(call, word); err != nil {
		return err
	}
	switch call {
	case syncvar.Update:
		if err := e.refresh(); err != nil {
			return err
		}
		return e.meet(call, 0)
	case syncvar.End:
		return e.await(user, func() bool { return e.running == 0 })
	}
	return nil
}

// Words are what all ranks have given in the last Reduce, by rank. They rest until the
// next Meet.
func (e *Engine) Words() []uint64 {
	e.mu.Lock()
	defer e.unlock()
	return e.words
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
		if err := e.ask(id, syncvar.Want{Mode: syncvar.Shared, Brief: true}); err != nil {
			return err
		}
	}
	if err := e.await(user, func() bool { return len(e.wanted) == 0 }); err != nil {
		return fmt.Errorf("threaded: waiting for what is newer: %w", err)
	}
	return nil
}

// meet waits until all ranks have come so far.
func (e *Engine) meet(call syncvar.Call, word uint64) error {
	var failed error
	err := e.await(user, func() bool {
		if len(e.out) >= outRoom {
			return false
		}
		e.waits, e.words = call, nil
		m := message{op: arrive, call: call, word: word}
		e.declare(&m)
		failed = e.queue(outgoing{to: 0, m: m})
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
