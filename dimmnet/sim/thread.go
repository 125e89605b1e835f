package sim

import (
	"errors"
	"fmt"
	"iter"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// thread is the thread of a node: a coroutine with a clock of its own that may
// run ahead of the last event. It is the node's Host and its Port.
type thread struct {
	k        *kernel
	node     *node
	rank     dimmnet.Rank
	now      dimmnet.Time
	counters dimmnet.Counters

	markAt    dimmnet.Time // when Arrivals was last called
	markPolls uint64       // the polls until then
	idleAt    dimmnet.Time // when the thread parked
	spends    uint64

	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
}

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
	dimmnet.RunBody("sim", th, body, func(cause, shown error) {
		k.live--
		if cause != nil && !errors.Is(cause, errStopped) {
			k.failBy(cause, shown)
		}
	})
}

// resume runs the thread until it gives way.
func (th *thread) resume() {
	th.k.running.Store(int64(th.rank))
	th.next()
}

func (th *thread) event() event {
	return event{at: th.now, order: threadOrder | uint64(th.rank), ref: int32(th.rank), kind: evThread}
}

// giveWay lets the kernel go on.
func (th *thread) giveWay() {
	if !th.yield(struct{}{}) {
		panic(errStopped)
	}
}

// sync lets everything happen that precedes this thread's clock.
func (th *thread) sync() {
	k := th.k
	if k.calls++; k.calls%boundCalls == 0 {
		k.checkBounds(th.now)
	}
	self := th.event()
	for len(k.queue) > 0 && k.queue[0].before(&self) {
		if k.queue[0].kind == evThread {
			k.queue.push(self)
			th.giveWay()
			return // it was this thread's turn: nothing earlier is left
		}
		k.handle()
	}
}

// park gives way until something happens at this node. The kernel takes the
// thread out of the queue and puts it back by skipTo.
func (th *thread) park() {
	th.idleAt = th.now
	th.node.parked = th
	th.giveWay()
}

// skipTo sets the clock of an idle thread forward to the start of the polling
// pass that a lies in, and counts the polls of the passes before it. A pass that
// ends at a is run for real, too: a Load samples when its read starts, but a
// Write looks at its window when the read is over.
func (th *thread) skipTo(a dimmnet.Time) {
	period := th.idleAt - th.markAt
	if period == 0 { // the pass cost nothing: it would have gone on until a
		th.now = a
		return
	}
	passes := (a - th.idleAt - 1) / period
	th.now = th.idleAt + passes*period
	th.counters.Polls += uint64(passes) * (th.counters.Polls - th.markPolls)
}

// Port is the thread itself.
func (th *thread) Port() dimmnet.Port { return th }

// Now is the thread's clock.
func (th *thread) Now() dimmnet.Time { return th.now }

// Go panics: a node of the simulator has one thread yet.
func (th *thread) Go(string, func(dimmnet.Host) error) { panic("sim: threads: not yet") }

// NewEvent panics, like Go.
func (th *thread) NewEvent() dimmnet.Event { panic("sim: threads: not yet") }

// Spend adds to the thread's clock; with a seed a little more than asked.
func (th *thread) Spend(d dimmnet.Time) {
	if d < 0 {
		panic(fmt.Sprintf("sim: rank %d spends %d ps", th.rank, d))
	}
	th.advance(d)
	if cfg := &th.k.cfg; cfg.Seed != 0 {
		th.spends++
		th.advance(randomDelay(cfg.Seed, spendStream|uint64(th.rank), th.spends, cfg.MaxDelay))
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
