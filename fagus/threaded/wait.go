package threaded

import "github.com/fagus-dsm/fagus/dimmnet"

// thread is one of the threads of a node.
type thread int

const (
	user thread = iota
	send
	receive
	process
	threads // how many there are
)

// wake says, under the lock, that there is news for a thread; unlock tells it.
func (e *Engine) wake(t thread) { e.due[t] = true }

// unlock ends what e.mu.Lock began. Events are set after it, because in the
// simulator that may let the other thread run.
func (e *Engine) unlock() {
	due := e.due
	e.due = [threads]bool{}
	e.mu.Unlock()
	for t := threads - 1; t >= user; t-- { // who gets this thread's CPU may keep it: the user thread comes last
		if due[t] {
			e.events[t].Set()
		}
	}
}

// locked calls f under the lock. If f panics, which fails the run, the lock is free
// again: those that wait for it must see the failure.
func (e *Engine) locked(f func() bool) bool {
	e.mu.Lock()
	returned := false
	defer func() {
		if !returned {
			e.mu.Unlock()
		}
	}()
	ok := f()
	returned = true
	e.unlock()
	return ok
}

// await calls ready under the lock, at once and whenever thread t, the caller's,
// was woken, until it says true. ready may change the state then. An error is the
// port's.
func (e *Engine) await(t thread, ready func() bool) error {
	for {
		if e.locked(ready) {
			return nil
		}
		if err := e.events[t].Wait(); err != nil {
			return err
		}
	}
}

// start starts a helper thread.
func (e *Engine) start(h dimmnet.Host, t thread, name string, run func(dimmnet.Host) error) {
	h.Go(name, func(h dimmnet.Host) error {
		err := run(h)
		done := h.Port().Counters()
		e.mu.Lock()
		e.counters[t] = done
		e.running--
		e.wake(user)
		e.unlock()
		return err
	})
}
