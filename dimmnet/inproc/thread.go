package inproc

import (
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Go starts f on an OS thread of its own. The helper threads of D1-Fagus are
// pthreads: to switch to one costs a switch by the kernel, and one that polls
// costs the body its processor. Goroutines that share a thread would switch in
// 0.1 us and make helpers look cheaper than they are. Who runs when processors
// are short is for Go's scheduler to say all the same.
func (p *port) Go(name string, f func(dimmnet.Host) error) {
	r := p.run
	q := &port{run: r, own: p.own, rank: p.rank, name: name}
	p.begin(q)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		dimmnet.RunThread("inproc", name, q, f, func(cause, shown error) { r.leave(q, cause, shown) })
	}()
}

// begin counts q among the threads, from before Go returns: what its starter
// does next must not look like the end of the run, nor like a deadlock.
func (p *port) begin(q *port) {
	p.run.mu.Lock()
	defer p.run.mu.Unlock()
	if p.at == returned {
		panic(fmt.Sprintf("inproc: rank %s has returned and starts a thread", dimmnet.ThreadLabel(p.rank, p.name)))
	}
	p.run.enter(q)
}

// event is a flag under the lock of the run.
type event struct {
	run  *run
	rank dimmnet.Rank
	cond sync.Cond

	set    bool
	waited bool // a thread is in Wait
	nap    nap
}

// NewEvent makes an event of the node.
func (p *port) NewEvent() dimmnet.Event { return newEvent(p.run, p.rank) }

func newEvent(r *run, rank dimmnet.Rank) *event {
	e := &event{run: r, rank: rank}
	e.cond.L = &r.mu
	e.nap = nap{cond: &e.cond, due: func() bool { return e.set }, overdue: e.overdue}
	return e
}

// Notify sets the event of the peer's node at once.
func (p *port) Notify(dst dimmnet.Rank) {
	if int(dst) >= len(p.run.nodes) {
		panic(fmt.Sprintf("inproc: rank %d notifies rank %d: there are %d nodes", p.rank, dst, len(p.run.nodes)))
	}
	n := &p.run.nodes[dst]
	n.notices.Add(1)
	n.notice.Set()
}

// Notices is how many have come by now.
func (p *port) Notices() uint64 { return p.own.notices.Load() }

// Notice is the event that peers set by Notify.
func (p *port) Notice() dimmnet.Event { return p.own.notice }

func (e *event) Set() {
	e.run.mu.Lock()
	defer e.run.mu.Unlock()
	e.set = true
	e.cond.Signal()
}

// Wait looks at the failure first: threads that set each other's events for ever
// would not notice it otherwise.
func (e *event) Wait() error {
	r := e.run
	now := time.Since(r.start)
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.waited {
		panic(fmt.Sprintf("inproc: two threads of rank %d wait for one event", e.rank))
	}
	if !e.set && r.err == nil {
		e.waited = true
		r.waiting++
		r.recount()
		r.sleep(&e.nap, now)
		e.waited = false
		r.waiting--
		r.recount()
	}
	if r.err != nil {
		return r.err
	}
	e.set = false
	return nil
}

// overdue is the failure of a run in which nobody sets e for so long.
func (e *event) overdue(slept time.Duration) error {
	return fmt.Errorf("inproc: a thread of rank %d has waited %v for an event and nobody set it", e.rank, slept)
}
