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
	gather                // lists go out and come in
	transfer              // pieces go out and come in
)

// Engine is one rank's part in all communication phases of a run.
type Engine struct {
	port   dimmnet.Port
	others []dimmnet.Rank // all ranks but this one
	wiring
	peers  []dimmnet.Rank // at the other ends of the rings, in order
	space  *consistency.Space
	places bool // through the rings go places of data, in the place of data
	helps  bool // who needs them to fetch them
	table  syncvar.Table
	state  state
	phase  uint64 // the number of the present phase, from 0
	out    []outbox
	in     []inbox
	lists  []syncvar.List // of the present phase, by rank
	wire   []byte         // the own list, encoded
	plan   Plan
	last   Plan     // of the phase before
	room   []bool   // for the grants of the next plan
	given  []uint64 // by rank, what the last Reduce has gathered
	agreed []uint32 // by rank: so many declarations are known to be the same
	counts Counts
	err    error  // the first error; the engine stays failed
	noted  *noted // for driving it
	seen   seen
	word   uint64 // the own call word

	incoming map[syncvar.ID]*stream // of this phase
	arriving []*stream              // the same in the plan's order
	sources  map[source]*stream     // what this rank owns and sends in this phase

	bundle []byte // in a tree: the lists of this rank and those below
	below  int    // how many of its children have not sent theirs
}

// Config says how an engine talks; it is the same on all ranks.
type Config struct {
	Transfer Transfer
	// Words sends what fits a word as one Store, instead of a message through a ring. It
	// is not the papers' protocol.
	Words bool
	// Views sends where data are, through rings, instead of the data: every rank can read
	// the memory of all others (consistency.Space.SetViews). Transfer must be Auto or Rings.
	Views bool
	// Help lets a rank with Views and Words put data to those that need them, from the other end
	// than these fetch them: every rank can write to the memory of all others, and has a
	// processor to itself. It may differ between ranks.
	Help bool
}

// New returns the engine of the port's rank. space holds the rank's memory; the
// engine writes what arrives straight to its place there. An error says that the
// port cannot do what cfg asks for, or that the nodes do not fit it.
func New(p dimmnet.Port, space *consistency.Space, cfg Config) (*Engine, error) {
	w, err := newWiring(p, cfg)
	if err != nil {
		return nil, err
	}
	nodes := p.Nodes()
	e := &Engine{
		port:   p,
		wiring: w,
		space:  space,
		places: cfg.Views || w.giver != nil,
		helps:  cfg.Views && cfg.Help && w.calls.peers > 0,
		lists:  make([]syncvar.List, nodes),
		agreed: make([]uint32, nodes),
		given:  make([]uint64, nodes),

		incoming: make(map[syncvar.ID]*stream),
		sources:  make(map[source]*stream),
	}
	for r := range nodes {
		if rank := dimmnet.Rank(r); rank != p.Rank() {
			e.others = append(e.others, rank)
		}
	}
	e.noted = &noted{p, e}
	e.peers = e.others
	if e.tree.Arity > 0 {
		e.peers = e.tree.Children(p.Rank())
		if parent, ok := e.tree.Parent(p.Rank()); ok {
			e.peers = slices.Insert(e.peers, 0, parent)
		}
	}
	for _, r := range e.peers {
		e.out = append(e.out, outbox{ring: ringbuf.NewSender(p, &e.layout, r)})
		in := ringbuf.NewReceiver(p, &e.layout, r)
		in.SetLazy(cfg.Words)
		e.in = append(e.in, inbox{ring: in})
	}
	return e, nil
}

// peer is the place of a rank among the peers.
func (e *Engine) peer(r dimmnet.Rank) int {
	i, ok := slices.BinarySearch(e.peers, r)
	if !ok {
		panic(fmt.Sprintf("phase: rank %d has no ring to rank %d", e.port.Rank(), r))
	}
	return i
}

// Layout returns how the rank's LLCM is divided.
func (e *Engine) Layout() ringbuf.Layout { return e.layout }

// Counts says what an engine has done so far.
type Counts struct {
	Phases    uint64 // completed
	Lists     uint64 // acquire lists sent, one a peer and phase
	Transfers uint64 // of a variable to a peer, passed on or as its owner
	Slots     uint64 // of data sent through rings: pieces of variables, or where they are
	Fetched   uint64 // bytes that came from the memory of other ranks straight to their place
	Bulk      uint64 // messages of data sent by PUSH: pieces of any number of variables
}

// Counts says what the engine has done so far.
func (e *Engine) Counts() Counts { return e.counts }

// Table returns the rank's copy of the replicated table, which the caller must
// not change.
func (e *Engine) Table() *syncvar.Table { return &e.table }

// Call takes the rank through communication phases until the call of l is done:
// until what l wants is granted and its data are here (Acquire), or all ranks are in
// the same call. The caller fills in Call, Shared, Exclusive, Clean and Word.
func (e *Engine) Call(l syncvar.List) error {
	l.Since = e.phase
	for {
		if err := e.Begin(l); err != nil {
			return err
		}
		if err := dimmnet.Drive(e.noted, e, e.Done); err != nil {
			e.note()
			if e.err == nil { // the port failed
				err = fmt.Errorf("phase: phase %d, waiting for %s: %w", e.phase, e.Waiting(), err)
			}
			return e.fail(err)
		}
		if e.Finished(l.Call) {
			return nil
		}
		l.Clean = nil // it was said
	}
}

// Words are what all ranks have given in the Reduce that the last phase has finished,
// by rank. They are the engine's, until its next call.
func (e *Engine) Words() []uint64 {
	if e.last.Complete != syncvar.Reduce {
		panic(fmt.Sprintf("phase: the words of a Reduce after %v", e.last.Complete))
	}
	for r := range e.lists {
		e.given[r] = e.lists[r].Word
	}
	return e.given
}

// Finished says whether the last phase finished a call of this rank.
func (e *Engine) Finished(call syncvar.Call) bool {
	if call == syncvar.Acquire {
		return e.last.Granted[e.port.Rank()]
	}
	return e.last.Complete == call
}

// Begin enters the next communication phase with this rank's list. Phase,
// Declared and Digest are filled in.
func (e *Engine) Begin(l syncvar.List) error {
	if e.err != nil {
		return e.err
	}
	if e.state != between {
		panic(fmt.Sprintf("phase: begin of phase %d during it", e.phase))
	}
	e.state = gather
	l.Phase = e.phase
	l.Declared = uint32(e.space.Declared())
	l.Digest = e.space.Digest(e.space.Declared())
	fits := e.calls.peers > 0 && e.offer(&l)
	e.lists[e.port.Rank()] = l
	if e.wire = e.wire[:0]; !fits {
		e.wire = syncvar.AppendList(e.wire, &l)
	}
	if len(e.wire) > syncvar.MaxListBytes {
		return e.fail(fmt.Errorf("phase: an acquire list of %d bytes, the limit is %d", len(e.wire), syncvar.MaxListBytes))
	}
	for i := range e.peers {
		e.out[i].list, e.out[i].pos = nil, 0
		e.in[i].list = e.in[i].list[:0]
		e.in[i].due = 1
	}
	if e.tree.Arity > 0 {
		e.climb()
		return nil
	}
	for i := range e.peers {
		e.out[i].list = e.wire
	}
	return nil
}

// Done says whether the phase that Begin began is over for this rank.
func (e *Engine) Done() bool { return e.state == between }

// Step does what can be done now, without waiting; see dimmnet.Stepper.
func (e *Engine) Step() (progress bool, err error) {
	if e.err != nil {
		return false, e.err
	}
	switch e.state {
	case gather:
		progress, err = e.exchange()
		if err == nil && e.quiet() {
			progress, err = true, e.makePlan()
			if e.calls.peers > 0 && err == nil && e.quiet() { // nothing has to move
				e.finish()
			}
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

func (e *Engine) fail(err error) error {
	if e.err == nil && err != nil {
		e.err = err
		if e.giver != nil {
			e.giver.Abandon() // the memory may end
		}
	}
	return err
}

// exchange sends where there is something to send and room for it, and receives
// where something is due and has arrived.
func (e *Engine) exchange() (progress bool, err error) {
	for i, r := range e.peers {
		if e.out[i].step(e, r) {
			progress = true
		}
	}
	for i, r := range e.peers {
		moved, err := e.in[i].step(e, r)
		if err != nil {
			return false, err
		}
		if moved {
			progress = true
		}
	}
	moved, err := e.bulk.step(e)
	return progress || moved, err
}

// quiet says whether nothing of the present state is left to send or receive.
func (e *Engine) quiet() bool {
	for i, r := range e.peers {
		if e.out[i].pending(e, r) || e.in[i].pending() {
			return false
		}
	}
	return !e.bulk.pending()
}

// makePlan turns from gathering to transferring.
func (e *Engine) makePlan() error {
	if err := e.checkDeclarations(); err != nil {
		return err
	}
	if err := e.table.Settle(e.lists); err != nil {
		return err
	}
	table := &e.table
	if e.space.IsOneCopy() {
		table = nil
	}
	plan, err := newPlan(e.room, e.phase, e.lists, table)
	if err != nil {
		return err
	}
	if plan.Complete != 0 && plan.Complete != syncvar.End {
		if err := e.checkDeclaredAll(); err != nil {
			return err
		}
	}
	if e.bulk != nil {
		casts, rest := newCasts(plan.Transfers, e.bulk.words.count)
		if e.tree.Arity > 0 { // else the rest goes through the rings
			plan = plan.without(casts, rest)
		}
		e.bulk.prepare(e, casts)
	}
	e.plan = plan
	e.state = transfer
	e.prepare()
	return nil
}

// checkDeclarations compares what the ranks have declared, as far as this one
// has come. One that has declared more is compared by the others later.
func (e *Engine) checkDeclarations() error {
	for _, r := range e.others {
		l := &e.lists[r]
		if l.Declared > uint32(e.space.Declared()) {
			continue
		}
		if err := e.space.CheckSame(e.port.Rank(), r, e.agreed[r], l.Declared, l.Digest); err != nil {
			return fmt.Errorf("phase: %w", err)
		}
		e.agreed[r] = l.Declared
	}
	return nil
}

// checkDeclaredAll reports a rank that has declared less or more, where all have
// come to the same point of their programs.
func (e *Engine) checkDeclaredAll() error {
	for _, r := range e.others {
		if err := e.space.CheckCount(e.port.Rank(), r, e.lists[r].Declared); err != nil {
			return fmt.Errorf("phase: %w", err)
		}
	}
	return nil
}

// finish makes the results of the phase visible, all at once.
func (e *Engine) finish() {
	for _, s := range e.arriving {
		e.space.Accept(s.ID, s.Pieces())
	}
	if e.plan.Complete == syncvar.Update {
		e.table.ApplyUpdate()
	}
	if e.plan.Partial {
		e.table.ApplyPart(e.plan.Transfers)
	}
	e.table.Apply(e.lists, e.plan.Granted)
	e.arriving = e.arriving[:0]
	e.room = e.last.Granted
	e.last, e.plan = e.plan, Plan{}
	e.phase++
	e.counts.Phases++
	e.state = between
}
