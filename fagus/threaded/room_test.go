package threaded

import (
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// TestUserThreadWaitsForRoom: with a full queue out, or a window of open requests, it
// changes nothing and waits.
func TestUserThreadWaitsForRoom(t *testing.T) {
	fullQueue := func(e *Engine) { e.out = make([]outgoing, outRoom) }
	fullWindow := func(e *Engine) {
		for id := range syncvar.ID(window) {
			e.wanted[100+id] = &want{from: -1}
		}
	}
	asks := func(e *Engine) error { return e.ask(1, syncvar.Want{Mode: syncvar.Shared}) }
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
		if err := e.ask(0, syncvar.Want{Mode: syncvar.Exclusive}); err != nil { // what it releases
			t.Fatal(err)
		}
		c.fill(e)
		out, wanted := len(e.out), len(e.wanted)
		err := c.call(e)
		if err == nil || !strings.Contains(err.Error(), "the script may not wait") || len(e.out) != out || len(e.wanted) != wanted || e.waits != 0 {
			t.Errorf("%s: %d messages wait to be sent, %d requests are open, error %v", c.what, len(e.out), len(e.wanted), err)
		}
	}
}

// wants is a rank's request to read a variable of rank 0 that no declaration names.
func wants(rank dimmnet.Rank, i int) incoming {
	return said(rank, message{op: request, id: 100 + syncvar.ID(i), rank: rank, mode: syncvar.Shared})
}

// TestRanksMayAskForAWindowEach: all of them at once, while the user thread has
// filled the queue out.
func TestRanksMayAskForAWindowEach(t *testing.T) {
	e := newTestEngine(t, 0)
	e.out = make([]outgoing, outRoom)
	for i := range window {
		act(t, e, wants(1, i), wants(2, i))
	}
	if want := outRoom + 2*window; len(e.out) != want {
		t.Errorf("%d messages wait to be sent, want %d", len(e.out), want)
	}
}

// TestAsksForMoreThanItMay: the queue out is bounded whatever peers send.
func TestAsksForMoreThanItMay(t *testing.T) {
	e := newTestEngine(t, 0)
	for i := range e.most {
		act(t, e, wants(1, i))
	}
	if err := e.act(wants(1, e.most)); err == nil || !strings.Contains(err.Error(), "a rank asks for more than it may") || len(e.out) != e.most {
		t.Errorf("%d messages wait, error %v", len(e.out), err)
	}
}

// TestTableEndsWhereItEnds: its words are inside what it was given, and a variable
// behind the last one has none.
func TestTableEndsWhereItEnds(t *testing.T) {
	for _, llcm := range []int{0, 8, 24, 32, 4000, 4024} {
		hints := newTable(llcm)
		if _, ok := hints.word(syncvar.ID(hints.entries)); ok {
			t.Errorf("%d bytes: %d entries, and one behind", llcm, hints.entries)
		}
		if hints.entries != llcm/8/tableShare {
			t.Errorf("%d bytes: %d entries", llcm, hints.entries)
		}
		if hints.entries == 0 {
			continue
		}
		if off, ok := hints.word(syncvar.ID(hints.entries - 1)); !ok || int(off) != llcm-dimmnet.WordBytes {
			t.Errorf("%d bytes: the last entry is at %d, %v", llcm, off, ok)
		}
	}
}

// TestHintOfNoRank: what a peer wrote to the table is believed only if there is such
// a rank.
func TestHintOfNoRank(t *testing.T) {
	for _, c := range []struct{ told, want dimmnet.Rank }{{2, 2}, {3, 1}, {65535, 1}} {
		e := newTestEngine(t, 0)
		off, _ := e.hints.word(1)
		e.port.Store(0, off, syncvar.Hint{Version: 9, Owner: c.told}.Word(), dimmnet.WordBytes)
		ask(t, e, 1, syncvar.Shared)
		if len(e.out) != 1 || e.out[0].to != c.want {
			t.Errorf("the table says rank %d: %d messages, the first to rank %d, want %d", c.told, len(e.out), e.out[0].to, c.want)
		}
	}
}
