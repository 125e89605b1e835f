//go:build linux

package shm

import (
	"fmt"
	"runtime"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Go starts f on an OS thread of its own, as the helper threads of D1-Fagus are.
func (p *port) Go(name string, f func(dimmnet.Host) error) {
	r := p.run
	r.mu.Lock()
	gone := p.returned
	r.mu.Unlock()
	if gone {
		panic(fmt.Sprintf("shm: rank %s has returned and starts a thread", dimmnet.ThreadLabel(p.rank, p.name)))
	}
	q := r.newPort(p.rank, name)
	r.enter(q)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		dimmnet.RunThread("shm", name, q, f, func(cause, shown error) { r.leave(q, cause, shown) })
	}()
}

// event is a bell in this process, or for notices in the segment of its node.
type event struct {
	run    *run
	own    *segment
	rank   dimmnet.Rank
	bell   *bell
	shared bool
	waited bool // a thread is in Wait; under the lock of the run
}

// NewEvent makes an event of the node.
func (p *port) NewEvent() dimmnet.Event {
	e := &event{run: p.run, own: p.own, rank: p.rank, bell: new(bell)}
	p.run.mu.Lock()
	defer p.run.mu.Unlock()
	p.run.events = append(p.run.events, e)
	return e
}

// Notify sets the event of the peer's node at once.
func (p *port) Notify(dst dimmnet.Rank) {
	if int(dst) >= len(p.run.segments) {
		panic(fmt.Sprintf("shm: rank %d notifies rank %d: there are %d nodes", p.rank, dst, len(p.run.segments)))
	}
	s := p.run.segments[dst]
	s.notices.Add(1)
	s.bell.ring(true)
}

// Notices is how many have come by now.
func (p *port) Notices() uint64 { return p.own.notices.Load() }

// Notice is the event that peers set by Notify.
func (p *port) Notice() dimmnet.Event { return p.notice }

func (e *event) Set() { e.bell.ring(e.shared) }

// Wait looks at the failure first: threads that set each other's events for ever
// would not notice it otherwise.
func (e *event) Wait() error {
	e.enter()
	defer e.leave()
	since := time.Now()
	for {
		if err := e.err(); err != nil {
			return err
		}
		if e.bell.take() {
			return nil
		}
		slept := time.Since(since)
		if slept >= e.run.patience {
			e.run.fail(fmt.Errorf("shm: a thread of rank %d has waited %v for an event and nobody set it", e.rank, slept.Round(time.Millisecond)))
			continue
		}
		e.bell.wait(e.shared, min(longestSleep, e.run.patience))
	}
}

// err is why the run has failed.
func (e *event) err() error {
	if !e.run.failed.Load() {
		if e.own.failed.Load() == 0 {
			return nil
		}
		e.run.adopt(e.own)
	}
	return e.run.err
}

// enter counts the thread among those that need no processor.
func (e *event) enter() {
	r := e.run
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.waited {
		panic(fmt.Sprintf("shm: two threads of rank %d wait for one event", e.rank))
	}
	e.waited = true
	r.waiting++
	r.recount()
}

func (e *event) leave() {
	r := e.run
	r.mu.Lock()
	defer r.mu.Unlock()
	e.waited = false
	r.waiting--
	r.recount()
}
