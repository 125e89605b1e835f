//go:build fagusdelay

package delay

import (
	"math"
	"sync"
	"sync/atomic"
)

// Mutex is a sync.Mutex. During Explore it is part of the schedule.
type Mutex struct {
	real sync.Mutex
	held bool // during Explore
}

// Lock locks m.
func (m *Mutex) Lock() {
	if e := exploring.Load(); e != nil {
		e.lock(m)
		return
	}
	m.real.Lock()
}

// Unlock unlocks m.
func (m *Mutex) Unlock() {
	if e := exploring.Load(); e != nil {
		m.held = false
		e.step()
		return
	}
	m.real.Unlock()
}

// Cond is a sync.Cond. During Explore it is part of the schedule. L is a *Mutex.
type Cond struct {
	L    sync.Locker
	once sync.Once
	real *sync.Cond
}

func (c *Cond) cond() *sync.Cond {
	c.once.Do(func() { c.real = sync.NewCond(c.L) })
	return c.real
}

// Wait unlocks c.L, sleeps until a Signal or Broadcast, and locks c.L.
func (c *Cond) Wait() {
	if e := exploring.Load(); e != nil {
		e.announce(c)
		c.L.Unlock() // returns after a wake-up
		c.L.Lock()
		return
	}
	c.cond().Wait()
}

// Signal wakes one waiting thread.
func (c *Cond) Signal() {
	if e := exploring.Load(); e != nil {
		e.wake(c, 1)
		return
	}
	c.cond().Signal()
}

// Broadcast wakes all waiting threads.
func (c *Cond) Broadcast() {
	if e := exploring.Load(); e != nil {
		e.wake(c, math.MaxInt)
		return
	}
	c.cond().Broadcast()
}

// Sleep returns false after a delay: the caller has to sleep on *word itself. During Explore it
// sleeps like the system call futex, without a timeout, and returns true.
func Sleep(word *uint32, value uint32) (slept bool) {
	Here()
	e := exploring.Load()
	if e == nil {
		return false
	}
	if atomic.LoadUint32(word) == value {
		e.announce(word)
		e.step() // returns after a wake-up
	}
	return true
}

// Wake returns false after a delay: the caller has to wake the threads that sleep on *word itself.
// During Explore it wakes at most most of them, and returns true.
func Wake(word *uint32, most int) (woken bool) {
	Here()
	e := exploring.Load()
	if e == nil {
		return false
	}
	e.wake(word, most)
	return true
}
