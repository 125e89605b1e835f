package threaded

import (
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// TestUserThreadWaits checks that the user thread changes nothing and waits if the out queue is
// full or the window of open requests is used up.
func TestUserThreadWaits(t *testing.T) {
	fullQueue := func(e *Engine) { e.out = make([]outgoing, outLimit) }
	fullWindow := func(e *Engine) {
		for id := range syncvar.ID(window) {
			e.wanted[100+id] = &want{state: wantGrant}
		}
	}
	asks := func(e *Engine) error { return e.ask(1, syncvar.Want{Access: syncvar.Shared}) }
	for _, c := range []struct {
		what string
		fill func(*Engine)
		call func(*Engine) error
	}{
		{"a request, full queue", fullQueue, asks},
		{"a request, full window", fullWindow, asks},
		{"a release", fullQueue, func(e *Engine) error { return e.release(0, false) }},
		{"a meeting", fullQueue, func(e *Engine) error { return e.meet(syncvar.Barrier, 0) }},
	} {
		e := newTestEngine(t, 0)
		if err := e.ask(0, syncvar.Want{Access: syncvar.Exclusive}); err != nil {
			t.Fatal(err)
		}
		c.fill(e)
		out, wanted := len(e.out), len(e.wanted)
		err := c.call(e)
		if err == nil || !strings.Contains(err.Error(), "the script may not wait") || len(e.out) != out || len(e.wanted) != wanted || e.meeting.call != 0 {
			t.Errorf("%s: %d messages wait to be sent, %d requests are open, error %v", c.what, len(e.out), len(e.wanted), err)
		}
	}
}

// wants returns a rank's shared request for a variable of rank 0 that is not declared.
func wants(rank dimmnet.Rank, i int) incoming {
	return slotOf(rank, message{op: request, id: 100 + syncvar.ID(i), rank: rank, access: syncvar.Shared})
}

// TestWindowsOfAllRanks lets every rank make all requests of its window at once, while the user
// thread has filled the out queue.
func TestWindowsOfAllRanks(t *testing.T) {
	e := newTestEngine(t, 0)
	e.out = make([]outgoing, outLimit)
	for i := range window {
		act(t, e, wants(1, i), wants(2, i))
	}
	if want := outLimit + 2*window; len(e.out) != want {
		t.Errorf("%d messages wait to be sent, want %d", len(e.out), want)
	}
}

// TestTooManyRequests checks that the out queue is bounded whatever peers send.
func TestTooManyRequests(t *testing.T) {
	e := newTestEngine(t, 0)
	for i := range e.most {
		act(t, e, wants(1, i))
	}
	if err := e.handleSlot(wants(1, e.most)); err == nil || !strings.Contains(err.Error(), "a rank has more open requests than the protocol allows") || len(e.out) != e.most {
		t.Errorf("one request too many: %d messages wait to be sent, error %v", len(e.out), err)
	}
}

// TestTableBounds checks that all entries lie in the LLCM, and that a variable after the last
// entry has none.
func TestTableBounds(t *testing.T) {
	for _, llcm := range []int{0, 8, 24, 32, 4000, 4024} {
		hints := newTable(llcm)
		if _, ok := hints.word(syncvar.ID(hints.entries)); ok {
			t.Errorf("LLCM of %d bytes: %d entries, and the variable after the last has an entry", llcm, hints.entries)
		}
		if hints.entries != llcm/8/tableShare {
			t.Errorf("LLCM of %d bytes: the table has %d entries", llcm, hints.entries)
		}
		if hints.entries == 0 {
			continue
		}
		if off, ok := hints.word(syncvar.ID(hints.entries - 1)); !ok || int(off) != llcm-dimmnet.WordBytes {
			t.Errorf("LLCM of %d bytes: the last entry is at %d, exists %v", llcm, off, ok)
		}
	}
}

// TestHintOfNoRank checks that a table entry without a valid rank is ignored.
func TestHintOfNoRank(t *testing.T) {
	for _, c := range []struct{ owner, want dimmnet.Rank }{{2, 2}, {3, 1}, {65535, 1}} {
		e := newTestEngine(t, 0)
		off, _ := e.hints.word(1)
		e.port.Store(0, off, syncvar.Hint{Version: 9, Owner: c.owner}.Word(), dimmnet.WordBytes)
		ask(t, e, 1, syncvar.Shared)
		if len(e.out) != 1 || e.out[0].to != c.want {
			t.Errorf("the table says rank %d: %d messages, the first to rank %d, want %d", c.owner, len(e.out), e.out[0].to, c.want)
		}
	}
}

// TestWhatIsWaitedFor: LastWait names what the user thread waits for.
func TestWhatIsWaitedFor(t *testing.T) {
	all := func(e *Engine) {
		e.meeting.call = syncvar.Barrier
		for i := range e.meeting.arrived {
			e.meeting.arrived[i].op = arrive
		}
	}
	for _, c := range []struct {
		title string
		rank  dimmnet.Rank
		set   func(*Engine)
		want  string
	}{
		{"nothing", 0, func(*Engine) {}, "nothing"},
		{"a full out queue", 0, func(e *Engine) { e.out = slices.Repeat([]outgoing{{to: 1}}, outLimit) }, "free slots at ranks [1]"},
		{"an out queue with a free place", 0, func(e *Engine) { e.out = slices.Repeat([]outgoing{{to: 1}}, outLimit-1) }, "nothing"},
		{"the data of a variable", 0, func(e *Engine) { e.wanted[1] = &want{state: wantData, from: 2} }, "the data of ranks [2]"},
		{"a grant", 0, func(e *Engine) { e.wanted[1] = &want{state: wantGrant} }, "a grant or release by ranks [1]"},
		{"other ranks in a meeting", 0, func(e *Engine) { all(e); e.meeting.arrived[2].op = 0 }, "the arrival of ranks [2]"},
		{"the end of a meeting", 1, all, "word that all are here from ranks [0]"},
		{"helper threads", 0, func(e *Engine) { e.meeting.ended, e.helpers.running = true, 1 }, "its own helper threads to end"},
		{"helper threads that have ended", 0, func(e *Engine) { e.meeting.ended, e.helpers.running = true, 0 }, "nothing"},
	} {
		e := newTestEngine(t, c.rank)
		c.set(e)
		if got := e.LastWait().String(); got != c.want {
			t.Errorf("%s: the rank waits for %q, want %q", c.title, got, c.want)
		}
	}
}

// TestWakeUps: an action that ends a thread's wait wakes that thread, and no other.
func TestWakeUps(t *testing.T) {
	type woken = [threads]bool
	atGate := func(who thread) func(*Engine) { return func(e *Engine) { e.gates.waiting[who] = true } }
	for _, c := range []struct {
		title string
		rank  dimmnet.Rank
		set   func(*Engine)
		call  func(*Engine) error
		want  woken
	}{
		{"a gate, for the helper", 0, atGate(process), func(e *Engine) error { e.wakeOther(user); return nil }, woken{process: true}},
		{"a gate, for the user", 0, atGate(user), func(e *Engine) error { e.wakeOther(process); return nil }, woken{user: true}},
		{"a gate, for nobody", 0, func(*Engine) {}, func(e *Engine) error { e.wakeOther(process); return nil }, woken{}},
		{"the end of a meeting", 1, func(e *Engine) { e.meeting.call = syncvar.Barrier }, func(e *Engine) error { return e.left(0, message{op: leave, call: syncvar.Barrier}) }, woken{user: true}},
		{"the end of the run", 1, func(e *Engine) { e.meeting.call = syncvar.End }, func(e *Engine) error { return e.left(0, message{op: leave, call: syncvar.End}) }, woken{user: true, send: true, process: true}},
		{"the first free place", 0, func(e *Engine) { e.out = make([]outgoing, outLimit) }, func(e *Engine) error { e.dequeue(0); return nil }, woken{user: true}},
		{"another free place", 0, func(e *Engine) { e.out = make([]outgoing, outLimit-1) }, func(e *Engine) error { e.dequeue(0); return nil }, woken{}},
		{"data for others", 0, func(*Engine) {}, func(e *Engine) error { e.unpark(&want{parked: make([]outgoing, 1)}); return nil }, woken{send: true}},
		{"data for nobody", 0, func(*Engine) {}, func(e *Engine) error { e.unpark(&want{}); return nil }, woken{}},
	} {
		e := newTestEngine(t, c.rank)
		c.set(e)
		e.due = woken{}
		if err := c.call(e); err != nil || e.due != c.want {
			t.Errorf("%s: threads %v are woken, error %v; want %v", c.title, e.due, err, c.want)
		}
	}
}
