package host

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/event"
	"github.com/fagus-dsm/fagus/dimmnet/sim/network"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
)

// boundCalls is the number of communication calls between bound checks, which take a lock.
const boundCalls = 4096

// Config describes the hosts of a run.
type Config struct {
	Preset *presets.Preset // which nobody changes
	Nodes  int
	Delays event.Delays
	Limit  dimmnet.Time // of virtual time
	Spin   bool         // run every polling pass, even those without progress
	UDP    bool         // threads that idle sleep until a datagram arrives
	Faults []event.Fault
	Budget *Budget // nil: no bound
	// Port makes the port of a new thread.
	Port func(*Thread) dimmnet.Port
}

// Kernel is the kernel of the simulation: it takes the events of a run and lets its threads run.
// Everything in it belongs to one goroutine, except running.
type Kernel struct {
	ctx     context.Context
	cfg     Config
	preset  *presets.Preset
	line    *event.Timeline
	trace   *event.Trace
	net     *network.Network
	calls   uint64 // calls of port methods so far
	nodes   []node
	threads []*Thread // the bodies first, by rank
	current *Thread   // the thread that runs, or ran last
	next    *Thread   // the thread that runs next, before all events in the queue; may be nil
	slices  int       // evSlice events in the queue
	live    int       // threads that have not returned

	ends     []*end // ends of connections on a UDP network
	datagram []byte // buffer for the datagram that leaves

	callees   event.Pool[call]
	deferrals event.Pool[deferral]
	notes     event.Pool[note]

	budget Budget
	begun  int // nodes whose programs have started

	err     error        // what Port.Err returns once the run has failed
	cause   error        // what the run returns
	running atomic.Int64 // rank of the thread that ran last
}

// The kinds of the hosts' events, behind those of the network.
const (
	evNotice   = network.Kinds + iota // a notice interrupts a node
	evCall                            // a call that another package has scheduled
	evDatagram                        // a host's protocol stack has finished with a datagram
	evDeferred                        // a call that a thread has deferred
	evThread                          // a thread continues
	// An event of the following kinds may have no effect.
	evSlice // a thread's time slice is over
	evTimer // a connection has something to send
	evPause // the threads of a node pause
	evCrash // a node crashes
)

// New returns the hosts of a run, which have no threads yet.
func New(ctx context.Context, cfg Config, net *network.Network, line *event.Timeline, trace *event.Trace) *Kernel {
	k := &Kernel{ctx: ctx, cfg: cfg, preset: cfg.Preset, line: line, trace: trace, net: net, nodes: make([]node, cfg.Nodes)}
	if k.budget = unbounded(); cfg.Budget != nil {
		k.budget = *cfg.Budget
	}
	k.scheduleFaults()
	return k
}

// Start starts body as the program of a node, which has been opened.
func (k *Kernel) Start(n *network.Node, rank dimmnet.Rank, body func(dimmnet.Host) error) {
	x := &k.nodes[rank]
	x.net, x.cpus, x.notice.k = n, max(1, k.preset.Host.CPUs), k
	k.newThread(x, rank, "", 0, body)
}

// Run handles events until none is left. If threads still wait then, the run fails with
// ErrDeadlock.
func (k *Kernel) Run() {
	for {
		for k.next != nil || k.line.Len() > 0 {
			if k.next == nil && k.line.First().Kind != evThread {
				k.handle()
				continue
			}
			if k.next == nil {
				k.takeThread(k.line.Pop())
			}
			if th := k.next; th != nil {
				k.next = nil
				k.line.Happened(th.now)
				th.resume()
			}
		}
		if k.live == 0 {
			return
		}
		k.fail(k.deadlock())
	}
}

// Stop unwinds the threads that are left when Run has ended early.
func (k *Kernel) Stop() {
	for _, th := range k.threads {
		th.stop()
	}
}

// Running returns the rank of the thread that runs, or ran last. Any goroutine may call it.
func (k *Kernel) Running() int64 { return k.running.Load() }

// Cause returns the error with which the run has failed, or nil.
func (k *Kernel) Cause() error { return k.cause }

// takeThread takes a thread's event: the thread is next. It is not if it was preempted since; then
// its valid event comes later.
func (k *Kernel) takeThread(e event.Event) {
	if th := k.threads[e.Ref]; th.events.stale > 0 {
		th.events.stale--
	} else {
		k.next = th
	}
}

// ErrLimit is the error of a run that exceeds the limit of its virtual time.
var ErrLimit = errors.New("the limit of this run")

func (k *Kernel) deadlock() error {
	return fmt.Errorf("sim: %w at %v: ranks %v wait and nothing is in flight", dimmnet.ErrDeadlock, k.line.End(), k.waiting())
}

// handle takes the first event of the queue, which is not a thread's. If idle threads can
// notice the event, handle instead moves them on to the start of the polling pass during which
// it happens, and leaves the event in the queue.
func (k *Kernel) handle() {
	e := *k.line.First()
	var rank dimmnet.Rank
	var concerned bool
	if e.Kind < network.Kinds {
		rank, concerned = k.net.Concerns(&e)
	} else {
		rank, concerned = k.concerns(&e)
	}
	if concerned && len(k.nodes[rank].idle) > 0 {
		k.notice(&k.nodes[rank], &e)
		return
	}
	k.line.Pop()
	if e.Kind < evSlice { // events of these kinds always have an effect
		k.line.Happened(e.At)
	}
	if e.Kind < network.Frame {
		k.net.Handle(e)
		if concerned && len(k.nodes[rank].sleepers) > 0 {
			k.nodes[rank].wakeSleepers(e.At)
		}
		return
	}
	switch e.Kind {
	case network.Frame:
		k.frame(e.Ref, e.At)
	case evNotice:
		k.nodes[e.Ref].notices++
		k.nodes[e.Ref].notice.wake(e.At, nil)
	case evDatagram:
		k.receive(e.Ref, e.At)
	case evTimer:
		k.timerEvent(e.Ref, e.At)
	case evSlice:
		k.slices--
		k.threads[e.Ref].sliceOver(e.At)
	case evCall:
		k.called(e.Ref, e.At)
	case evDeferred:
		k.threads[e.Ref].perform()
	case evCrash:
		k.crash(e.Ref)
	}
}

// notice moves the idle threads of a node on to the start of the polling pass during which e
// happens. If e changes one word, it happens before the only thread runs.
func (k *Kernel) notice(n *node, e *event.Event) {
	if len(n.idle) == 1 {
		th := n.idle[0]
		n.idle = n.idle[:0]
		if th.skipTo(e.At); th.now == e.At {
			k.line.Push(th.event())
			return
		}
		if e.Kind == network.Land && k.keepPast(n, e) {
			k.line.Pop()
			k.line.Happened(e.At)
			k.net.Handle(*e)
		}
		k.next = th // no event is earlier
		return
	}
	for _, th := range n.idle {
		th.skipTo(e.At)
		k.line.Push(th.event())
	}
	n.idle = n.idle[:0]
}

// concerns is Concerns of the network for an event of the hosts.
func (k *Kernel) concerns(e *event.Event) (rank dimmnet.Rank, concerned bool) {
	switch e.Kind {
	case evPause: // an idling thread must stop within a polling pass
		return dimmnet.Rank(e.Ref), true
	case evCall:
		c := k.callees.At(e.Ref)
		return c.rank, c.seen
	}
	return 0, false
}

// countCall is called for every call of a port's method.
func (k *Kernel) countCall(now dimmnet.Time) {
	if k.calls++; k.calls%boundCalls == 0 {
		k.checkBounds(now)
	}
	if k.calls >= k.budget.next {
		k.checkMemory()
	}
}

func (k *Kernel) checkMemory() {
	if k.err == nil {
		if err := k.budget.check(k.calls, k.begun, len(k.nodes)); err != nil {
			k.fail(err)
		}
	}
}

// checkBounds fails a run whose context is done or whose virtual time exceeds Config.Limit.
func (k *Kernel) checkBounds(now dimmnet.Time) {
	if k.err != nil {
		return
	}
	if k.ctx.Err() != nil {
		k.fail(fmt.Errorf("sim: stopped at %v: %w", now, dimmnet.ContextErr(k.ctx)))
	} else if now > k.cfg.Limit {
		k.fail(fmt.Errorf("sim: %v of virtual time have passed, %w", k.cfg.Limit, ErrLimit))
	}
}

// fail records the first failure and wakes every waiting thread.
func (k *Kernel) fail(err error) { k.failBy(err, err) }

// failBy is fail with two errors: Run returns cause, Port.Err returns err.
func (k *Kernel) failBy(cause, err error) {
	if k.err == nil {
		k.cause, k.err = cause, err
	}
	for _, th := range k.threads {
		th.interruptWait()
	}
}

func (k *Kernel) waiting() (labels []string) {
	for _, th := range k.threads {
		if th.state == idling || th.state == asleep || th.state.wantsCPU() {
			labels = append(labels, dimmnet.ThreadLabel(th.rank, th.name))
		}
	}
	return labels
}
