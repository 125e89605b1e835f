package rollcall

import (
	"context"
	"fmt"
	"runtime/pprof"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fagus-dsm/fagus/fagus/internal/source"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Monitor records what one rank does. The rank's goroutine calls its methods.
//
// Enter and Leave take one atomic operation each while nobody reads the Monitor. A reader sets a
// bit of state; then Enter and Leave wait until the reader is done. So a rank that is found in a
// call stays there while its engine is asked what it waits for.
type Monitor struct {
	label  string      // value of the goroutine's label
	told   func(error) // Config.Failed
	engine Engine

	state atomic.Uint64       // see the bits below
	set   atomic.Pointer[Set] // the last set that a call requested or held
	last  *Set                // the same; only the rank's goroutine uses it

	progress progress

	mu     sync.Mutex // readers hold it; guards the fields below
	failed *failure   // what the rank did when it learned that the run had failed; else nil
	why    string     // the error that the program returned, if it was the run's first one
}

// A Set is what a call requests or a rank holds, as roll-calls print it.
type Set struct{ fmt.Stringer }

type failure struct {
	entry Entry
	state uint64
	at    time.Time
}

// The bits of a Monitor's state. Above them is the number of calls entered, and the call that the
// rank is in, or 0.
const (
	reading  = 1 << iota // a reader wants the state not to change
	wants                // the call requests the set, or the rank holds it outside calls
	returned             // the program has returned
	callAt   = iota
	callsAt  = callAt + 5
	callMask = (1<<callsAt - 1) &^ (1<<callAt - 1)
)

// Call is a call that a rank is in.
type Call uint8

// The calls; 0 is none.
const (
	Acquire Call = 1 + iota
	Release
	Update
	Barrier
	Reduce
	Fence
	End // the program has returned, and other ranks have not
)

// String returns the name of the call as reports spell it.
func (c Call) String() string {
	return [...]string{"", "Acquire", "Release", "Update", "Barrier", "Reduce", "Fence", "return"}[c]
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

// labelKey is the key of the label that identifies a rank's goroutine in profiles. Its value is a
// text such as "3 of 0xc0000123": rank 3, and the Board.
const labelKey = "fagus rank"

// Label labels the calling goroutine as the rank's, in addition to the labels of ctx.
// Goroutines that it starts inherit the label.
func (m *Monitor) Label(ctx context.Context) { pprof.SetGoroutineLabels(m.Labels(ctx)) }

// Labels returns ctx with the labels that Label gives a goroutine: one that identifies the rank in
// this process, and "rank" with its number, for people.
func (m *Monitor) Labels(ctx context.Context) context.Context {
	rank, _, _ := strings.Cut(m.label, " ")
	return pprof.WithLabels(ctx, pprof.Labels(labelKey, m.label, "rank", rank))
}

// Enter records that the rank enters a call that requests set, which may be nil. If the
// rank is already in a call, Enter does nothing and returns false.
func (m *Monitor) Enter(call Call, set *Set) bool {
	old := m.state.Load()
	if old&callMask != 0 {
		return false
	}
	next := (old>>callsAt+1)<<callsAt | uint64(call)<<callAt | old&returned
	if set != nil {
		next |= wants
	}
	if !m.state.CompareAndSwap(old, next) {
		// A reader is there, or another goroutine is in a call of the rank.
		m.mu.Lock()
		defer m.mu.Unlock()
		if !m.state.CompareAndSwap(old&^reading, next) {
			return false
		}
	}
	m.keep(set)
	return true
}

// Leave records that the rank leaves its call and holds set, or nothing if set is nil.
func (m *Monitor) Leave(held *Set) {
	m.keep(held)
	old := m.state.Load() &^ reading
	next := old>>callsAt<<callsAt | old&returned
	if held != nil {
		next |= wants
	}
	if !m.state.CompareAndSwap(old, next) {
		m.mu.Lock()
		m.state.Store(next)
		m.mu.Unlock()
	}
}

// Pass records a call that takes no time and after which the rank holds nothing, as Enter and Leave
// do. The rank is in no other call.
func (m *Monitor) Pass() {
	old := m.state.Load() &^ reading
	next := (old>>callsAt+1)<<callsAt | old&returned
	if !m.state.CompareAndSwap(old, next) {
		m.mu.Lock()
		m.state.Store(next)
		m.mu.Unlock()
	}
}

// keep makes set the last set.
func (m *Monitor) keep(set *Set) {
	if set != nil && set != m.last {
		m.last = set
		m.set.Store(set)
	}
}

// hold keeps the rank from entering or leaving a call until the returned function is called. It
// returns the state without reading.
func (m *Monitor) hold() (state uint64, release func()) {
	m.mu.Lock()
	state = m.state.Or(reading)
	return state, func() {
		m.state.And(^uint64(reading))
		m.mu.Unlock()
	}
}

// Fail records that the rank learns that the run has failed, because its call fails or
// because it has called Node.Err. From now on rolls show what the rank does at this moment.
func (m *Monitor) Fail() {
	state, release := m.hold()
	defer release()
	if m.failed != nil {
		return
	}
	e := m.current(state)
	if state&returned == 0 { // otherwise the rank executes no line of the program
		e.Line = source.Here()
	}
	m.failed = &failure{e, state, time.Now()}
}

// Return records that the program returned, or panicked, with an error; nil: without one. If
// follows is set, the error is a consequence of another failure, and rolls keep showing what the
// rank did at that moment.
func (m *Monitor) Return(err error, follows bool) {
	state, release := m.hold()
	defer release()
	switch {
	case follows && m.failed == nil:
		m.failed = &failure{m.current(state), state, time.Now()}
	case err != nil && !follows:
		if m.why = err.Error(); m.told != nil {
			m.told(err)
		}
	}
	m.state.Or(returned)
}

// entry describes the rank now or, if the run has failed, when the rank learned of the failure.
// It also returns the state, and the time that the description is from.
func (m *Monitor) entry(now time.Time) (e Entry, state uint64, at time.Time) {
	state, release := m.hold()
	defer release()
	if m.failed != nil {
		return m.failed.entry, m.failed.state, m.failed.at
	}
	return m.current(state), state, now
}

// poll returns the state, and whether the rank waits in a call.
func (m *Monitor) poll() (state uint64, waits bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failed != nil {
		return m.failed.state, false
	}
	state = m.state.Load()
	return state, state&callMask != 0
}

// current describes the rank in a state that hold has returned.
func (m *Monitor) current(state uint64) Entry {
	call := Call(state & callMask >> callAt)
	e := Entry{Call: call.String(), Calls: state >> callsAt, Returned: state&returned != 0, Failed: m.why}
	e.Done, e.Of, e.Own = m.progress.load()
	if set := m.set.Load(); set != nil && state&wants != 0 {
		e.Set = set.String()
	}
	if call == 0 || m.engine == nil {
		return e
	}
	e.Wait = m.engine.LastWait()
	for _, h := range e.Wait.Owners {
		e.Owners = append(e.Owners, Owner{m.engine.Name(h.ID), int(h.Owner)})
	}
	return e
}
