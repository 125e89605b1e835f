package threaded

import (
	"sync"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// helper is the only helper thread of a rank (Config.OneHelper). It does the work of all three: it
// receives a slot, handles it, and sends the answer. If the rings have space, the user thread
// sends its own messages.
type helper struct {
	e        *Engine
	receiver *receiver

	mu     sync.Mutex // guards the sender; locked before Engine.mu
	sender *sender
	lent   *lentPort // the sender's port: lent by the thread that sends
}

// lentPort is the port of the thread that has the lock of the helper.
type lentPort struct{ dimmnet.Port }

func newHelper(e *Engine, h dimmnet.Host) *helper {
	lent := &lentPort{e.port}
	return &helper{e: e, lent: lent, sender: newSender(e, h, lent)}
}

// help is the helper thread.
func (x *helper) help(h dimmnet.Host) error {
	x.receiver = newReceiver(x.e, h)
	return dimmnet.Drive(h.Port(), x, x.over)
}

// over reports whether the run has ended for this rank, or has failed. A failed port ends Drive.
func (x *helper) over() bool {
	x.e.mu.Lock()
	closed, ended := x.e.closed, x.e.meeting.ended && len(x.e.out) == 0
	x.e.mu.Unlock()
	if !ended {
		return closed
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return !x.sender.busy()
}

// Step sends what is queued, and handles the slots that have arrived.
func (x *helper) Step() (progress bool, err error) {
	progress, _ = x.post(x.receiver.port)
	received, err := x.receiver.Step()
	if err != nil || !received {
		return progress, err
	}
	for _, in := range x.receiver.got {
		if x.e.locked(func() bool { err = x.e.handleSlot(in); return true }); err != nil {
			return false, x.e.failure(err)
		}
	}
	x.receiver.got = x.receiver.got[:0]
	done := x.receiver.port.Counters()
	x.e.mu.Lock()
	x.e.helpers.counters[process] = done
	x.e.mu.Unlock()
	_, _ = x.post(x.receiver.port)
	return true, nil
}

// post sends through the port of the calling thread. all is false if the rings or the port do not
// take everything now.
func (x *helper) post(p dimmnet.Port) (progress, all bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := x.sender
	x.lent.Port = p
	for x.e.locked(s.take) {
		if !s.fill() {
			continue
		}
		for !s.posted() {
			moved, _ := s.Step() // never fails
			if !moved {
				return progress, false
			}
			progress = true
		}
	}
	return progress, true
}

// flush sends what the user thread queued. The helper thread sends the rest. flush wakes it by a
// Store of a zero, which changes nothing.
func (x *helper) flush() error {
	if _, all := x.post(x.e.port); !all {
		return store(x.e.port, x.e.rank, x.e.stop, 0)
	}
	return x.e.port.Err()
}
