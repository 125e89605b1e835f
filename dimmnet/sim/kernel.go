package sim

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// boundCalls is how many communication calls pass between two looks at what
// bounds the run. A look takes a lock.
const boundCalls = 4096

// kernel is one run: the queue, the nodes and the threads. Everything in it
// belongs to one goroutine, except running.
type kernel struct {
	ctx     context.Context
	cfg     Config
	preset  Preset
	queue   queue
	seq     uint64
	events  uint64
	calls   uint64 // of communication methods
	packets packetPool
	nodes   []node
	fabric  *fabric   // nil if two nodes are wired back to back
	threads []*thread // those of the nodes first, by rank
	current *thread   // that runs
	slices  int       // ends of time slices in the queue
	live    int       // threads that have not returned
	trace   tracer
	now     dimmnet.Time // of the last event

	sendTime    dimmnet.Time // all send stages
	receiveTime dimmnet.Time // all receive stages
	ackTime     dimmnet.Time // those send stages that a packet of the hardware's own has

	ends     []*end // of connections on a UDP network
	datagram []byte // the last one that left
	counts   UDPCounts

	partitions  []int  // faults of that kind, by number
	corruptions []int  // and of that
	struck      []bool // by fault
	heldPackets uint64

	transfers pool[transfer]
	callees   pool[call]
	refusals  []Refused

	err     error        // what the ports say of the run's failure
	cause   error        // what Run returns
	running atomic.Int64 // the rank whose thread ran last
}

// schedule puts an event of a packet or a node into the queue, behind those of
// the same instant that are there.
func (k *kernel) schedule(at dimmnet.Time, kind eventKind, ref int32) {
	k.seq++
	k.queue.push(event{at: at, order: k.seq, ref: ref, kind: kind})
}

// run handles events until none is left. When threads remain that nothing can
// wake any more, they are told so and run to their end.
func (k *kernel) run() {
	for {
		for len(k.queue) > 0 {
			if k.queue[0].kind == evThread {
				e := k.queue.pop()
				th := k.threads[e.ref]
				if th.stale > 0 { // the older of its events
					th.stale--
					continue
				}
				k.count(e.at)
				th.resume()
			} else {
				k.handle()
			}
		}
		if k.live == 0 {
			return
		}
		k.fail(k.deadlock())
	}
}

// ErrLimit is why a run has failed that went on after Config.Limit.
var ErrLimit = errors.New("the limit of this run")

func (k *kernel) deadlock() error {
	return fmt.Errorf("sim: %w at %v: ranks %v wait and nothing is in flight", dimmnet.ErrDeadlock, k.now, k.waiting())
}

// handle takes the event at the head of the queue, which is not a thread's. If
// it concerns a node whose thread idles, that thread is set forward to the
// start of the polling pass during which the event happens, and the event
// stays for later.
func (k *kernel) handle() {
	e := k.queue[0]
	if rank, concerned := k.concerns(&e); concerned {
		if n := &k.nodes[rank]; len(n.idle) > 0 {
			for _, th := range n.idle {
				th.skipTo(e.at)
				k.queue.push(th.event())
			}
			n.idle = n.idle[:0]
			return
		}
	}
	k.queue.pop()
	if e.kind < evSlice { // nothing may come of it
		k.count(e.at)
	}
	switch e.kind {
	case evHop:
		k.hop(e.ref, e.at)
	case evEnter:
		k.enter(e.ref, e.at)
	case evLand:
		k.land(e.ref, e.at)
	case evRDMA:
		k.work(dimmnet.Rank(e.ref), e.at)
	case evFree:
		n := &k.nodes[e.ref]
		n.freeAt = 0
		n.arrivals++
	case evNotice:
		k.nodes[e.ref].notices++
		k.nodes[e.ref].notice.rouse(e.at, nil)
	case evCall:
		k.called(e.ref, e.at)
	case evSwitch:
		k.switched(e.ref, e.at)
	case evFrame:
		k.frame(e.ref, e.at)
	case evDatagram:
		k.receive(e.ref, e.at)
	case evTimer:
		k.timeIsUp(e.ref, e.at)
	case evCrash:
		k.crash(int(e.ref))
	case evSlice:
		k.slices--
		k.threads[e.ref].sliceOver(e.at)
	}
}

// concerns says whose thread can notice an event, if anybody's can.
func (k *kernel) concerns(e *event) (rank dimmnet.Rank, concerned bool) {
	switch e.kind {
	case evFree, evPause: // who polls stops within a pass
		return dimmnet.Rank(e.ref), true
	case evLand:
		p := k.packets.at(e.ref)
		return p.dst, k.visible(p)
	case evCall:
		c := k.callees.at(e.ref)
		return c.rank, c.seen
	case evRDMA: // a place in the engine's queue may become free
		return dimmnet.Rank(e.ref), k.nodes[e.ref].engine.waiting
	}
	return 0, false
}

// count is called for every event that is taken.
func (k *kernel) count(at dimmnet.Time) {
	k.now = max(k.now, at)
	k.events++
}

// countCall is called for every call of a port.
func (k *kernel) countCall(now dimmnet.Time) {
	if k.calls++; k.calls%boundCalls == 0 {
		k.checkBounds(now)
	}
}

// checkBounds fails the run when its context or its virtual time has ended.
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

// fail records the first failure and wakes every thread that idles.
func (k *kernel) fail(err error) { k.failBy(err, err) }

// failBy does so for a cause that the ports are told of in other words.
func (k *kernel) failBy(cause, err error) {
	if k.err == nil {
		k.cause, k.err = cause, err
	}
	for _, th := range k.threads {
		th.wake()
	}
}

// waiting lists the threads that wait.
func (k *kernel) waiting() (labels []string) {
	for _, th := range k.threads {
		if th.state == idling || th.state == asleep || th.state == waiting {
			labels = append(labels, dimmnet.ThreadLabel(th.rank, th.name))
		}
	}
	return labels
}
