package sim

import (
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// The threads of a node share its CPUs. A thread that polls has one as much as a
// thread that computes; one that sleeps has none. While others want a CPU, a thread
// has its own for a slice of time; then it goes behind them. When the first of those
// that want a CPU has used up its slice all get a new one, and keep half of what they
// had left, as the counters of Linux 2.4 do.
//
// Who was asleep comes first while it has some of its slice. If no CPU is free it
// gets that of a thread that polls, at the end of its polling pass; if none polls that
// of one that computes, at once; else the next one that is given away. A thread that
// was woken itself is left alone for a moment: so helper threads do not take each
// other's CPU. Who loses it before its slice is over gets it back before others.
//
// So a thread never loses its CPU within a polling pass, and passes can be skipped
// exactly; but for a pass of more than a tick, after which every call looks whether
// others want the CPU.

const (
	// tick is how long a thread computes before it looks whether others want its CPU.
	tick = dimmnet.Millisecond
	// moment is how long who was woken keeps its CPU from others that are: longer than a
	// helper thread has to do for a message. Assumed.
	moment = 50 * dimmnet.Microsecond
)

// newThread makes a thread of a node, which begins at a time.
func (k *kernel) newThread(n *node, rank dimmnet.Rank, name string, at dimmnet.Time, body func(dimmnet.Host) error) {
	th := &thread{k: k, node: n, rank: rank, index: int32(len(k.threads)), name: name, now: at, credit: k.preset.Host.Slice}
	k.threads = append(k.threads, th)
	n.threads = append(n.threads, th)
	th.pauseAt = th.nextPause()
	k.live++
	th.start(body)
	th.wantCPU(at, k.current)
}

// Go starts another thread of this node.
func (th *thread) Go(name string, f func(dimmnet.Host) error) {
	th.sync()
	th.k.newThread(th.node, th.rank, name, th.now, f)
}

// wantCPU lets a thread that is new or has slept run as soon as it has a CPU. by is
// the thread that wakes it, or nil.
func (th *thread) wantCPU(at dimmnet.Time, by *thread) {
	n := th.node
	at = n.awake(at)
	th.now, th.fresh = max(th.now, at), true
	first := th.credit > 0
	switch {
	case n.cpus > 0:
		n.cpus--
		th.begin(th.now)
	case first && !n.polled() && n.preempt(at):
		th.begin(th.now)
	default:
		th.urgent, th.by = first, by
		n.line(th, th.now, first, by)
	}
}

// begin gives a thread a CPU at a time.
func (th *thread) begin(at dimmnet.Time) {
	th.now = max(th.now, at)
	th.sleepOn()
	th.state, th.urgent = running, false
	if th.credit <= 0 {
		for _, x := range th.node.threads {
			x.credit = x.credit/2 + x.k.preset.Host.Slice
		}
	}
	th.begun, th.sliceEnd = th.now, th.now+th.credit
	left := th.left
	th.left = 0
	th.advance(left)
	th.enqueue()
}

// lose takes note of what is left of a thread's slice when it loses its CPU. A thread
// that nobody had to wait for has used up some slices, and part of another.
func (th *thread) lose() {
	th.fresh = false
	slice := max(th.k.preset.Host.Slice, 1)
	if th.credit = th.sliceEnd - th.now; th.credit < 0 && len(th.node.ready) == 0 {
		th.credit = slice + th.credit%slice
	}
}

// line puts a thread among those that want a CPU: last, or before all but those that
// have slept. by is the thread that does so, or nil.
func (n *node) line(th *thread, at dimmnet.Time, first bool, by *thread) {
	th.state = waiting
	place := len(n.ready)
	if first {
		place = 0
		for place < len(n.ready) && n.ready[place].urgent {
			place++
		}
	}
	n.ready = slices.Insert(n.ready, place, th)
	for _, x := range n.threads {
		if len(n.ready) == 1 && x.hasCPU() { // until now nobody else wanted it
			x.sliceEnd = max(x.sliceEnd, at+x.k.preset.Host.Slice)
		}
		if x.state == idling {
			x.k.endSlice(x, at, by)
		}
	}
}

// hasCPU says whether a thread has one.
func (th *thread) hasCPU() bool { return th.state == running || th.state == idling }

// polled says whether a thread of the node polls: its last pass was in vain.
func (n *node) polled() bool {
	return slices.ContainsFunc(n.threads, func(th *thread) bool { return th.hasCPU() && (th.idled || th.polls) })
}

// preempt takes the CPU from a thread that computes beyond at: it goes on where it
// was then when it has one again, for the rest of its slice. Threads that run lie in
// wait for what precedes their clocks (sync), so nothing of what they do then has
// happened.
func (n *node) preempt(at dimmnet.Time) bool {
	for _, th := range n.threads {
		if th.state != running || !th.computes || th.now <= at || th.fresh && at < th.begun+moment {
			continue
		}
		th.left, th.now = th.now-at, at
		th.unstall(at)
		if th.queued {
			th.stale++
		}
		th.wait()
		return true
	}
	return false
}

// wait puts a thread that has lost its CPU behind those that want one; or, if its slice
// is not over, behind those that have slept.
func (th *thread) wait() {
	th.lose()
	th.node.line(th, th.now, th.credit > 0, nil)
}

// endSlice lets an idle thread lose its CPU at the first end of a polling pass, not
// before now, at which its slice is over or somebody who has slept wants it. by is
// the thread that lets it know, or nil.
func (k *kernel) endSlice(th *thread, now dimmnet.Time, by *thread) {
	from := max(th.sliceEnd, th.idleAt)
	if th.node.ready[0].urgent {
		from = max(now, th.idleAt)
	}
	if period := th.idleAt - th.markAt; period > 0 {
		past := from - th.idleAt
		from = th.idleAt + (past+period-1)/period*period
		if from == now && th.precedes(by) { // its next pass began before by did this
			from += period
		}
	}
	k.slices++
	e := th.event()
	e.at, e.kind = from, evSlice
	k.queue.push(e)
}

// sliceOver is that time. The thread may have gone on since, or nobody may want
// its CPU any more.
func (th *thread) sliceOver(at dimmnet.Time) {
	n, k := th.node, th.k
	if th.state != idling || len(n.ready) == 0 {
		return
	}
	period := th.idleAt - th.markAt
	if period > 0 && (at < th.idleAt || (at-th.idleAt)%period != 0) {
		return // it idles anew since
	}
	if at < th.sliceEnd && !n.ready[0].urgent {
		k.endSlice(th, at, nil)
		return
	}
	k.count(at)
	if k.onlyPolls() {
		k.fail(k.deadlock())
		return
	}
	n.notIdle(th)
	if period > 0 {
		th.counters.Polls += uint64((at-th.idleAt)/period) * (th.counters.Polls - th.markPolls)
	}
	th.now, th.unaware = at, true
	th.giveCPU()
}

// onlyPolls says whether nothing is in flight, and every thread sleeps or polls
// what it has seen.
func (k *kernel) onlyPolls() bool {
	if len(k.queue) > k.slices {
		return false
	}
	for _, th := range k.threads {
		if th.state == running || th.state == waiting && (!th.unaware || th.unseen != th.node.arrivals) {
			return false
		}
	}
	return true
}

// due says whether the thread is to give its CPU away. Its clock may be behind that of
// the node: who began to want the CPU later does not count yet.
func (th *thread) due() bool {
	if len(th.node.ready) == 0 {
		return false
	}
	first := th.node.ready[0]
	woken := first.urgent && (first.now < th.now || first.now == th.now && !th.precedes(first.by))
	return woken && !(th.fresh && th.now < th.begun+moment) || th.now >= th.sliceEnd
}

// precedes says whether the thread's turn comes before that of other, which may be
// nil, at one instant.
func (th *thread) precedes(other *thread) bool { return other != nil && th.index < other.index }

// share gives the CPU away as long as it is due, and returns when the thread has one
// again.
func (th *thread) share() {
	for th.due() {
		th.giveCPU()
		th.giveWay()
	}
}

// giveCPU lets the first of those that want a CPU have the thread's own.
func (th *thread) giveCPU() {
	th.wait()
	th.node.beginFirst(th.now)
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
	th.lose()
	th.state = why
	if len(n.ready) == 0 {
		n.cpus++
		return
	}
	n.beginFirst(th.now)
}

// compute takes d of a CPU, tick by tick if there are others who may want it.
func (th *thread) compute(d dimmnet.Time) {
	if len(th.k.threads) == len(th.k.nodes) {
		th.advance(d)
		return
	}
	for {
		th.computes = true
		th.sync() // what other threads of the node do meanwhile is seen at every tick
		th.computes = false
		th.share()
		if d <= 0 || th.now > th.k.cfg.Limit {
			return
		}
		part := min(d, tick)
		if len(th.node.ready) > 0 {
			part = min(part, th.sliceEnd-th.now)
		}
		th.advance(part)
		d -= part
	}
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
		th.wantCPU(th.now, nil)
	}
}
