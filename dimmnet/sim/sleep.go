package sim

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// sleepEvent is an event of a node.
type sleepEvent struct {
	k      *kernel
	set    bool
	waiter *thread
}

// NewEvent returns an event for the threads of this node.
func (th *thread) NewEvent() dimmnet.Event { return &sleepEvent{k: th.k} }

// rouse wakes the thread that waits, at a time, or lets the next Wait return. by is
// the thread that does so, or nil.
func (e *sleepEvent) rouse(at dimmnet.Time, by *thread) {
	w := e.waiter
	if w == nil || w.state != asleep {
		e.set = true
		return
	}
	e.waiter = nil
	w.wantCPU(at, by)
}

// Set wakes the thread that waits.
func (e *sleepEvent) Set() {
	th := e.k.current
	th.sync()
	e.rouse(th.now, th)
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
