//go:build ofi && linux && cgo

package ofi

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestStuck checks that a call that does not return ends the process, and that calls that follow
// each other closely do not.
func TestStuck(t *testing.T) {
	f := &fabric{provider: "shm", over: make(chan struct{})}
	texts := make(chan string, 1)
	f.fatal = func(text string) { texts <- text }
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		f.guard()
	}()
	for since := time.Now(); time.Since(since) < 2*stuckTime; {
		f.lock()
		time.Sleep(tickTime / 2)
		f.mu.Unlock()
	}
	select {
	case text := <-texts:
		t.Fatal(text)
	default:
	}
	f.lock()
	defer f.mu.Unlock()
	var returned atomic.Bool
	defer returned.Store(true)
	go func() {
		for !returned.Load() { // spins, as a call does that waits for a lock
		}
	}()
	select {
	case text := <-texts:
		if !strings.Contains(text, "shm") || !strings.Contains(text, "has not returned") {
			t.Error(text)
		}
	case <-time.After(20 * stuckTime):
		t.Error("no end of the process")
	}
	<-ended
}
