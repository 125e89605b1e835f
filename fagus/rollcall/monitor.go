package rollcall

import (
	"context"
	"fmt"
	"runtime/pprof"
	"sync"
	"time"

	"github.com/fagus-dsm/fagus/fagus/internal/source"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Monitor records what one rank does. The rank's goroutine calls its methods.
type Monitor struct {
	label  string // value of the goroutine's label
	engine Engine

	mu       sync.Mutex
	moves    uint64       // number of calls entered and left
	call     string       // the call that the rank is in; empty if none
	calls    uint64       // number of calls entered
	set      fmt.Stringer // set that the call requests, or that is held outside calls; nil if none
	returned bool         // the program has returned
	failed   *Entry       // what the rank did when it learned that the run had failed; else nil
	learned  time.Time    // when the rank learned of the failure
}

// Engine answers questions about a rank that is in a call. Any goroutine may call its methods.
type Engine interface {
	// LastWait returns what the rank waits for.
	LastWait() syncvar.Wait
	// Name returns the name of a variable.
	Name(id syncvar.ID) string
}

// Attach sets the engine of the rank. It must be called before the first Enter.
func (m *Monitor) Attach(engine Engine) { m.engine = engine }

// labelKey is the key of the label that identifies a rank's goroutine in profiles.
const labelKey = "fagus rank"

// Label labels the calling goroutine as the rank's, in addition to the labels of ctx.
// Goroutines that it starts inherit the label.
func (m *Monitor) Label(ctx context.Context) {
	pprof.SetGoroutineLabels(pprof.WithLabels(ctx, pprof.Labels(labelKey, m.label)))
}

// Enter records that the rank enters a call that requests set, which may be nil. If the
// rank is already in a call, Enter does nothing and returns false.
func (m *Monitor) Enter(call string, set fmt.Stringer) bool {
	m.mu.Lock()
	out := m.call == ""
	if out {
		m.moves++
		m.calls++
		m.call, m.set = call, set
	}
	m.mu.Unlock()
	return out
}

// Leave records that the rank leaves its call and holds set, or nothing if set is nil.
func (m *Monitor) Leave(held fmt.Stringer) {
	m.mu.Lock()
	m.moves++
	m.call, m.set = "", held
	m.mu.Unlock()
}

// Fail records that the rank learns that the run has failed, because its call fails or
// because it has called Node.Err. From now on rolls show what the rank does at this moment.
func (m *Monitor) Fail() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failed != nil {
		return
	}
	e := m.current()
	if !m.returned { // otherwise the rank executes no line of the program
		e.Line = source.Here()
	}
	m.failed, m.learned = &e, time.Now()
}

// Return records that the program has returned. If it returned because the run failed,
// rolls keep showing what the rank did at that moment.
func (m *Monitor) Return(failed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if failed && m.failed == nil {
		e := m.current()
		m.failed, m.learned = &e, time.Now()
	}
	if m.failed == nil {
		m.moves++
	}
	m.returned = true
}

// entry describes the rank now or, if the run has failed, when the rank learned of the failure.
// It also returns the number of moves, and the time that the description is from.
func (m *Monitor) entry(now time.Time) (e Entry, moves uint64, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failed != nil {
		return *m.failed, m.moves, m.learned
	}
	return m.current(), m.moves, now
}

// current describes the rank now. The caller holds the lock, which keeps the rank in its call.
func (m *Monitor) current() Entry {
	e := Entry{Call: m.call, Calls: m.calls, Returned: m.returned}
	if m.set != nil {
		e.Set = m.set.String()
	}
	if m.call == "" || m.engine == nil {
		return e
	}
	e.Wait = m.engine.LastWait()
	for _, h := range e.Wait.Owners {
		e.Owners = append(e.Owners, Owner{m.engine.Name(h.ID), int(h.Owner)})
	}
	return e
}
