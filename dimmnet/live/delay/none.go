//go:build !fagusdelay

package delay

import "sync"

// Mutex is sync.Mutex. Explore can schedule the threads that wait for it.
type Mutex = sync.Mutex

// Cond is sync.Cond. Explore can schedule the threads that wait for it. Its L is a Mutex.
type Cond = sync.Cond

// Here does nothing: this build has no delays.
func Here() {}

// Sleep returns false: the caller has to sleep on *word itself.
func Sleep(*uint32, uint32) (slept bool) { return false }

// Wake returns false: the caller has to wake the threads that sleep on *word itself.
func Wake(*uint32, int) (woken bool) { return false }
