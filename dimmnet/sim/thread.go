package sim

import (
	"errors"
	"fmt"
	"iter"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// thread is a thread of a node: a coroutine with a clock of its own that may
// run ahead of the last event. It is its own Host and Port.
type thread struct {
	k        *kernel
	node     *node
	rank     dimmnet.Rank
	index    int32  // among all threads
	name     string // "" for the one that a node begins with
	now      dimmnet.Time
	counters dimmnet.Counters
	state    threadState
	begun    dimmnet.Time // when it got its CPU
	sliceEnd dimmnet.Time // when another thread of the node may have it
	credit   dimmnet.Time // what is left of its slice, while it has no CPU

	markAt    dimmnet.Time // when Arrivals was last called
	markPolls uint64       // the polls until then
	idleAt    dimmnet.Time // when the thread parked
	unseen    dimmnet.Mark // the arrivals by then
	unaware   bool         // it lost its CPU while it idled
	idled     bool         // since Arrivals was last called
	polls     bool         // it had idled before that
	urgent    bool         // it was woken, and waits for no slice
	fresh     bool         // it was woken, and has neither polled in vain nor lost its CPU
	by        *thread      // that woke it, or nil
	spends    uint64
	paused    int          // pauses of its node that are behind it
	pauseAt   dimmnet.Time // when the next one begins

	computes bool         // it lies in wait in compute
	left     dimmnet.Time // of what it computed when it lost its CPU
	queued   bool         // it has an event in the queue
	stale    int          // events there that are not its own any more

	// On a UDP network:
	gathers bool         // it has begun its node's open datagram, and does not post now
	debt    dimmnet.Time // time that the kernel has taken from it

	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
}

// threadState says where a thread is.
type threadState uint8

const (
	running threadState = iota // it runs, or is in the queue, and has a CPU
	idling                     // it polls, on its CPU, and is not in the queue
	waiting                    // in the list of those who want a CPU
	asleep                     // until its event is set
	ended
)

// errStopped unwinds a thread whose run was given up.
var errStopped = errors.New("sim: stopped")

func (th *thread) start(body func(dimmnet.Host) error) {
	th.next, th.stop = iter.Pull(func(yield func(struct{}) bool) {
		th.yield = yield
		th.main(body)
	})
}

// main runs body. What ends it may fail the run.
func (th *thread) main(body func(dimmnet.Host) error) {
	k := th.k
	all := func(h dimmnet.Host) error {
		err := body(h)
		if th.gathers {
			th.flush()
		}
		return err
	}
	dimmnet.RunThread("sim", th.name, th, all, func(cause, shown error) {
		k.live--
		th.leaveCPU(ended)
		if cause != nil && !errors.Is(cause, errStopped) {
			k.failBy(cause, shown)
		}
	})
}

// resume runs the thread until it gives way.
func (th *thread) resume() {
	th.queued = false
	th.k.running.Store(int64(th.rank))
	th.k.current = th
	th.next()
}

func (th *thread) event() event {
	return event{at: th.now, order: threadOrder | uint64(th.index), ref: th.index, kind: evThread}
}

// giveWay lets the kernel go on.
func (th *thread) giveWay() {
	if !th.yield(struct{}{}) {
		panic(errStopped)
	}
}

// enqueue puts the thread into the queue.
func (th *thread) enqueue() {
	th.queued = true
	th.k.queue.push(th.event())
}

// sync lets everything happen that precedes this thread's clock. What the thread
// has gathered for a peer leaves before.
func (th *thread) sync() {
	if th.gathers {
		th.flush()
	}
	if th.debt > 0 {
		th.pay()
	}
	if th.now >= th.pauseAt {
		th.stall()
	}
	k := th.k
	k.countCall(th.now)
	if len(th.node.ready) > 0 && th.now > max(th.markAt, th.begun)+tick { // in a pass that lasts, if it is one
		th.share()
	}
	self := th.event()
	for len(k.queue) > 0 && k.queue[0].before(&self) {
		turn := k.queue[0].kind == evThread
		if turn {
			th.enqueue()
			th.giveWay()
		} else if k.handle(); th.state != running { // it has lost its CPU
			turn = true
			th.giveWay()
		}
		if th.debt > 0 {
			th.pay()
			self = th.event()
		} else if turn {
			return // nothing earlier is left
		}
	}
}

// pay lets the thread compute later by what the kernel has taken from it.
func (th *thread) pay() {
	th.advance(th.debt)
	th.debt = 0
}

// park gives way until something happens at this node. The kernel takes the
// thread out of the queue and puts it back by skipTo.
func (th *thread) park() {
	th.idleAt, th.unseen, th.state = th.now, th.node.arrivals, idling
	th.node.idle = append(th.node.idle, th)
	if len(th.node.ready) > 0 {
		th.k.endSlice(th, th.now, nil)
	}
	th.giveWay()
	th.unaware = false
}

// skipTo sets the clock of an idle thread forward to the start of the polling
// pass that a lies in, and counts the polls of the passes before it. A pass that
// ends at a is run for real, too: a Load samples when its read starts, but a
// Write looks at its window when the read is over.
func (th *thread) skipTo(a dimmnet.Time) {
	th.state = running
	period := th.idleAt - th.markAt
	if period == 0 { // the pass cost nothing: it would have gone on until a
		th.now = a
		return
	}
	passes := (a - th.idleAt - 1) / period
	th.now = th.idleAt + passes*period
	th.counters.Polls += uint64(passes) * (th.counters.Polls - th.markPolls)
}

// Port is the thread itself on DIMMnet-1.
func (th *thread) Port() dimmnet.Port {
	if th.k.cfg.UDP != nil {
		return udpPort{th}
	}
	return th
}

// Now is the thread's clock.
func (th *thread) Now() dimmnet.Time { return th.now }

// Spend adds to the thread's clock; with a seed a little more than asked.
func (th *thread) Spend(d dimmnet.Time) {
	if d < 0 {
		panic(fmt.Sprintf("sim: rank %d spends %d ps", th.rank, d))
	}
	if th.gathers {
		th.flush()
	}
	th.compute(d)
	if cfg := &th.k.cfg; cfg.Seed != 0 {
		th.spends++
		th.compute(randomDelay(cfg.Seed, spendStream|uint64(th.rank), th.spends, cfg.MaxDelay))
	}
	if th.now >= th.pauseAt {
		th.stall()
	}
	if th.k.cfg.UDP != nil {
		th.sync() // interrupts may have taken their part
	}
	th.k.checkBounds(th.now)
}

// advance adds d to the clock, but goes no further than just past the limit: so
// the clock never overflows.
func (th *thread) advance(d dimmnet.Time) {
	th.now += min(d, max(0, th.k.cfg.Limit+1-th.now))
}

// spendStream tells the random delays of Spend from those of packets.
const spendStream = 1 << 32

// Note puts a change of state into the trace.
func (th *thread) Note(what string, arg uint64) {
	th.sync()
	th.k.trace.note(th.now, th.rank, what, arg, th.counters)
}
