package rollcall

import (
	"context"
	"fmt"
	"runtime/pprof"
	"sync"
	"time"

	"github.com/fagus-dsm/fagus/fagus/source"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Seat is where a rank says what it does. Its methods are for the rank's goroutine.
type Seat struct {
	label string
	ask   Asker

	mu       sync.Mutex
	moves    uint64       // how often it entered or left a call
	call     string       // that it is in; empty: none
	calls    uint64       // that it has entered
	set      fmt.Stringer // wanted by the call, or held outside of it; nil: none
	returned bool
	failed   *Entry    // what it did when it learned that the run had failed; nil: it has not
	learned  time.Time // when
}

// Asker is asked about a rank while that is in a call, by any goroutine.
type Asker interface {
	// LastWait says what the rank waits for.
	LastWait() syncvar.Wait
	// Name is that of a variable.
	Name(id syncvar.ID) string
}

// Sit says who is asked about the rank. It is called before the first Enter.
func (s *Seat) Sit(ask Asker) { s.ask = ask }

// labelKey is the label of goroutines, as profiles have it.
const labelKey = "fagus rank"

// Label marks the calling goroutine as the rank's, beside the labels of ctx. Those
// that it starts inherit the mark.
func (s *Seat) Label(ctx context.Context) {
	pprof.SetGoroutineLabels(pprof.WithLabels(ctx, pprof.Labels(labelKey, s.label)))
}

// Enter says that the rank is in a call, which wants a set or, if that is nil, none. It
// is false, and does nothing, if the rank is in a call already.
func (s *Seat) Enter(call string, set fmt.Stringer) bool {
	s.mu.Lock()
	out := s.call == ""
	if out {
		s.moves++
		s.calls++
		s.call, s.set = call, set
	}
	s.mu.Unlock()
	return out
}

// Leave says that the rank is outside of calls, and holds a set or, if that is nil,
// nothing.
func (s *Seat) Leave(held fmt.Stringer) {
	s.mu.Lock()
	s.moves++
	s.call, s.set = "", held
	s.mu.Unlock()
}

// Fail says that the rank learns here that the run has failed: its call does, or it has
// asked. What it did then, and waited for, is what a roll says of it from now on.
func (s *Seat) Fail() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil {
		return
	}
	e := s.look()
	if !s.returned { // else no line of the program is being executed
		e.Line = source.Here()
	}
	s.failed, s.learned = &e, time.Now()
}

// Return says that the program has returned; failed, that it did because the run has
// failed, which leaves it where it was then.
func (s *Seat) Return(failed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if failed && s.failed == nil {
		e := s.look()
		s.failed, s.learned = &e, time.Now()
	}
	if s.failed == nil {
		s.moves++
	}
	s.returned = true
}

// entry is what the rank does at a time, or did when the run failed, how often it has
// moved, and that time.
func (s *Seat) entry(now time.Time) (e Entry, moves uint64, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil {
		return *s.failed, s.moves, s.learned
	}
	return s.look(), s.moves, now
}

// look is what the rank does. The lock keeps it in its call while it is asked.
func (s *Seat) look() Entry {
	e := Entry{Call: s.call, Calls: s.calls, Returned: s.returned}
	if s.set != nil {
		e.Set = s.set.String()
	}
	if s.call == "" || s.ask == nil {
		return e
	}
	e.Wait = s.ask.LastWait()
	for _, h := range e.Wait.Owners {
		e.Owners = append(e.Owners, Owner{s.ask.Name(h.ID), int(h.Owner)})
	}
	return e
}
