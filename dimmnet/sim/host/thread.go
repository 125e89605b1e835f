package host

import (
	"errors"
	"fmt"
	"iter"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/event"
	"github.com/fagus-dsm/fagus/dimmnet/sim/network"
)

// Thread is a thread of a node: a coroutine with its own clock, which may run ahead of the last
// event. It implements dimmnet.Host; Config.Port has made its port, which charges by Busy or
// Advance what its accesses cost.
type Thread struct {
	// Constant.
	k     *Kernel
	node  *node
	rank  dimmnet.Rank
	index int32  // in Kernel.threads
	name  string // "" for the body of a rank
	port  dimmnet.Port

	now      dimmnet.Time // the thread's clock
	counters dimmnet.Counters
	spends   uint64 // calls of Spend with a random delay; index of the next delay
	state    threadState
	turn     turn        // its share of the node's CPUs
	pass     pollingPass // its last polling pass
	events   ownEvents   // its events in the queue
	pauses   ownPauses   // its position among the pauses of the node

	deferrals deferrals // its calls that have yet to happen

	// Used on a UDP network only.
	gathers bool         // it began the node's open datagram and is not inside gather
	debt    dimmnet.Time // CPU time that the protocol stack has taken from it

	// The coroutine.
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
}

// threadState says whether a thread has a CPU, and what brings it back if it has none.
type threadState uint8

const (
	// running: the thread has a CPU. It executes, or its event in the queue resumes it.
	running threadState = iota
	// idling: the thread has a CPU and polls in vain. It has no event in the queue and is
	// in node.idle: the kernel skips its polling passes until something happens there.
	idling
	// ready: wants a CPU, and is in node.ready: it is new, or lost its CPU while it worked.
	ready
	// readyWoken: as ready, but the thread was asleep, or is new, and has some of its time
	// slice left. It goes before all but other woken threads.
	readyWoken
	// readyIdle: as ready, but the thread lost its CPU while it idled. It has nothing to do while
	// node.arrivals equals pass.seen.
	readyIdle
	// asleep: the thread waits without a CPU for an event, or for an arrival on a UDP network.
	asleep
	// ended: the thread has returned.
	ended
)

// wantsCPU reports whether a thread in this state is in node.ready.
func (s threadState) wantsCPU() bool { return s == ready || s == readyWoken || s == readyIdle }

// turn is what the scheduling of CPUs (cpu.go) knows about a thread.
type turn struct {
	// Valid while the thread has a CPU.
	begun    dimmnet.Time // when it got the CPU
	sliceEnd dimmnet.Time // time from which it gives its CPU to ready threads
	fresh    bool         // the thread was woken, and has not yet polled without progress
	computes bool         // the thread is inside compute: a woken thread may take its CPU at once
	bus      bool         // what it computes uses the memory bus all the time

	// Valid while the thread has no CPU.
	credit  dimmnet.Time // the rest of its time slice
	left    dimmnet.Time // rest of the computation in which it was preempted
	wokenBy *Thread      // readyWoken: the thread that woke it, or nil
}

// pollingPass is a thread's work between calls of Arrivals. Skipping needs its length and polls.
type pollingPass struct {
	kind  passKind
	start dimmnet.Time // the clock at Arrivals
	polls uint64       // Counters.Polls at start
	// charged: it has charged work, whose time may differ from pass to pass, so it is not skipped.
	charged bool

	// Valid while the thread is idling or readyIdle.
	end  dimmnet.Time // the clock when Idle parked the thread
	seen dimmnet.Mark // node.arrivals at end
}

// passKind says whether the current polling pass or the one before it was without progress.
type passKind uint8

const (
	working   passKind = iota // the pass before this one made progress
	idled                     // this pass ended in Idle
	afterIdle                 // the pass before this one ended in Idle
)

// period is the length of the pass.
func (p *pollingPass) period() dimmnet.Time { return p.end - p.start }

// ownEvents tells valid events of a thread from stale ones, which preemption leaves in the queue.
type ownEvents struct {
	queued bool // a valid event is in the queue
	stale  int  // stale events in the queue; they come before the valid one
}

// ownPauses is a thread's position in node.pauses.
type ownPauses struct {
	passed int          // pauses that the thread has served or slept through
	next   dimmnet.Time // start of the first pause not yet passed, or never
}

// errStopped is the panic value that ends the threads of a run that the kernel gave up.
var errStopped = errors.New("sim: stopped")

func (th *Thread) start(body func(dimmnet.Host) error) {
	th.next, th.stop = iter.Pull(func(yield func(struct{}) bool) {
		th.yield = yield
		th.main(body)
	})
}

func (th *Thread) main(body func(dimmnet.Host) error) {
	k := th.k
	all := func(h dimmnet.Host) error {
		if k.err != nil { // the run has failed before this thread began
			return k.err
		}
		if th.name == "" {
			k.begun++
		}
		err := body(h)
		if th.gathers {
			th.flush()
		}
		if err != nil && k.err == nil && k.net.MayRunAhead() && !th.node.coupled {
			th.Sync() // an earlier error of another thread comes first
		}
		return err
	}
	dimmnet.RunThread("sim", th.name, th, all, func(cause, shown error) {
		k.live--
		th.releaseCPU(ended)
		if cause != nil && !errors.Is(cause, errStopped) {
			k.failBy(cause, shown)
		}
	})
}

func (th *Thread) resume() {
	th.events.queued = false
	th.k.running.Store(int64(th.rank))
	th.k.current = th
	th.next()
}

func (th *Thread) event() event.Event { return event.OfThread(th.now, th.index, evThread) }

func (th *Thread) suspend() {
	if !th.yield(struct{}{}) {
		panic(errStopped)
	}
}

func (th *Thread) enqueue() {
	th.events.queued = true
	th.k.line.Push(th.event())
}

// Sync handles all events before the thread's clock. It first sends an open datagram.
func (th *Thread) Sync() {
	if th.gathers {
		th.flush()
	}
	if th.debt > 0 {
		th.payDebt()
	}
	if th.now >= th.pauses.next {
		th.servePauses()
	}
	th.catchUp()
	k := th.k
	k.countCall(th.now)
	// A polling pass longer than a tick gives up its CPU like any computation, which decides for
	// itself when it has handled all events before its clock: another CPU may be free by then.
	if !th.turn.computes && len(th.node.ready) > 0 && th.now > max(th.pass.start, th.turn.begun)+tick {
		th.yieldWhileDue()
	}
	k.line.Accessed(th.now)
	self := th.event()
	for k.line.Len() > 0 && k.line.First().Before(&self) {
		suspended := true
		if k.line.First().Kind == evThread {
			th.events.queued = true
			k.takeThread(k.line.Replace(self))
			th.suspend()
		} else if k.handle(); k.next != nil {
			th.enqueue()
			th.suspend()
		} else if th.state != running { // the event took the thread's CPU
			th.suspend()
		} else {
			suspended = false
		}
		if th.debt > 0 {
			th.payDebt()
			self = th.event()
		} else if suspended {
			return // the thread's event has resumed it, so no earlier event is left
		}
	}
}

// payDebt advances the clock by the CPU time that the protocol stack has taken.
func (th *Thread) payDebt() {
	th.Advance(th.debt)
	th.debt = 0
}

// park suspends the thread, without an event, until something happens at its node (skipTo).
func (th *Thread) park() {
	th.pass.end, th.pass.seen, th.state = th.now, th.node.net.Arrivals(), idling
	th.node.idle = append(th.node.idle, th)
	if len(th.node.ready) > 0 {
		th.k.endSlice(th, th.now, nil)
	}
	th.suspend()
}

// skipTo advances an idling thread's clock to the start of the polling pass that contains the time
// a, and counts the skipped polls. A pass that ends at a is not skipped: a Load samples its word
// when its read starts, but a Write checks for a free window when its read has returned.
func (th *Thread) skipTo(a dimmnet.Time) {
	th.state = running
	period := th.pass.period()
	if period == 0 { // the pass takes no time: the thread would have polled until a
		th.now = a
		return
	}
	passes := (a - th.pass.end - 1) / period
	th.now = th.pass.end + passes*period
	th.countSkipped(passes)
}

// countSkipped counts the polls of passes that were skipped.
func (th *Thread) countSkipped(passes dimmnet.Time) {
	th.counters.Polls += uint64(passes) * (th.counters.Polls - th.pass.polls)
}

// Port returns the thread's port.
func (th *Thread) Port() dimmnet.Port { return th.port }

// Now returns the thread's clock.
func (th *Thread) Now() dimmnet.Time { return th.now }

// Spend adds d to the thread's clock, and with a seed a random delay.
func (th *Thread) Spend(d dimmnet.Time) {
	if d < 0 {
		panic(fmt.Sprintf("sim: rank %d spends %d ps: want 0 or more", th.rank, d))
	}
	if th.gathers {
		th.flush()
	}
	th.compute(d, false)
	if delays := th.k.cfg.Delays; delays.Seed != 0 {
		th.spends++
		th.compute(delays.Of(spendStream|uint64(th.rank), th.spends), false)
	}
	th.spent()
}

// spent ends a computation.
func (th *Thread) spent() {
	if th.now >= th.pauses.next {
		th.servePauses()
	}
	if th.k.cfg.UDP {
		th.Sync() // interrupts may have taken some of its CPU time
	}
	th.k.checkBounds(th.now)
}

// Advance adds d to the clock, but stops just past the run's limit so that no clock overflows.
func (th *Thread) Advance(d dimmnet.Time) {
	th.now += min(d, max(0, th.k.cfg.Limit+1-th.now))
}

// spendStream separates the random delays of Spend from those of packets.
const spendStream = 1 << 32

// Note puts a change of state into the trace.
func (th *Thread) Note(what string, arg uint64) {
	if th.Ahead() {
		th.postpone(th.k.notes.Put(note{what, arg, th.counters}), new(network.Store))
		return
	}
	th.Sync()
	th.k.trace.Note(th.now, th.rank, what, arg, th.counters)
}
