package host

import (
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/event"
)

// The threads of a node share its CPUs. A thread that polls needs a CPU as much as one
// that computes; a sleeping thread needs none. While other threads are ready, a thread
// keeps its CPU for a time slice and then goes to the end of the list. When the first
// ready thread has used up its slice, all threads of the node get a new one and keep half
// of what they had left, as the counters of Linux 2.4 do.
//
// A woken thread goes first while it has some of its slice left. If no CPU is free, it gets
//
//   - the CPU of a thread that polls, when that has finished its polling pass;
//   - if no thread polls, the CPU of a thread that computes, at once;
//   - otherwise the next CPU that is released.
//
// A thread that was woken itself keeps its CPU for a moment (wokenKeeps), so that helper
// threads do not take each other's CPU. A thread that loses its CPU before its slice is over
// gets one back before the others.
//
// A thread thus never loses its CPU within a polling pass, and passes can be skipped
// exactly. The exception is a pass longer than a tick: after that, every call checks
// whether other threads are ready.

const (
	// tick is how long a thread computes before it checks whether other threads are ready.
	tick = dimmnet.Millisecond
	// wokenKeeps is how long a woken thread keeps its CPU from other woken threads. It is
	// longer than a helper thread works for one message. Assumed.
	wokenKeeps = 200 * dimmnet.Microsecond
	// shortChunk is how long work on the bus goes on, after other threads have begun or ceased to
	// use the bus, until it looks again. Then it looks after twice that time, and so on, up to a
	// tick.
	shortChunk = 10 * dimmnet.Microsecond
)

func (k *Kernel) newThread(n *node, rank dimmnet.Rank, name string, at dimmnet.Time, body func(dimmnet.Host) error) {
	th := &Thread{k: k, node: n, rank: rank, index: int32(len(k.threads)), name: name, now: at}
	th.turn.credit = k.preset.Host.Slice
	th.pauses.next = th.nextPause()
	k.threads = append(k.threads, th)
	n.threads = append(n.threads, th)
	n.coupled = n.coupled || len(n.threads) > 1
	k.live++
	th.port = k.cfg.Port(th)
	th.start(body)
	th.wake(at, k.current)
}

// Go starts another thread of this node.
func (th *Thread) Go(name string, f func(dimmnet.Host) error) {
	th.Sync()
	th.k.newThread(th.node, th.rank, name, th.now, f)
}

// wake makes a new or sleeping thread ready. The thread by causes the wake-up; nil if none does.
func (th *Thread) wake(at dimmnet.Time, by *Thread) {
	n := th.node
	at = n.afterPause(at)
	th.now, th.turn.fresh = max(th.now, at), true
	state := ready
	if th.turn.credit > 0 {
		state = readyWoken
	}
	switch {
	case n.cpus > 0:
		n.cpus--
		th.begin(th.now)
	case state == readyWoken && !n.polled() && n.preempt(at):
		th.begin(th.now)
	default:
		th.turn.wokenBy = by
		n.makeReady(th, state, th.now, state == readyWoken, by)
	}
}

// begin gives the thread a CPU at the time at.
func (th *Thread) begin(at dimmnet.Time) {
	th.now = max(th.now, at)
	th.skipPauses()
	th.state = running
	if th.turn.credit <= 0 {
		for _, x := range th.node.threads {
			x.turn.credit = x.turn.credit/2 + x.k.preset.Host.Slice
		}
	}
	th.turn.begun, th.turn.sliceEnd = th.now, th.now+th.turn.credit
	left := th.turn.left
	th.turn.left = 0
	th.Advance(left)
	th.enqueue()
}

// endTurn records the rest of the thread's slice when it loses its CPU. If no other thread waited,
// the thread may have run for several slices; then the rest of the last slice counts.
func (th *Thread) endTurn() {
	th.turn.fresh = false
	slice := max(th.k.preset.Host.Slice, 1)
	if th.turn.credit = th.turn.sliceEnd - th.now; th.turn.credit < 0 && len(th.node.ready) == 0 {
		th.turn.credit = slice + th.turn.credit%slice
	}
}

// makeReady puts a thread into the list of ready threads: at the end, or, if first is true, before
// all threads except woken ones. The thread by causes the change; nil if none does.
func (n *node) makeReady(th *Thread, state threadState, at dimmnet.Time, first bool, by *Thread) {
	th.state = state
	index := len(n.ready)
	if first {
		index = 0
		for index < len(n.ready) && n.ready[index].state == readyWoken {
			index++
		}
	}
	n.ready = slices.Insert(n.ready, index, th)
	for _, x := range n.threads {
		// a slice begins when another thread starts to wait for the CPU
		if len(n.ready) == 1 && x.hasCPU() {
			x.turn.sliceEnd = max(x.turn.sliceEnd, at+x.k.preset.Host.Slice)
		}
		if x.state == idling {
			x.k.endSlice(x, at, by)
		}
	}
}

func (th *Thread) hasCPU() bool { return th.state == running || th.state == idling }

// polled reports whether a thread of the node polls without progress.
func (n *node) polled() bool {
	return slices.ContainsFunc(n.threads, func(th *Thread) bool { return th.hasCPU() && th.pass.kind != working })
}

// preempt takes the CPU from a thread whose computation goes on after the time at, if there is
// one. The thread later continues with the rest of its computation and slice. This is safe: a
// running thread acts only after all events before its clock have happened (sync).
func (n *node) preempt(at dimmnet.Time) bool {
	for _, th := range n.threads {
		if th.state != running || !th.turn.computes || th.now <= at || th.turn.fresh && at < th.turn.begun+wokenKeeps {
			continue
		}
		th.turn.left, th.now = th.now-at, at
		th.undoPauses(at)
		if th.events.queued {
			th.events.stale++
		}
		th.requeue(ready)
		return true
	}
	return false
}

// requeue makes a thread without a CPU ready: last if its slice is over, else after woken threads.
func (th *Thread) requeue(state threadState) {
	th.endTurn()
	th.node.makeReady(th, state, th.now, th.turn.credit > 0, nil)
}

// endSlice schedules the time at which an idling thread loses its CPU. The thread loses it at the
// end of a polling pass, once its slice is over or a woken thread is ready, and not before now.
// The thread by causes the loss; nil if none does.
func (k *Kernel) endSlice(th *Thread, now dimmnet.Time, by *Thread) {
	p := &th.pass
	from := max(th.turn.sliceEnd, p.end)
	if th.node.ready[0].state == readyWoken {
		from = max(now, p.end)
	}
	if period := p.period(); period > 0 {
		past := from - p.end
		from = p.end + (past+period-1)/period*period
		if from == now && th.precedes(by) { // the thread's next pass has begun before by acts
			from += period
		}
	}
	k.slices++
	k.line.Push(event.OfThread(from, th.index, evSlice))
}

// sliceOver handles an evSlice. The thread may have stopped idling, or no thread may be ready.
func (th *Thread) sliceOver(at dimmnet.Time) {
	n, k := th.node, th.k
	if th.state != idling || len(n.ready) == 0 {
		return
	}
	period := th.pass.period()
	if period > 0 && (at < th.pass.end || (at-th.pass.end)%period != 0) {
		return // the event belongs to an earlier call of Idle
	}
	if at < th.turn.sliceEnd && n.ready[0].state != readyWoken {
		k.endSlice(th, at, nil)
		return
	}
	k.line.Happened(at)
	if k.onlyPolls() {
		k.fail(k.deadlock())
		return
	}
	n.notIdle(th)
	if period > 0 {
		th.countSkipped((at - th.pass.end) / period)
	}
	th.now = at
	th.yieldCPU(readyIdle)
}

// onlyPolls reports whether nothing is in flight and every thread sleeps or polls without news.
func (k *Kernel) onlyPolls() bool {
	if k.line.Len() > k.slices {
		return false
	}
	for _, th := range k.threads {
		switch th.state {
		case running, ready, readyWoken:
			return false
		case readyIdle:
			if th.pass.seen != th.node.net.Arrivals() {
				return false
			}
		}
	}
	return true
}

// due reports whether the thread must give up its CPU. The thread's clock may be behind that of
// its node; threads that became ready after the thread's clock do not count yet.
func (th *Thread) due() bool {
	if len(th.node.ready) == 0 {
		return false
	}
	first, t := th.node.ready[0], &th.turn
	woken := first.state == readyWoken && (first.now < th.now || first.now == th.now && !th.precedes(first.turn.wokenBy))
	return woken && !(t.fresh && th.now < t.begun+wokenKeeps) || th.now >= t.sliceEnd
}

// precedes reports whether th acts before other at the same instant; other may be nil.
func (th *Thread) precedes(other *Thread) bool { return other != nil && th.index < other.index }

// yieldWhileDue gives up the CPU while due reports true. The thread has a CPU when it returns.
func (th *Thread) yieldWhileDue() {
	for th.due() {
		th.yieldCPU(ready)
		th.suspend()
	}
}

func (th *Thread) yieldCPU(state threadState) {
	th.requeue(state)
	th.node.beginFirst(th.now)
}

func (n *node) beginFirst(at dimmnet.Time) {
	first := n.ready[0]
	n.ready = n.ready[1:]
	first.begin(at)
}

func (n *node) notIdle(th *Thread) {
	n.idle = slices.DeleteFunc(n.idle, func(x *Thread) bool { return x == th })
}

func (th *Thread) releaseCPU(state threadState) {
	n := th.node
	th.endTurn()
	th.state = state
	if len(n.ready) == 0 {
		n.cpus++
		return
	}
	n.beginFirst(th.now)
}

// compute uses a CPU for d, or for longer if it uses the bus and other threads do, too. If the node
// may have other threads, it works in pieces of up to a tick.
func (th *Thread) compute(d dimmnet.Time, bus bool) {
	if len(th.k.threads) == len(th.k.nodes) {
		th.Advance(d)
		return
	}
	turn, chunk := dimmnet.Time(0), shortChunk // of the bus
	for {
		th.turn.computes, th.turn.bus = true, bus
		th.Sync() // let the node's other threads act after every tick
		th.turn.computes = false
		th.yieldWhileDue()
		if d <= 0 || th.now > th.k.cfg.Limit {
			return
		}
		part := min(d, tick)
		takes := part
		if bus {
			if now := th.busTurn(); now != turn { // perhaps for a moment only
				turn, chunk = now, shortChunk
			}
			part = min(part, chunk)
			takes = th.hindered(part, turn)
			chunk = min(2*chunk, tick)
		}
		if rest := th.turn.sliceEnd - th.now; len(th.node.ready) > 0 && takes > rest {
			part, takes = share(part, rest, takes), rest
		}
		th.Advance(takes)
		d -= part
	}
}

// interruptWait resumes a thread that idles or sleeps, because the run has failed.
func (th *Thread) interruptWait() {
	n := th.node
	switch th.state {
	case idling:
		n.notIdle(th)
		th.state = running
		th.k.line.Push(th.event())
	case asleep:
		n.sleepers = slices.DeleteFunc(n.sleepers, func(x *Thread) bool { return x == th })
		th.wake(th.now, nil)
	}
}
