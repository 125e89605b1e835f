package phase

import (
	"fmt"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/phase/agreement"
	"github.com/fagus-dsm/fagus/phase/movement"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

type state uint8

const (
	between  state = iota // no phase: the program computes
	ready                 // the method prepares the phase; this rank has sent nothing yet
	gather                // lists are exchanged
	transfer              // data are exchanged
)

// Engine takes one rank through all communication phases of a run.
type Engine struct {
	agreement agreement.Protocol
	outcome   *agreement.Outcome // of agreement
	mover     *movement.Mover

	state    state
	quick    agreement.Quick // agreement, if it polls; else nil
	list     syncvar.List    // of Acquire and Meet
	report   report
	change   change // of AcquireChanged
	observer syncvar.Observer
	phases   bool      // observer wants syncvar.Agreed
	err      error     // the first error; the engine stays failed
	waitPort *waitPort // wraps the port; Call passes it to Drive
	waits    waits
}

// Config selects how engines communicate. All but Help, Polls, Observer, Replica and Charge must be
// equal on all ranks.
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
	// Observer gets the events of the rank's calls. It may be nil.
	Observer syncvar.Observer
	// Replica is shared by the engines of a process (NewReplica); nil if this engine is the only
	// one.
	Replica Replica
	// Charge, if not nil, is called for the work of the host (dimmnet.Host.Charge).
	Charge func(w dimmnet.Work, n int)
}

// New returns the engine of the port's rank. space holds the rank's memory; the engine writes
// arriving data directly to their addresses. New fails if the port cannot do what cfg asks for, or
// if the rings of so many nodes do not fit the LLCM.
func New(p dimmnet.Port, space *consistency.Space, cfg Config) (*Engine, error) {
	if cfg.Observer == nil {
		cfg.Observer = syncvar.Unobserved{}
	}
	m := movement.New(p, space, cfg.FirstPhase, cfg.Charge)
	a, err := choose(m, cfg)
	if err != nil {
		return nil, err
	}
	m.Connect(a, cfg.Live)
	return Assemble(m, a, cfg.Observer), nil
}

// Assemble returns an engine that takes the rank of m through its phases, by a.
func Assemble(m *movement.Mover, a agreement.Protocol, o syncvar.Observer) *Engine {
	e := &Engine{agreement: a, outcome: a.Outcome(), mover: m, observer: o, phases: o.Wants(syncvar.Agreed)}
	if q, ok := a.(agreement.Quick); ok && q.Polls() {
		e.quick = q
	}
	e.waitPort = &waitPort{m.Port, e}
	return e
}

// Layout returns how the rank's LLCM is divided.
func (e *Engine) Layout() ringbuf.Layout { return e.mover.Layout }

// Counts holds what an engine has done so far.
type Counts struct {
	Phases uint64 // phases completed
	agreement.Repetitions
	movement.Counts
}

// Counts returns what the engine has done so far.
func (e *Engine) Counts() Counts {
	repetitions, _ := e.repetitions()
	return Counts{e.mover.Phase - e.mover.First, repetitions, e.mover.Counts}
}

// Repeats reports whether the rank is in a phase that repeats an earlier one, or expects it to.
func (e *Engine) Repeats() bool {
	_, now := e.repetitions()
	return now
}

func (e *Engine) repetitions() (r agreement.Repetitions, now bool) {
	if by, ok := e.agreement.(agreement.Repeater); ok {
		return by.Repetitions()
	}
	return r, false
}

// Table returns the rank's copy of the replicated table. The caller must not change it.
func (e *Engine) Table() *syncvar.Table { return e.agreement.Table() }

// Version returns the version of a variable that this rank holds or held last.
func (e *Engine) Version(id syncvar.ID) syncvar.Version { return e.agreement.Version(id) }

// Begin enters the next communication phase with this rank's list. It sets the list's Phase,
// Declared and Digest.
func (e *Engine) Begin(l syncvar.List) error { return e.begin(&l) }

func (e *Engine) begin(l *syncvar.List) error {
	if e.err != nil {
		return e.err
	}
	if e.state != between {
		panic(fmt.Sprintf("phase: Begin called during phase %d", e.mover.Phase))
	}
	e.state = ready
	sent, err := e.agreement.Begin(l)
	if sent {
		e.state = gather
		return nil
	}
	if err == nil {
		_, err = e.prepare()
	}
	return e.fail(err)
}

// prepare begins to gather lists if the method is ready for the phase.
func (e *Engine) prepare() (progress bool, err error) {
	progress, done := e.mover.Ready()
	if !done {
		return progress, nil
	}
	e.state = gather
	return true, e.agreement.Send()
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
		progress, err = e.prepare()
	case gather:
		progress, err = e.exchange()
		if err == nil && !e.agreement.Pending() && e.mover.Quiet() {
			progress, err = true, e.decide()
		}
	case transfer:
		progress, err = e.mover.Step()
		if err == nil && e.mover.Quiet() {
			progress = true
			e.mover.Finish()
			e.agreement.Finish()
			e.end()
		}
	}
	return progress, e.fail(err)
}

// exchange sends and takes the lists that can be sent and taken now.
func (e *Engine) exchange() (progress bool, err error) {
	if progress, err = e.agreement.Step(); err != nil {
		return false, err
	}
	moved, err := e.mover.Step()
	return progress || moved, err
}

// decide ends the gathering when all lists are known, and the phase if nothing has to move.
func (e *Engine) decide() error {
	moves, err := e.agreement.Decide()
	if err == nil {
		e.decided(moves)
	}
	return err
}

func (e *Engine) decided(moves bool) {
	if moves {
		e.state = transfer
	} else {
		e.end()
	}
}

func (e *Engine) end() {
	e.mover.Phase++
	e.state = between
}

func (e *Engine) fail(err error) error {
	if e.err == nil && err != nil {
		e.err = err
		e.mover.Abandon() // the program may free its memory now
	}
	return err
}
