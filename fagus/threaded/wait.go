package threaded

import "github.com/fagus-dsm/fagus/dimmnet"

type thread int

const (
	user thread = iota
	send
	receive
	process
	threads // the number of threads
)

// wake makes unlock wake a thread. The lock is held.
func (e *Engine) wake(t thread) { e.due[t] = e.helper == nil || t == user }

// unlock unlocks e.mu and then wakes the threads in due. In the simulator, Event.Set may let the
// other thread run, so the lock must be free.
func (e *Engine) unlock() {
	due := e.due
	e.due = [threads]bool{}
	e.mu.Unlock()
	// The user thread comes last: a woken thread may get this thread's CPU and keep it.
	for t := threads - 1; t >= user; t-- {
		if due[t] {
			e.events[t].Set()
		}
	}
}

// locked calls f under the lock. If f panics, the run fails, and locked releases the lock, so that
// threads that wait for the lock see the failure.
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

// await calls ready under the lock, at once and after every wake-up of thread t, until ready is
// true. t must be the calling thread. ready may change the engine's state if it returns true.
// await returns only errors of the port.
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

// start starts helper thread t, which calls run.
func (e *Engine) start(h dimmnet.Host, t thread, name string, run func(dimmnet.Host) error) {
	h.Go(name, func(h dimmnet.Host) error {
		err := run(h)
		done := h.Port().Counters()
		e.mu.Lock()
		e.helpers.counters[t] = done
		e.helpers.running--
		e.wake(user)
		e.unlock()
		return err
	})
}
