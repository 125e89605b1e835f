package sim

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// The threads of a node share its CPUs. A thread that polls, has one as much as a
// thread that computes; one that sleeps has none. While others want a CPU, a thread
// has its own for a slice of time; then it goes behind them. A thread that is
// woken takes the CPU of the one that woke it if there is no other, as Linux 2.4
// prefers threads that have slept; that one goes to the front of those who wait.

// newThread makes a thread of a node, which begins at a time.
func (k *kernel) newThread(n *node, rank dimmnet.Rank, name string, at dimmnet.Time, body func(dimmnet.Host) error) {
	th := &thread{k: k, node: n, rank: rank, index: int32(len(k.threads)), name: name, now: at}
	k.threads = append(k.threads, th)
	n.threads = append(n.threads, th)
	k.live++
	th.start(body)
	th.wantCPU()
}

// Go starts another thread of this node.
func (th *thread) Go(name string, f func(dimmnet.Host) error) {
	th.sync()
	th.k.newThread(th.node, th.rank, name, th.now, f)
}

// wantCPU lets a thread run as soon as it has a CPU.
func (th *thread) wantCPU() {
	n := th.node
	if n.cpus > 0 {
		n.cpus--
		th.begin(th.now)
		return
	}
	th.state, th.urgent = waiting, true // it is new, or has slept
	n.ready = append(n.ready, th)
	if len(n.ready) == 1 {
		n.shareFrom(th.k, th.now)
	}
}

// begin gives a thread a CPU at a time.
func (th *thread) begin(at dimmnet.Time) {
	th.now = max(th.now, at)
	th.state, th.urgent = running, false
	th.sliceEnd = th.now + th.k.preset.Host.Slice
	if th.rest > 0 {
		th.sliceEnd = th.now + th.rest
	}
	left := th.left
	th.left, th.rest = 0, 0
	th.advance(left)
	th.enqueue()
}

// shareFrom begins the slices of a node's threads: until now nobody else wanted
// their CPUs.
func (n *node) shareFrom(k *kernel, at dimmnet.Time) {
	for _, th := range n.threads {
		if th.state != running && th.state != idling {
			continue
		}
		th.sliceEnd = max(th.sliceEnd, at+k.preset.Host.Slice)
		if th.state == idling {
			k.endSlice(th)
		}
	}
}

// endSlice takes an idle thread off its CPU when its slice is over.
func (k *kernel) endSlice(th *thread) {
	k.slices++
	k.schedule(max(th.sliceEnd, th.idleAt), evSlice, th.index)
}

// sliceOver is that time. The thread may have gone on since, or nobody may want
// its CPU any more.
func (th *thread) sliceOver(at dimmnet.Time) {
	n, k := th.node, th.k
	if th.state != idling || len(n.ready) == 0 || at < th.sliceEnd {
		return
	}
	k.count(at)
	if k.onlyPolls() {
		k.fail(k.deadlock())
		return
	}
	n.notIdle(th)
	if period := th.idleAt - th.markAt; period > 0 {
		th.counters.Polls += uint64((at-th.idleAt)/period) * (th.counters.Polls - th.markPolls)
	}
	th.now, th.polls = at, true
	th.toReady()
}

// onlyPolls says whether nothing is in flight, and every thread sleeps or polls
// what it has seen.
func (k *kernel) onlyPolls() bool {
	if len(k.queue) > k.slices {
		return false
	}
	for _, th := range k.threads {
		if th.state == running || th.state == waiting && (!th.polls || th.unseen != th.node.arrivals) {
			return false
		}
	}
	return true
}

// share gives the CPU to whoever waits for it when the slice is over, or at once to
// one that was woken, and returns when the thread has one again.
func (th *thread) share() {
	if th.now < th.sliceEnd && !th.node.ready[0].urgent {
		return
	}
	th.toReady()
	th.giveWay()
}

// toReady puts a thread behind those that want a CPU, and lets the first have its
// own.
func (th *thread) toReady() {
	n := th.node
	th.state = waiting
	n.ready = append(n.ready, th)
	n.beginFirst(th.now)
}

// beginFirst gives a CPU to the first thread that waits for one.
func (n *node) beginFirst(at dimmnet.Time) {
	first := n.ready[0]
	n.ready = n.ready[1:]
	first.begin(at)
}

// notIdle takes a thread out of those that poll.
func (n *node) notIdle(th *thread) {
	n.idle = slices.DeleteFunc(n.idle, func(x *thread) bool { return x == th })
}

// leaveCPU frees the thread's CPU for the next.
func (th *thread) leaveCPU(why threadState) {
	n := th.node
	th.state = why
	if len(n.ready) == 0 {
		n.cpus++
		return
	}
	n.beginFirst(th.now)
}

// tick is how long a thread computes before it looks whether another was woken.
const tick = dimmnet.Millisecond

// compute takes d of a CPU, slice by slice if others want it.
func (th *thread) compute(d dimmnet.Time) {
	for len(th.k.threads) > len(th.k.nodes) && d > 0 {
		th.sync() // what other threads of the node do meanwhile is seen at every slice
		part := min(d, th.k.preset.Host.Slice, tick)
		if len(th.node.ready) > 0 {
			part = min(part, max(th.sliceEnd-th.now, 1))
		}
		if part <= 0 || th.now > th.k.cfg.Limit {
			break
		}
		th.advance(part)
		d -= part
	}
	th.advance(d)
}

// wake lets a thread go on that idles or sleeps, because the run has failed.
func (th *thread) wake() {
	n := th.node
	switch th.state {
	case idling:
		n.notIdle(th)
		th.state = running
		th.k.queue.push(th.event())
	case asleep:
		n.sleepers = slices.DeleteFunc(n.sleepers, func(x *thread) bool { return x == th })
		th.wantCPU()
	}
}

// sleepEvent is an event of a node.
type sleepEvent struct {
	k      *kernel
	set    bool
	waiter *thread
}

// NewEvent returns an event for the threads of this node.
func (th *thread) NewEvent() dimmnet.Event { return &sleepEvent{k: th.k} }

// rouse sets the event, or wakes the thread that waits if a CPU is free; else it
// returns that thread, which is to get one.
func (e *sleepEvent) rouse(at dimmnet.Time) *thread {
	w := e.waiter
	if w == nil || w.state != asleep {
		e.set = true
		return nil
	}
	e.waiter = nil
	w.now = max(w.now, at)
	if w.node.cpus > 0 {
		w.wantCPU()
		return nil
	}
	return w
}

// Set wakes the thread that waits. If there is no CPU for it, it gets that of the
// thread that woke it.
func (e *sleepEvent) Set() {
	th := e.k.current
	th.sync()
	w := e.rouse(th.now)
	if w == nil {
		return
	}
	n := th.node
	n.ready = slices.Insert(n.ready, 0, th)
	th.state = waiting
	w.begin(th.now)
	th.giveWay()
}

// interrupt sets the event from outside. If there is no CPU for the thread that
// waits, it is the next to get one.
func (e *sleepEvent) interrupt(at dimmnet.Time) {
	w := e.rouse(at)
	if w == nil {
		return
	}
	w.isNext(at)
}

// isNext makes a thread that has slept the next to get a CPU.
func (th *thread) isNext(at dimmnet.Time) {
	n := th.node
	if th.k.cfg.UDP != nil && n.preempt(at) {
		th.begin(at)
		return
	}
	th.state, th.urgent = waiting, true
	n.ready = slices.Insert(n.ready, 0, th)
	n.shareNow(th.k, at)
}

// preempt takes the CPU from a thread that computes beyond at: it goes on where it
// was then when it has one again, for the rest of its slice. Threads that run lie in
// wait for what precedes their clocks (sync), so nothing of what they do then has
// happened.
func (n *node) preempt(at dimmnet.Time) bool {
	for _, th := range n.threads {
		if th.state != running || th.now <= at {
			continue
		}
		th.left, th.now = th.now-at, at
		if th.state = waiting; th.queued {
			th.stale++
		}
		if th.rest = th.sliceEnd - at; th.rest > 0 {
			n.ready = slices.Insert(n.ready, 0, th)
		} else { // others have waited for its CPU, if there are any
			n.ready = append(n.ready, th)
		}
		return true
	}
	return false
}

// shareNow takes a polling thread of the node off its CPU, if there is one. Threads
// that compute look for themselves.
func (n *node) shareNow(k *kernel, at dimmnet.Time) {
	if len(n.idle) == 0 {
		return
	}
	th := n.idle[len(n.idle)-1]
	th.sliceEnd = at
	th.sliceOver(at)
}

// Notice returns the event that notices set.
func (th *thread) Notice() dimmnet.Event { return &th.node.notice }

// Notices is how many have come by now.
func (th *thread) Notices() uint64 {
	th.sync()
	return th.node.notices
}

// Wait sleeps until the event is set.
func (e *sleepEvent) Wait() error {
	th := e.k.current
	th.sync()
	if e.k.err != nil || e.set {
		e.set = false
		return e.k.err
	}
	if e.waiter != nil {
		panic(fmt.Sprintf("sim: rank %d: two threads wait for one event", th.rank))
	}
	e.waiter = th
	th.leaveCPU(asleep)
	th.giveWay()
	if e.waiter == th { // the run has failed
		e.waiter = nil
	}
	return e.k.err
}
