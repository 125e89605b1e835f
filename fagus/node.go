package fagus

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/pagewatch"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Node is one rank's handle on the shared memory. It belongs to the goroutine
// that runs the rank's program.
type Node struct {
	rank   int
	nodes  int
	host   dimmnet.Host
	log    *slog.Logger
	space  *consistency.Space
	mode   Engine
	engine engine           // nil after the program has returned
	views  bool             // this rank can read the arrays of others
	memory [][]byte         // of the arrays
	arrays int              // how many there are
	watch  *pagewatch.Watch // of their pages; nil if nobody asks
	held   *SyncSet
	wrote  []syncvar.ID // changed in the tenure that Release ends; reused
	clock  stopwatch
	record *record
	check  *checker
	seat   *rollcall.Seat
	err    error // the first failure of a collective call; it stays
}

func newNode(h dimmnet.Host, cfg Config, board *rollcall.Board) (*Node, error) {
	p := h.Port()
	space := consistency.NewSpace()
	one, err := oneCopy(h, cfg)
	if err != nil {
		return nil, err
	}
	if one {
		space.OneCopy()
	}
	views := !one && reads(h, cfg)
	watch, err := detect(space, cfg, views)
	if err != nil {
		return nil, err
	}
	e, err := newEngine(h, space, cfg, views)
	if err != nil {
		closeWatch(watch)
		return nil, err
	}
	n := &Node{
		rank:   int(p.Rank()),
		nodes:  p.Nodes(),
		host:   h,
		log:    cfg.Log,
		space:  space,
		mode:   cfg.Mode,
		engine: e,
		views:  views,
		watch:  watch,
		clock:  newStopwatch(h, cfg.Mode, e.Counters),
		seat:   board.Seat(int(p.Rank())),
	}
	n.seat.Sit(asked{e, space})
	n.record = newRecord(n, cfg.History)
	n.check = newChecker(n, cfg.Check)
	return n, nil
}

// Rank is this rank's number, 0 to Nodes-1.
func (n *Node) Rank() int { return n.rank }

// Nodes is the number of ranks.
func (n *Node) Nodes() int { return n.nodes }

// Arrays is how many arrays NewArray has made: the same on every rank between calls, and never less than before, so that whoever makes
// arrays for others can give them names of their own.
func (n *Node) Arrays() int { return n.arrays }

// Mode is the engine that runs the program.
func (n *Node) Mode() Engine { return n.mode }

// Spend charges d of computation to a virtual clock; on a real one computing
// takes its own time, and it does nothing. A negative d panics.
func (n *Node) Spend(d Time) { n.host.Spend(d) }

// Err says why the run has failed, or nil. The collective calls return it, too;
// a program that computes for long asks now and then.
func (n *Node) Err() error {
	err := n.host.Port().Err()
	if err != nil {
		n.seat.Fail()
	}
	return err
}

// rankError is an error that names its rank.
type rankError struct {
	rank int
	err  error
}

func (e *rankError) Error() string { return fmt.Sprintf("fagus: rank %d: %v", e.rank, e.err) }
func (e *rankError) Unwrap() error { return e.err }

func (n *Node) errorf(format string, args ...any) error {
	return &rankError{n.rank, fmt.Errorf(format, args...)}
}

// usable reports what keeps a collective call from starting.
func (n *Node) usable(call string) error {
	if n.err != nil {
		return n.err
	}
	if n.engine == nil {
		return n.errorf("%s: the program of this rank has returned", call)
	}
	if n.held != nil {
		return n.errorf("%s while holding %s: release it first; whoever needs more at once puts it into one set", call, n.held)
	}
	return nil
}

// communicate makes a call of the engine that may wait for other ranks.
func (n *Node) communicate(call syncvar.Call, part Part, set *SyncSet, f func() error) error {
	if !n.enter(call, set) {
		return n.errorf("%v during another call: a Node belongs to one goroutine", call)
	}
	n.record.call()
	n.clock.enter(part)
	err := f()
	n.clock.enter(PartCompute)
	if err != nil {
		n.seat.Fail()
		n.err = n.errorf("%v: %w", call, err)
		return n.err
	}
	return nil
}

// logCall records a call that has been made; set is nil if it has none.
func (n *Node) logCall(call string, set *SyncSet, collective bool) {
	if !n.log.Enabled(context.Background(), slog.LevelDebug) { // making the record would cost more than a phase
		return
	}
	what, about := "call", []any{"rank", n.rank, "call", call}
	if collective {
		what = "collective call"
	}
	if set != nil {
		about = append(about, "set", set.String())
	}
	if n.mode == Phase {
		var s Stats
		n.engine.counts(&s)
		about = append(about, "phases", s.Phases)
	}
	n.log.Debug(what, append(about, "now", n.host.Now().String())...)
}

// meet is a call in which all ranks meet. Reduce gives word to all; of others that is 0.
func (n *Node) meet(call syncvar.Call, part Part, word uint64) error {
	err := n.communicate(call, part, nil, func() error {
		met := n.record.meets(call)
		if err := n.engine.Meet(call, word); err != nil {
			return err
		}
		met()
		return n.check.met(call)
	})
	if err != nil {
		return err
	}
	n.seat.Leave(nil)
	n.logCall(call.String(), nil, true)
	return nil
}

// Acquire waits until every variable of set is granted in its mode and the
// bound data are current here. In phase mode it is a communication phase: it waits
// for the next collective call, or the return, of every other rank, whatever they
// want. In threaded mode it waits for those alone that hold what it wants.
// The rank must hold nothing. After an error the copies of what was wanted may
// be half new; the run has failed, and every further call returns the error.
func (n *Node) Acquire(set *SyncSet) error {
	if err := n.usable("Acquire"); err != nil {
		return err
	}
	if set == nil || set.node != n {
		return n.errorf("Acquire: the set was not made by this rank's Node.Set")
	}
	if err := set.compile(); err != nil {
		return n.errorf("Acquire: %w", err)
	}
	acquire := func() error { return n.engine.Acquire(set.shared, set.exclusive) }
	if err := n.communicate(syncvar.Acquire, PartAcquire, set, acquire); err != nil {
		return err
	}
	n.seat.Leave(set)
	n.record.acquired(set)
	for i, id := range set.exclusive {
		n.space.BeginWrite(id, set.declared[i])
	}
	if err := n.check.acquired(set); err != nil {
		n.err = n.errorf("Acquire: %w", err)
		return n.err
	}
	n.held = set
	n.logCall("Acquire", set, n.mode == Phase)
	return nil
}

// Release gives back all that Acquire of the same set gave. What changed is found
// out here, and fetched by whoever acquires it. In phase mode it communicates
// nothing; in threaded mode it sends a message a variable, and waits for no answer.
func (n *Node) Release(set *SyncSet) error {
	if set == nil || n.held != set {
		return n.errorf("Release of a set that is not held: Acquire it first, and release it once")
	}
	n.record.released(set)
	if n.space.IsOneCopy() {
		n.clock.pass(PartRelease)
	} else {
		n.clock.enter(PartRelease)
	}
	n.wrote = n.wrote[:0]
	for _, id := range set.exclusive {
		if n.space.EndWrite(id, n.engine.Version(id)) {
			n.wrote = append(n.wrote, id)
		}
	}
	n.held = nil
	if err := n.check.released(n.wrote); err != nil {
		n.err = n.errorf("%w", err)
		return n.err
	}
	n.seat.Enter("Release", set)
	err := n.engine.Release(set.shared, set.exclusive, n.wrote)
	if n.clock.part == PartRelease {
		n.clock.enter(PartCompute)
	}
	if err != nil {
		n.seat.Fail()
		n.err = n.errorf("Release: %w", err)
		return n.err
	}
	n.seat.Leave(nil)
	n.logCall("Release", set, false)
	return nil
}

// Update brings every variable that was changed since the last Update to all
// ranks that have acquired it before. It is a communication phase, and returns
// when all ranks have called it. The rank must hold nothing.
func (n *Node) Update() error {
	if err := n.usable("Update"); err != nil {
		return err
	}
	return n.meet(syncvar.Update, PartUpdate, 0)
}

// Barrier returns when all ranks have called it. It brings no data. The rank
// must hold nothing.
func (n *Node) Barrier() error {
	if err := n.usable("Barrier"); err != nil {
		return err
	}
	return n.meet(syncvar.Barrier, PartBarrier, 0)
}

// end keeps taking part until all ranks have returned from their programs.
func (n *Node) end() error {
	if n.held != nil {
		return n.errorf("the program returned holding %s: release it before", n.held)
	}
	if n.err != nil {
		return n.err
	}
	return n.meet(syncvar.End, PartEnd, 0)
}

// close frees the arrays.
func (n *Node) close() {
	n.engine.Close()
	for _, m := range n.memory {
		// The mapping was made by us and is not used any more: it cannot fail.
		_ = unmap(m)
	}
	n.memory = nil
	closeWatch(n.watch)
	_ = n.check.close() // nor can this
	n.engine = nil
}

// SyncVar is a sync variable: it guards the ranges that it is bound to.
type SyncVar struct {
	node *Node
	id   syncvar.ID
	name string
}

// Name is the name given to Bind.
func (v *SyncVar) Name() string { return v.name }

// Bind makes a sync variable that guards ranges of one or more arrays. It is
// collective: every rank binds the same variables in the same order, each with
// a name of its own. Ranges of different variables do not overlap, but may share
// a page.
func (n *Node) Bind(name string, ranges ...Range) (*SyncVar, error) {
	if n.engine == nil {
		return nil, n.errorf("Bind %q: the program of this rank has returned", name)
	}
	if err := n.Err(); err != nil {
		return nil, n.errorf("Bind %q: %w", name, err)
	}
	rs, err := n.checkRanges(ranges)
	if err != nil {
		return nil, n.errorf("Bind %q: %w", name, err)
	}
	var id syncvar.ID
	err = n.engine.Declare(func() (err error) {
		id, err = n.space.Bind(name, rs)
		return err
	})
	if err != nil {
		return nil, n.errorf("Bind: %w", err)
	}
	n.record.bound(id, name)
	n.check.bound(id)
	return &SyncVar{node: n, id: id, name: name}, nil
}

// checkRanges unpacks ranges of this rank's arrays.
func (n *Node) checkRanges(ranges []Range) ([]consistency.Range, error) {
	rs := make([]consistency.Range, len(ranges))
	for i, r := range ranges {
		switch {
		case r.err != nil:
			return nil, r.err
		case r.node == nil:
			return nil, errors.New("an empty Range: make it with Array.Range or Array.All")
		case r.node != n:
			return nil, errors.New("a range of another rank's array")
		}
		rs[i] = r.bytes
	}
	return rs, nil
}

// some lists names, the first few of them.
func some(names []string) string {
	const most = 3
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
