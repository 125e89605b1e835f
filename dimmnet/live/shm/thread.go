//go:build linux

package shm

import (
	"fmt"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
	"github.com/fagus-dsm/fagus/dimmnet/live/local"
)

// Go starts f on an OS thread of its own.
func (p *port) Go(name string, f func(dimmnet.Host) error) {
	r, q := p.run, p.run.newPort(p.Rank())
	p.Begin(&q.Thread, name)
	local.Go(networkName, name, q, f, func(cause, shown error) { r.leave(q, cause, shown) })
}

type event struct {
	run    *run
	own    *segment
	rank   dimmnet.Rank
	flag   *futexFlag
	shared bool // other processes set the flag, too
	waited bool // a thread is in Wait; guarded by the lock of the run
}

// NewEvent returns an event of the node.
func (p *port) NewEvent() dimmnet.Event {
	e := &event{run: p.run, own: p.own, rank: p.Rank(), flag: new(futexFlag)}
	p.run.Mu.Lock()
	defer p.run.Mu.Unlock()
	p.run.events = append(p.run.events, e)
	return e
}

func (p *port) Notify(dst dimmnet.Rank) {
	p.CheckNotify(dst)
	s := p.run.segments[dst]
	s.notices.Add(1)
	delay.Here()
	s.notice.set(true)
}

// Notices returns the number of notices that have arrived.
func (p *port) Notices() uint64 { return p.own.notices.Load() }

// Notice returns the event that Notify sets.
func (p *port) Notice() dimmnet.Event { return p.notice }
func (e *event) Set()                 { e.flag.set(e.shared) }

// Wait returns the failure of the run even if the event is set: otherwise threads that set each
// other's events forever would not notice the failure.
func (e *event) Wait() error {
	r := e.run
	e.begin()
	defer e.end()
	since := time.Now()
	for {
		if err := r.failureAt(e.own); err != nil {
			return err
		}
		delay.Here()
		if e.flag.take() {
			return r.failureAt(e.own) // a failure sets all events, perhaps only just now
		}
		slept := time.Since(since)
		if slept >= r.patience {
			r.fail(fmt.Errorf("shm: a thread of rank %d has waited %v for an event that no thread has set", e.rank, slept.Round(time.Millisecond)))
			continue
		}
		delay.Here()
		e.flag.wait(e.shared, min(longestSleep, r.patience))
	}
}

// begin marks e as waited for: its thread needs no processor until end.
func (e *event) begin() {
	e.run.Mu.Lock()
	defer e.run.Mu.Unlock()
	e.run.BeginWait(e.rank, &e.waited)
}

func (e *event) end() {
	e.run.Mu.Lock()
	defer e.run.Mu.Unlock()
	e.run.EndWait(&e.waited)
}
