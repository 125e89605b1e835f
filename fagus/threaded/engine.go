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
	outLimit = 64 // the user thread waits while the out queue has so many messages
	window   = 16 // the most open requests of a rank
)

// FlatNodes is the number of nodes up to which Config.Trees gains little. With 4 simulated nodes
// (fagus run PROGRAM --mode threaded --nodes 4 --lists all and --lists tree) lu takes 114 and 97
// ms, matmul 11.42 and 11.40 s; with 8 nodes lu takes 182 and 93 ms.
const FlatNodes = 4

// Engine is one rank's side of a run. Only the user thread may call its methods, except LastWait.
// Only the user thread adds to the space. During an exclusive tenure, the user thread reads and
// writes the variable without the lock.
type Engine struct {
	port   dimmnet.Port // of the user thread
	rank   dimmnet.Rank
	nodes  int
	layout ringbuf.Layout
	hints  table
	direct direct
	stop   dimmnet.Offset // of the word that ends the receive thread
	most   int            // the longest out queue possible if all ranks follow the protocol
	events [threads]dimmnet.Event
	cfg    Config
	helper *helper    // the only helper thread; nil if there are three, or none
	change syncvar.ID // of Await

	mu      sync.Mutex    // guards everything below
	due     [threads]bool // the threads that unlock will wake
	space   *consistency.Space
	out     []outgoing
	in      []incoming
	sites   map[syncvar.ID]*syncvar.Site
	gates   gates
	serving uint64               // 1 + the ID of the variable whose request is handled, or 0
	wanted  map[syncvar.ID]*want // open requests of this rank
	// readers is about the variables that this rank owns.
	readers map[syncvar.ID]*syncvar.Readers
	flowing int                     // messages with data that are queued or under way
	had     map[syncvar.ID]struct{} // variables acquired so far, which Update refreshes
	meeting meeting
	agreed  []uint32 // by rank: how many declarations are known to equal this rank's
	delayed bool     // the last grant to this rank was delayed, by delayer
	delayer dimmnet.Rank
	sending int  // lanes with messages under way, with trees; else 0
	closed  bool // the program's memory must no longer be used
	helpers helpers
	counts  Counts
}

// helpers are the helper threads.
type helpers struct {
	running  int                       // threads that have not returned
	counters [threads]dimmnet.Counters // of the helper threads' ports
}

type want struct {
	access syncvar.Access
	waits  bool // for a change
	state  wantState
	early  []early             // in state wantGrant: at most syncvar.Fanout
	from   dimmnet.Rank        // in state wantData: the rank that sends the data
	have   syncvar.Version     // in state wantData: the version of the copy before the data
	stream *consistency.Stream // in state wantData: what has arrived of the data
	parked []outgoing          // messages of this rank that pass the data on, waiting for more
}

type wantState uint8

const (
	wantGrant wantState = iota // the grant is due
	wantData                   // the grant has arrived, its data are due
)

// New returns the engine of a host's rank and starts its helper threads. space holds the rank's
// memory; from now on the caller adds to space only within Declare. New fails if the rings of so
// many nodes do not fit the LLCM.
func New(h dimmnet.Host, space *consistency.Space, cfg Config) (*Engine, error) {
	e, err := newEngine(h.Port(), space, cfg)
	if err != nil {
		return nil, err
	}
	e.begin(h, cfg)
	return e, nil
}

// begin starts the helper threads.
func (e *Engine) begin(h dimmnet.Host, cfg Config) {
	for t := range e.events {
		e.events[t] = h.NewEvent()
	}
	switch {
	case e.nodes == 1: // a single rank has no messages
	case cfg.OneHelper:
		e.helpers.running = 1
		e.helper = newHelper(e, h)
		e.start(h, process, "helper", e.helper.help)
	default:
		e.helpers.running = int(threads - send) // set before the first helper thread can return
		e.start(h, send, "send", e.send)
		e.start(h, receive, "receive", e.receive)
		e.start(h, process, "process", e.process)
	}
}

// newEngine returns an engine without threads. The LLCM holds the rings, the table of hints and
// the stop word, in this order.
func newEngine(p dimmnet.Port, space *consistency.Space, cfg Config) (*Engine, error) {
	limits, nodes := p.Limits(), p.Nodes()
	stop := limits.LLCM&^(dimmnet.WordBytes-1) - dimmnet.WordBytes
	var direct direct
	var hints table
	var layout ringbuf.Layout
	if cfg.Observer == nil {
		cfg.Observer = syncvar.Unobserved{}
	}
	if cfg.Direct {
		direct, hints, layout = newDirect(limits, stop, nodes)
	}
	if !direct.on {
		hints = newTable(max(0, stop))
		limits.LLCM = int(hints.base)
		var err error
		if layout, err = ringbuf.NewLayout(limits, nodes); err != nil {
			return nil, fmt.Errorf("threaded: %w", err)
		}
	}
	return &Engine{
		port:    p,
		rank:    p.Rank(),
		nodes:   nodes,
		layout:  layout,
		hints:   hints,
		direct:  direct,
		cfg:     cfg,
		stop:    dimmnet.Offset(stop),
		most:    outLimit + nodes*(window+1),
		space:   space,
		sites:   make(map[syncvar.ID]*syncvar.Site),
		gates:   gates{state: make(map[syncvar.ID]gate)},
		wanted:  make(map[syncvar.ID]*want),
		readers: make(map[syncvar.ID]*syncvar.Readers),
		had:     make(map[syncvar.ID]struct{}),
		meeting: newMeeting(p.Rank(), meetingTree(nodes, cfg.Trees)),
		agreed:  make([]uint32, nodes),
	}, nil
}

// Declare calls f, which adds to the space, while no helper thread uses the space.
func (e *Engine) Declare(f func() error) error {
	e.mu.Lock()
	defer e.unlock()
	return f()
}

// Acquire waits until all variables of both sets are granted and their data have arrived. The sets
// must be strictly increasing and disjoint. The rank must hold none of the variables.
func (e *Engine) Acquire(shared, exclusive []syncvar.ID) error {
	e.cfg.Observer.Entered()
	// A rank that owns all variables of the sets would not notice a failed port.
	if err := e.port.Err(); err != nil {
		return err
	}
	return e.acquireAll(shared, exclusive)
}

func (e *Engine) acquireAll(shared, exclusive []syncvar.ID) error {
	for len(shared)+len(exclusive) > 0 {
		id, access := syncvar.ID(0), syncvar.Shared
		if len(exclusive) == 0 || len(shared) > 0 && shared[0] < exclusive[0] {
			id, shared = shared[0], shared[1:]
		} else {
			id, exclusive, access = exclusive[0], exclusive[1:], syncvar.Exclusive
		}
		if err := e.acquire(id, access); err != nil {
			return err
		}
	}
	return nil
}

func (e *Engine) acquire(id syncvar.ID, access syncvar.Access) error {
	e.cfg.Observer.On(syncvar.Event{Kind: syncvar.Waiting})
	if e.direct.on {
		if acquired, err := e.acquireDirect(id, access); acquired || err != nil {
			return e.waiting(id, err)
		}
	}
	if err := e.ask(id, syncvar.Want{Access: access}); err != nil {
		return err
	}
	delayed, by := false, dimmnet.Rank(0)
	err := e.await(user, func() bool {
		delayed, by = e.delayed, e.delayer
		return e.wanted[id] == nil
	})
	if err != nil {
		return e.waiting(id, err)
	}
	if delayed {
		e.cfg.Observer.On(syncvar.Event{Kind: syncvar.Held, Denial: syncvar.Denial{ID: id, Access: access, Holder: by}})
	}
	return nil
}

// ask makes a request as soon as the out queue and the window have space.
func (e *Engine) ask(id syncvar.ID, w syncvar.Want) error {
	hint := e.hints.load(e.port, id)
	var failed error
	err := e.await(user, func() bool {
		if len(e.out) >= outLimit || len(e.wanted) >= window {
			return false
		}
		s := e.site(id)
		e.learn(s, hint)
		if !s.Owns() {
			e.count(w)
		}
		e.had[id] = struct{}{}
		e.wanted[id] = &want{access: w.Access, state: wantGrant, waits: w.Waits}
		e.delayed = false
		if s.Owns() { // otherwise granted sets the delayer
			if holders := s.Blockers(); len(holders) > 0 {
				e.delayer = holders[0]
			}
		}
		actions, err := s.Ask(w)
		failed = e.follow(id, actions, err)
		return true
	})
	if err == nil {
		err = e.flush()
	}
	if err != nil {
		return e.waiting(id, err)
	}
	return e.own(failed)
}

// flush sends what the user thread queued, unless there is a send thread.
func (e *Engine) flush() error {
	if e.helper == nil {
		return nil
	}
	return e.helper.flush()
}

func (e *Engine) count(w syncvar.Want) {
	if w.Brief {
		e.counts.Refreshes++
	} else {
		e.counts.Requests++
	}
}

func (e *Engine) own(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("threaded: %w", err)
}

// waiting returns the error of a port that failed while the rank waited for a variable, if err is
// not nil.
func (e *Engine) waiting(id syncvar.ID, err error) error {
	if err == nil {
		return nil
	}
	e.mu.Lock()
	owner := e.site(id).Hint().Owner
	e.mu.Unlock()
	return fmt.Errorf("threaded: waiting for %q, whose last known owner is rank %d: %w", e.space.Name(id), owner, err)
}

// Version returns the version of the rank's copy. During an exclusive tenure it returns the version
// that the tenure makes.
func (e *Engine) Version(id syncvar.ID) syncvar.Version {
	e.mu.Lock()
	defer e.unlock()
	return e.site(id).Have()
}

// Owns reports whether this rank owns a variable. The answer is exact while no rank is in Acquire.
func (e *Engine) Owns(id syncvar.ID) bool {
	_ = e.shut(user, e.port, id, true) // fails with the port, whose error the next call returns
	e.mu.Lock()
	defer e.unlock()
	return e.site(id).Owns()
}

// Release ends the tenures of both sets without waiting for an answer. written are the exclusive
// variables that the rank changed. Release sends a message to the owners of the shared variables.
// If this rank has become the owner of a variable, Release announces that to all ranks.
func (e *Engine) Release(shared, exclusive, written []syncvar.ID) error {
	for _, ids := range [][]syncvar.ID{shared, exclusive} {
		for _, id := range ids {
			_, changed := slices.BinarySearch(written, id)
			if err := e.release(id, changed); err != nil {
				return fmt.Errorf("threaded: releasing %q: %w", e.space.Name(id), err)
			}
		}
	}
	return nil
}

func (e *Engine) release(id syncvar.ID, changed bool) error {
	var failed error
	var h syncvar.Hint
	var news bool
	var word uint64
	var opens bool
	err := e.await(user, func() bool {
		if len(e.out) >= outLimit {
			return false
		}
		if s := e.site(id); s.Owns() {
			actions, err := s.Release(e.rank, changed)
			failed = e.follow(id, actions, err)
			h, news = s.Announcement()
			word, opens = e.beginOpen(id)
		} else {
			failed = e.queue(outgoing{to: s.Lender(), m: message{op: release, id: id}})
		}
		return true
	})
	if err == nil {
		err = e.flush()
	}
	if err == nil && opens {
		err = e.open(id, word)
	}
	if err == nil && failed == nil && news {
		err = e.hints.announce(e.port, id, h)
	}
	if err != nil {
		return err
	}
	return e.own(failed)
}

// Meet waits until all ranks are in the same call, which must not be Acquire. Update also updates
// this rank's copies of all variables that it has acquired. End also waits until the helper
// threads have returned. word is the rank's word in a Reduce, and 0 in other calls.
func (e *Engine) Meet(call syncvar.Call, word uint64) error {
	e.cfg.Observer.Entered()
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
		return e.await(user, func() bool { return e.helpers.running == 0 })
	}
	return nil
}

// Words returns, by rank, the words that all ranks contributed to the last Reduce. The caller may
// use the result until the next Meet.
func (e *Engine) Words() []uint64 {
	e.mu.Lock()
	defer e.unlock()
	return e.meeting.reduced
}

func (e *Engine) refresh() error {
	ids := make([]syncvar.ID, 0, len(e.had))
	for id := range e.had { // without the lock: only the user thread changes had
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for i, id := range ids {
		if err := e.shut(user, e.port, id, true); err != nil {
			return e.waiting(id, err)
		}
		if err := e.ask(id, syncvar.Want{Access: syncvar.Shared, Brief: true}); err != nil {
			return err
		}
		if !e.cfg.Direct && i < len(ids)-1 {
			continue
		}
		if err := e.await(user, func() bool { return len(e.wanted) == 0 }); err != nil {
			return fmt.Errorf("threaded: waiting for the data of an Update: %w", err)
		}
	}
	return nil
}

func (e *Engine) meet(call syncvar.Call, word uint64) error {
	var failed error
	e.cfg.Observer.On(syncvar.Event{Kind: syncvar.Waiting})
	err := e.await(user, func() bool {
		if len(e.out) >= outLimit || call == syncvar.End && e.cfg.Trees && len(e.out)+e.sending > 0 {
			return false
		}
		failed = e.arrive(call, word)
		return true
	})
	if err == nil {
		err = e.flush()
	}
	last := dimmnet.Rank(0)
	if err == nil && failed == nil {
		err = e.await(user, func() bool { last = e.meeting.last; return e.meeting.call == 0 })
	}
	if err != nil {
		return fmt.Errorf("threaded: waiting for all ranks to arrive: %w", err)
	}
	if failed == nil {
		e.cfg.Observer.On(syncvar.Event{Kind: syncvar.Met, Latest: syncvar.Latest{Rank: last, Known: true}})
	}
	return e.own(failed)
}

// Counts returns what the engine has done so far.
func (e *Engine) Counts() Counts {
	e.mu.Lock()
	defer e.unlock()
	return e.counts
}

// Counters returns the sum of the port counters that the helper threads have reported so far.
func (e *Engine) Counters() (c dimmnet.Counters) {
	e.mu.Lock()
	defer e.unlock()
	for _, d := range e.helpers.counters {
		c = c.Plus(d)
	}
	return c
}

// Close makes the helper threads stop using the program's memory, which the caller is about to
// free.
func (e *Engine) Close() {
	e.mu.Lock()
	defer e.unlock()
	e.closed = true
	e.wake(process)
}
