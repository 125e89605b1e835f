package inproc

import (
	"fmt"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
	"github.com/fagus-dsm/fagus/dimmnet/live/local"
)

// Go starts f on an OS thread of its own.
func (p *port) Go(name string, f func(dimmnet.Host) error) {
	r, q := p.run, p.run.newPort(p.own)
	p.Begin(&q.Thread, name)
	local.Go(networkName, name, q, f, func(cause, shown error) { r.leave(q, cause, shown) })
}

type event struct {
	run  *run
	rank dimmnet.Rank
	cond delay.Cond

	set     bool
	waited  bool // a thread is in Wait
	sleeper sleeper
}

// NewEvent returns an event of the node.
func (p *port) NewEvent() dimmnet.Event { return newEvent(p.run, p.Rank()) }

func newEvent(r *run, rank dimmnet.Rank) *event {
	e := &event{run: r, rank: rank}
	e.cond.L = &r.Mu
	e.sleeper = sleeper{cond: &e.cond, due: func() bool { return e.set }, overdue: e.overdue}
	return e
}

func (p *port) Notify(dst dimmnet.Rank) {
	p.CheckNotify(dst)
	n := &p.run.nodes[dst]
	n.notices.Add(1)
	delay.Here()
	n.notice.Set()
}

// Notices returns the number of notices that have arrived.
func (p *port) Notices() uint64 { return p.own.notices.Load() }

// Notice returns the event that Notify sets.
func (p *port) Notice() dimmnet.Event { return p.own.notice }

func (e *event) Set() {
	e.run.Mu.Lock()
	defer e.run.Mu.Unlock()
	e.set = true
	e.cond.Signal()
}

// Wait returns the failure of the run even if the event is set: otherwise threads that set each
// other's events forever would not notice the failure.
func (e *event) Wait() error {
	r := e.run
	now := r.Elapsed()
	r.Mu.Lock()
	defer r.Mu.Unlock()
	if e.waited {
		local.PanicWaited(networkName, e.rank)
	}
	if !e.set && !r.Failed() {
		r.BeginWait(e.rank, &e.waited)
		r.sleep(&e.sleeper, now)
		r.EndWait(&e.waited)
	}
	if r.Failed() {
		return r.Err()
	}
	e.set = false
	return nil
}

// overdue returns the error of a thread that has waited too long for e.
func (e *event) overdue(slept time.Duration) error {
	return fmt.Errorf("inproc: a thread of rank %d has waited %v for an event that no thread has set", e.rank, slept)
}
