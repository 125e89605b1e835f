package phase

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

type state uint8

const (
	between  state = iota // no phase: the program computes
	ready                 // the method prepares the phase; this rank has sent nothing
	gather                // lists are exchanged
	transfer              // data are exchanged
)

// Engine takes one rank through all communication phases of a run.
type Engine struct {
	port     dimmnet.Port
	rank     dimmnet.Rank
	peers    []dimmnet.Rank // the ranks to which this rank has rings, in increasing order
	layout   ringbuf.Layout
	tree     ringbuf.Tree // connects the peers; its Arity is 0 if all ranks are peers
	inline   inlineArea
	method   method
	dataKind ringbuf.Kind // the kind of the slots in which the method sends data
	maxCut   int          // the largest cut in such a slot, in bytes
	space    *consistency.Space
	table    syncvar.Table

	state    state
	phase    uint64         // the number of the present phase, from Config.FirstPhase
	out      []outQueue     // by index in peers
	in       []inQueue      // by index in peers
	own      *syncvar.List  // the list of this rank in this phase; see keepOwn
	meeting  syncvar.List   // of Meet
	lists    []syncvar.List // by rank, of this phase; nil if none has come over the tree
	latest   dimmnet.Rank   // the rank whose list arrived last in this phase, or in the last one
	ownList  []byte         // the encoded list of this rank; empty if the list goes inline
	requests requests       // the inline requests of this phase, if there is an inlineArea
	queued   bool           // the queues have something to do in this phase
	same     bool           // all ranks had as many declarations when lists last came by queues
	plan     Plan           // of this phase; between phases and in gather that of the last one
	granting syncvar.Granting
	values   []uint64 // by rank: the result of Words; reused
	everyone []bool   // by rank: true; nil without an inlineArea
	agreed   []uint32 // by rank: how many declarations are known to be equal
	counts   Counts
	polls    bool               // Config.Polls, where there are inline requests
	prefetch dimmnet.Prefetcher // port, or nil
	err      error              // the first error; the engine stays failed
	waitPort *waitPort          // wraps port; Call passes it to Drive
	waits    waits
	observer syncvar.Observer
	charge   func(w dimmnet.Work, n int)

	streams   []*stream              // of all phases so far; reused
	streaming int                    // how many of them this phase uses
	incoming  map[syncvar.ID]*stream // streams that inQueues receive in this phase
	arriving  []*stream              // all streams that arrive in this phase, in the plan's order
	sources   map[source]*stream     // streams that outQueues send from this rank's own copy

	attachment []byte              // goes with this rank's request, or is being read
	offered    []syncvar.ID        // what a block could be used for in this phase; at most one
	sought     map[syncvar.ID]bool // whether the peer wanted a variable when it was last offered
	pieces     []consistency.Piece // reused

	overTree
}

// Config selects how engines communicate. All but Help must be equal on all ranks.
type Config struct {
	Transfer Transfer
	Lists    Lists
	// Live says that the port's clock is real. Then requests that fit a word go inline, slots are
	// returned lazily, and ports with ZeroCopy use it. The papers' protocol has none of the three.
	Live bool
	// Views says that every rank can read the memory of all others (consistency.Space.SetViews).
	// Then rings carry the locations of data, not the data. Transfer must be Auto or Rings.
	Views bool
	// Help lets a rank with Live and Views copy data into a receiver's memory from the back,
	// while the receiver copies them from the front. Every rank must be able to write to the
	// memory of all others, and must have a processor to itself.
	Help bool
	// Whole is the size in bytes of the largest variable that a rank with Views copies whole from
	// its owner, without a message. It is the same on all ranks.
	Whole int
	// Polls lets Call poll for requests for a moment before it uses the port's ways to wait. Posts
	// must land in the memory of their receivers at once, without calls of the receivers' ports.
	Polls bool
	// Reserved is the number of bytes at the end of the LLCM that the engine leaves to the caller.
	Reserved int
	// FirstPhase and FirstVersion are the numbers of the first phase and of the versions before
	// any tenure. They are 0 except in tests, which start near the end of a counter.
	FirstPhase   uint64
	FirstVersion syncvar.Version
	// Observer is informed of what Call waits for; nil: nobody is.
	Observer syncvar.Observer
	// Replica is shared by the engines of a process; nil if this engine is the only one.
	Replica *Replica
	// Charge, if not nil, is called for the work of the host (dimmnet.Host.Charge).
	Charge func(w dimmnet.Work, n int)
}

// New returns the engine of the port's rank. space holds the rank's memory; the engine writes
// arriving data straight to their addresses. New fails if the port cannot do what cfg asks for,
// or if the LLCM does not hold the rings of so many nodes.
func New(p dimmnet.Port, space *consistency.Space, cfg Config) (*Engine, error) {
	nodes := p.Nodes()
	e := &Engine{
		port:   p,
		rank:   p.Rank(),
		space:  space,
		phase:  cfg.FirstPhase,
		charge: cfg.Charge,

		observer: cfg.Observer,
		incoming: make(map[syncvar.ID]*stream),
		sources:  make(map[source]*stream),
		sought:   make(map[syncvar.ID]bool),
	}
	if e.observer == nil {
		e.observer = syncvar.Unobserved{}
	}
	if e.charge == nil {
		e.charge = func(dimmnet.Work, int) {}
	}
	e.table.StartAt(cfg.FirstVersion)
	if err := e.configure(cfg); err != nil {
		return nil, err
	}
	e.dataKind, e.maxCut = e.method.slots()
	e.waitPort = &waitPort{p, e}
	if e.tree.Arity > 0 {
		e.own = new(syncvar.List)
		e.course, e.replica = newCourse(nodes), cfg.Replica
		if e.replica == nil {
			e.replica = new(Replica)
		}
		e.replica.add(cfg.FirstVersion)
		e.peers = e.tree.Children(p.Rank())
		if parent, ok := e.tree.Parent(p.Rank()); ok {
			e.peers = slices.Insert(e.peers, 0, parent)
		}
	} else {
		e.lists = make([]syncvar.List, nodes)
		e.own = &e.lists[e.rank]
		for r := range nodes {
			if rank := dimmnet.Rank(r); rank != e.rank {
				e.peers = append(e.peers, rank)
			}
		}
	}
	for _, r := range e.peers {
		sender, receiver := e.method.ends(r)
		e.out = append(e.out, outQueue{e: e, to: r, ring: ringbuf.NewSender(p, &e.layout, r), data: sender})
		in := ringbuf.NewReceiver(p, &e.layout, r)
		in.SetLazy(cfg.Live)
		e.in = append(e.in, inQueue{e: e, from: r, ring: in, data: receiver})
	}
	if e.inline.peers > 0 {
		e.polls = cfg.Polls
		e.everyone = slices.Repeat([]bool{true}, nodes)
		e.prefetch, _ = p.(dimmnet.Prefetcher)
		e.requests = newRequests(len(e.peers))
	}
	return e, nil
}

func (e *Engine) peer(r dimmnet.Rank) int {
	i, ok := slices.BinarySearch(e.peers, r)
	if !ok {
		panic(fmt.Sprintf("phase: rank %d has no ring to rank %d", e.rank, r))
	}
	return i
}

// Layout returns how the rank's LLCM is divided.
func (e *Engine) Layout() ringbuf.Layout { return e.layout }

// Counts holds what an engine has done so far.
type Counts struct {
	Phases    uint64           // phases completed
	Repeated  uint64           // of these, phases that repeated one of before: nobody planned
	Repeating dimmnet.Counters // what the port did in the repeated phases
	Lists     uint64           // acquire lists sent: one per peer and phase
	Transfers uint64           // transfers of a variable to a peer, also relayed; see wholeCopy
	Slots     uint64           // slots sent with pieces of variables or with their locations
	Fetched   uint64           // bytes that arrived straight from the memory of other ranks
	Bulk      uint64           // messages sent by PUSH, each with pieces of any number of variables
}

// Counts returns what the engine has done so far.
func (e *Engine) Counts() Counts { return e.counts }

// Table returns the rank's copy of the replicated table. The caller must not change it.
func (e *Engine) Table() *syncvar.Table {
	if e.tree.Arity > 0 {
		return e.replica.upToDate(e)
	}
	return &e.table
}

// Begin enters the next communication phase with this rank's list. It sets the list's Phase,
// Declared and Digest.
func (e *Engine) Begin(l syncvar.List) error { return e.begin(&l) }

func (e *Engine) begin(l *syncvar.List) error {
	if e.err != nil {
		return e.err
	}
	if e.state != between {
		panic(fmt.Sprintf("phase: Begin called during phase %d", e.phase))
	}
	e.state = ready
	l.Phase = e.phase
	if l.Declared = uint32(e.space.Declared()); l.Declared == e.own.Declared {
		l.Digest = e.own.Digest
	} else {
		l.Digest = e.space.Digest(int(l.Declared))
	}
	e.ownList = e.ownList[:0]
	fits := e.inline.peers > 0 && e.requests.begin(e, l)
	if !fits {
		l.Attached = nil // the peers get no attachment with a list
	} else if _, done := e.method.ready(); e.polls && done {
		e.state, e.queued = gather, false
		e.requests.postAll(e)
		return nil // Call keeps the list until the phase is over
	}
	*e.own = *l
	e.requests.list = e.own
	if !fits {
		sent := *l
		if e.tree.Arity > 0 {
			sent.Word = e.fold.word(l)
			e.ownList = appendScheduled(e.ownList, &sent)
		} else {
			e.ownList = syncvar.AppendList(e.ownList, &sent)
		}
		e.charge(dimmnet.Entry, l.Entries())
	}
	if len(e.ownList) > syncvar.MaxListBytes {
		return e.fail(fmt.Errorf("phase: the acquire list has %d bytes, the limit is %d", len(e.ownList), syncvar.MaxListBytes))
	}
	if e.queued = e.inline.peers == 0 && e.tree.Arity == 0; e.queued {
		for i := range e.in {
			e.in[i].expectList()
		}
	}
	if _, done := e.method.ready(); done {
		return e.fail(e.sendLists())
	}
	return nil
}

// keepOwn keeps this rank's list, which Call may still hold. Lists of others are in decode.
func (e *Engine) keepOwn() {
	if l := e.requests.list; l != e.own {
		*e.own = *l
		e.requests.list = e.own
	}
}

func (e *Engine) sendLists() error {
	e.state = gather
	if e.tree.Arity > 0 {
		return e.gatherUp()
	}
	if !e.queued {
		return nil // Step posts the inline requests first
	}
	for i := range e.peers {
		e.out[i].sendLists(e.ownList)
	}
	return nil
}

// Done reports whether this rank has finished the phase that Begin began.
func (e *Engine) Done() bool { return e.state == between }

// Step does what can be done now, without waiting; see dimmnet.Stepper.
func (e *Engine) Step() (progress bool, err error) {
	if e.err != nil {
		return false, e.err
	}
	switch e.state {
	case ready:
		var done bool
		if progress, done = e.method.ready(); done {
			err = e.sendLists()
			progress = true
		}
	case gather:
		progress, err = e.exchange()
		if err == nil && e.quiet() {
			progress = true
			err = e.planned()
		}
	case transfer:
		progress, err = e.exchange()
		if err == nil && e.quiet() {
			progress = true
			e.finish()
		}
	}
	return progress, e.fail(err)
}

// planned goes on when all lists have arrived. A phase in which nothing has to move ends here.
func (e *Engine) planned() error {
	switch {
	case e.tree.Arity > 0 && e.repeats():
		e.repeat()
		return nil
	case e.tree.Arity > 0:
		return e.join()
	case e.meet():
		return nil
	}
	if done, err := e.turn(); done || err != nil {
		return err
	}
	if e.inline.peers > 0 {
		if err := e.requests.decode(e); err != nil {
			return err
		}
	}
	if err := e.makePlan(); err != nil {
		return err
	}
	if e.inline.peers > 0 && e.quiet() {
		e.finish()
	}
	return nil
}

func (e *Engine) fail(err error) error {
	if e.err == nil && err != nil {
		e.err = err
		e.method.abandon() // the program may free its memory now
	}
	return err
}

func (e *Engine) exchange() (progress bool, err error) {
	if e.inline.peers > 0 && e.state == gather {
		if progress, err = e.requests.step(e); err != nil {
			return false, err
		}
	}
	if e.tree.Arity > 0 && e.state == gather {
		if progress, err = e.signals.step(e); err != nil {
			return false, err
		}
	}
	out, in := e.out, e.in
	if !e.queued {
		out, in = nil, nil
	}
	for i := range out {
		if out[i].step() {
			progress = true
		}
	}
	for i := range in {
		moved, err := in[i].step()
		if err != nil {
			return false, err
		}
		if moved {
			progress = true
		}
	}
	moved, err := e.method.step()
	return progress || moved, err
}

func (e *Engine) quiet() bool {
	if e.inline.peers > 0 && e.requests.pending(e) || e.signals.pending() {
		return false
	}
	for i := 0; e.queued && i < len(e.peers); i++ {
		if e.out[i].pending() || e.in[i].pending() {
			return false
		}
	}
	return !e.method.pending()
}

func (e *Engine) makePlan() error {
	if e.queued { // inline requests repeat the declarations of the phase before
		if err := e.checkDeclarations(); err != nil {
			return err
		}
	}
	if err := e.table.Settle(e.lists); err != nil {
		return err
	}
	table := &e.table
	if e.space.IsOneCopy() {
		table = nil
	}
	if err := e.plan.derive(&e.granting, e.phase, e.lists, table); err != nil {
		return err
	}
	if e.plan.Complete != 0 {
		if err := e.checkDeclaredAll(); err != nil {
			return err
		}
	}
	if e.prefetch != nil && e.plan.Granted[e.rank] && e.space.IsOneCopy() {
		e.prefetchGranted()
	}
	e.charge(dimmnet.Step, len(e.lists)+len(e.plan.Transfers))
	if e.inline.peers > 0 {
		if err := e.takeAttached(); err != nil {
			return err
		}
	}
	e.state = transfer
	if len(e.plan.Transfers) > 0 {
		e.observer.Moving()
	}
	if len(e.plan.Transfers) > 0 || e.queued {
		queue := e.method.assign(&e.plan)
		e.queued = e.queued || len(queue) > 0
		e.queueTransfers(queue)
	}
	return nil
}

func (e *Engine) finish() {
	for _, s := range e.arriving {
		e.pieces = s.AppendPieces(e.pieces[:0])
		e.space.Accept(s.ID, e.pieces)
	}
	e.arriving, e.streaming = e.arriving[:0], 0
	if e.tree.Arity > 0 {
		e.end()
		return
	}
	if e.plan.Complete == syncvar.Update {
		e.table.ApplyUpdate()
	}
	if e.plan.Partial {
		e.table.ApplyPart(e.plan.Transfers)
	}
	e.table.Apply(e.lists, e.plan.Granted)
	e.end()
}

func (e *Engine) end() {
	if e.tree.Arity > 0 {
		e.course.add(e.schedule)
	}
	if e.repeating {
		e.counts.Repeating = e.counts.Repeating.Plus(e.port.Counters().Minus(e.before))
		e.repeating = false
	}
	e.phase++
	e.counts.Phases++
	e.state = between
}
