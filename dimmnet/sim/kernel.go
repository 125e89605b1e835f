package sim

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// boundCalls is the number of communication calls between bound checks, which take a lock.
const boundCalls = 4096

// kernel is one run. Everything in it belongs to one goroutine, except running.
type kernel struct {
	ctx     context.Context
	cfg     Config
	preset  Preset
	queue   queue
	seq     uint64
	events  uint64
	calls   uint64 // calls of port methods so far
	packets packetPool
	nodes   []node
	fabric  *fabric   // nil if two nodes are wired back to back
	threads []*thread // the bodies first, by rank
	current *thread   // the thread that runs, or ran last
	next    *thread   // the thread that runs next, before all events in the queue; may be nil
	slices  int       // evSlice events in the queue
	live    int       // threads that have not returned
	trace   tracer
	now     dimmnet.Time // time of the last event
	last    dimmnet.Time // time of the last event or access to a NIC; now may be earlier (observe)
	flight  dimmnet.Time // how far threads look ahead; 0 if they do not (observe)

	sendTime    dimmnet.Time // sum of the send stages
	receiveTime dimmnet.Time // sum of the receive stages
	ackTime     dimmnet.Time // sum of the send stages that a packet made by the hardware passes

	ends     []*end // ends of connections on a UDP network
	datagram []byte // buffer for the datagram that leaves
	counts   UDPCounts

	partitions  []int  // indexes of the Partition faults in cfg.Faults
	corruptions []int  // indexes of the Corrupt faults
	struck      []bool // by index in cfg.Faults: the fault has affected the run
	heldPackets uint64

	transfers pool[transfer]
	callees   pool[call]
	deferrals pool[deferral]
	refusals  []Refused

	budget budget
	begun  int // nodes whose programs have started

	err     error        // what Port.Err returns once the run has failed
	cause   error        // what Run returns
	running atomic.Int64 // rank of the thread that ran last
}

// schedule puts an event of a packet or a node into the queue, behind others at the same time.
func (k *kernel) schedule(at dimmnet.Time, kind eventKind, ref int32) {
	k.seq++
	k.queue.push(event{at: at, order: k.seq, ref: ref, kind: kind})
}

// scheduleLane is schedule for an event that nothing has delayed: it goes into a lane.
func (k *kernel) scheduleLane(lane int, at dimmnet.Time, kind eventKind, ref int32) {
	k.seq++
	k.queue.pushLane(lane, event{at: at, order: k.seq, ref: ref, kind: kind})
}

// run handles events until none is left. If threads still wait then, it fails with ErrDeadlock.
func (k *kernel) run() {
	for {
		for k.next != nil || !k.queue.empty() {
			if k.next == nil && k.queue.top.kind != evThread {
				k.handle()
				continue
			}
			if k.next == nil {
				k.takeThread(k.queue.pop())
			}
			if th := k.next; th != nil {
				k.next = nil
				k.count(th.now)
				th.resume()
			}
		}
		if k.live == 0 {
			return
		}
		k.fail(k.deadlock())
	}
}

// takeThread takes a thread's event: the thread is next. It is not if it was preempted since; then
// its valid event comes later.
func (k *kernel) takeThread(e event) {
	if th := k.threads[e.ref]; th.events.stale > 0 {
		th.events.stale--
	} else {
		k.next = th
	}
}

// ErrLimit is the error of a run that exceeds Config.Limit.
var ErrLimit = errors.New("the limit of this run")

func (k *kernel) deadlock() error {
	return fmt.Errorf("sim: %w at %v: ranks %v wait and nothing is in flight", dimmnet.ErrDeadlock, k.last, k.waiting())
}

// handle takes the first event of the queue, which is not a thread's. If idle threads can
// notice the event, handle instead moves them on to the start of the polling pass during which
// it happens, and leaves the event in the queue.
func (k *kernel) handle() {
	e := k.queue.top
	if rank, concerned := k.concerns(&e); concerned {
		if n := &k.nodes[rank]; len(n.idle) > 0 {
			if th := n.idle[0]; len(n.idle) == 1 {
				n.idle = n.idle[:0]
				if th.skipTo(e.at); th.now == e.at {
					k.queue.push(th.event())
					return
				}
				if e.kind == evLand && k.keepPast(n, k.packets.at(e.ref), e.at) {
					k.queue.pop()
					k.count(e.at)
					k.land(e.ref, e.at)
				}
				k.next = th // no event is earlier
				return
			}
			for _, th := range n.idle {
				th.skipTo(e.at)
				k.queue.push(th.event())
			}
			n.idle = n.idle[:0]
			return
		}
	}
	k.queue.pop()
	if e.kind < evSlice { // events of these kinds always have an effect
		k.count(e.at)
	}
	switch e.kind {
	case evHop:
		k.hop(e.ref, e.at)
	case evEnter:
		k.enter(e.ref, e.at)
	case evRDMA:
		k.work(dimmnet.Rank(e.ref), e.at)
	case evLand:
		k.land(e.ref, e.at)
	case evFree:
		n := &k.nodes[e.ref]
		n.freeAt = 0
		n.arrivals++
		n.expected.remove(e.at)
	case evSwitch:
		k.switched(e.ref, e.at)
	case evFrame:
		k.frame(e.ref, e.at)
	case evNotice:
		k.nodes[e.ref].notices++
		k.nodes[e.ref].notice.wake(e.at, nil)
	case evDatagram:
		k.receive(e.ref, e.at)
	case evTimer:
		k.timerEvent(e.ref, e.at)
	case evSlice:
		k.slices--
		k.threads[e.ref].sliceOver(e.at)
	case evCall:
		k.called(e.ref, e.at)
	case evDeferred:
		k.threads[e.ref].perform()
	case evCrash:
		k.crash(int(e.ref))
	}
}

// concerns returns the rank whose threads can notice an event, if there is one.
func (k *kernel) concerns(e *event) (rank dimmnet.Rank, concerned bool) {
	switch e.kind {
	case evFree, evPause: // an idling thread must stop within a polling pass
		return dimmnet.Rank(e.ref), true
	case evLand:
		p := k.packets.at(e.ref)
		return p.dst, k.visible(p)
	case evCall:
		c := k.callees.at(e.ref)
		return c.rank, c.seen
	case evRDMA: // a thread may wait for a free entry in the engine's queue
		return dimmnet.Rank(e.ref), k.nodes[e.ref].engine.waiting
	}
	return 0, false
}

func (k *kernel) count(at dimmnet.Time) {
	k.now = max(k.now, at)
	k.last = max(k.last, at)
	k.events++
}

// countCall is called for every call of a port's method.
func (k *kernel) countCall(now dimmnet.Time) {
	if k.calls++; k.calls%boundCalls == 0 {
		k.checkBounds(now)
	}
	if k.calls >= k.budget.next {
		k.checkMemory()
	}
}

func (k *kernel) checkMemory() {
	if k.err == nil {
		if err := k.budget.check(k.calls, k.begun, len(k.nodes)); err != nil {
			k.fail(err)
		}
	}
}

// checkBounds fails a run whose context is done or whose virtual time exceeds Config.Limit.
func (k *kernel) checkBounds(now dimmnet.Time) {
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
func (k *kernel) fail(err error) { k.failBy(err, err) }

// failBy is fail with two errors: Run returns cause, Port.Err returns err.
func (k *kernel) failBy(cause, err error) {
	if k.err == nil {
		k.cause, k.err = cause, err
	}
	for _, th := range k.threads {
		th.interruptWait()
	}
}

func (k *kernel) waiting() (labels []string) {
	for _, th := range k.threads {
		if th.state == idling || th.state == asleep || th.state.wantsCPU() {
			labels = append(labels, dimmnet.ThreadLabel(th.rank, th.name))
		}
	}
	return labels
}
