package threaded

import (
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// newTestEngine returns the engine of one of 3 ranks. It has no threads, and its stores land at
// once. It has bound variables 0 to 3, of 100 bytes each from address 4096. Rank 0 owns variables
// 0 and 3, rank 1 owns variables 1 and 2, and rank 0 knows both owners.
func newTestEngine(t *testing.T, rank dimmnet.Rank) *Engine {
	t.Helper()
	space := consistency.NewSpace()
	base, err := space.AddRegion("a", "bytes", 1, make([]byte, 400))
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"v0", "v1", "v2", "v3"} {
		lo := base + consistency.Addr(100*i)
		if _, err := space.Bind(name, []consistency.Range{{Lo: lo, Hi: lo + 100}}); err != nil {
			t.Fatal(err)
		}
	}
	tables := make([]map[dimmnet.Offset]uint64, 3)
	for r := range tables {
		tables[r] = make(map[dimmnet.Offset]uint64)
	}
	e, err := newEngine(&tablePort{rank: rank, tables: tables}, space, Config{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range e.events {
		e.events[i] = noEvent{}
	}
	for id := syncvar.ID(1); rank == 0 && id <= 2; id++ { // rank 1 acquires them
		act(t, e, slotOf(1, message{op: request, id: id, rank: 1, access: syncvar.Exclusive}))
	}
	e.out = nil
	return e
}

// act passes a correct slot to an engine.
func act(t *testing.T, e *Engine, list ...incoming) {
	t.Helper()
	for _, in := range list {
		if err := e.handleSlot(in); err != nil {
			t.Fatal(err)
		}
	}
}

// ask requests a variable that another rank owns, and leaves the request open.
func ask(t *testing.T, e *Engine, id syncvar.ID, access syncvar.Access) {
	t.Helper()
	if err := e.ask(id, syncvar.Want{Access: access}); err != nil || e.wanted[id] == nil {
		t.Fatalf("asked for variable %d: wanted %v, error %v", id, e.wanted[id], err)
	}
}

// slotOf returns the slot of a message, pieceOf a data slot.
func slotOf(from dimmnet.Rank, m message) incoming {
	return incoming{from, ringbuf.Header{Kind: ringbuf.Control, Sender: from}, m.append(nil)}
}

func pieceOf(from dimmnet.Rank, addr uint64, n int, age uint16, last bool) incoming {
	return incoming{from, ringbuf.Header{Kind: ringbuf.Data, Sender: from, Addr: addr, Len: n, Age: age, Last: last}, make([]byte, n)}
}

// TestPeersThatBreakTheRules passes slots that no correct peer sends. Each must give an error that
// names the rank.
func TestPeersThatBreakTheRules(t *testing.T) {
	asked := func(e *Engine) { ask(t, e, 1, syncvar.Exclusive) }
	read := func(e *Engine) {
		ask(t, e, 1, syncvar.Shared)
		ask(t, e, 2, syncvar.Shared)
	}
	readTwice := func(e *Engine) {
		ask(t, e, 1, syncvar.Shared)
		act(t, e, slotOf(1, message{op: grant, id: 1, version: 5}))
		if err := e.release(1, false); err != nil {
			t.Fatal(err)
		}
		ask(t, e, 1, syncvar.Shared)
	}
	trees := func(e *Engine) { e.cfg.Trees = true }
	reads := func(e *Engine) { // version 5 of v1, which rank 1 owns
		e.cfg.Trees = true
		ask(t, e, 1, syncvar.Shared)
		act(t, e, slotOf(1, message{op: grant, id: 1, version: 5}))
	}
	getting := func(e *Engine) { // what is newer than version 5
		reads(e)
		if err := e.release(1, false); err != nil {
			t.Fatal(err)
		}
		ask(t, e, 1, syncvar.Shared)
		act(t, e, slotOf(1, message{op: grant, id: 1, version: 7, flag: true}))
	}
	passOn := func(from, to dimmnet.Rank, version, since syncvar.Version) incoming {
		return slotOf(from, message{op: pass, id: 1, rank: to, version: version, since: since})
	}
	byReader := func(from, owner dimmnet.Rank) incoming {
		return slotOf(from, message{op: grant, id: 1, rank: owner, version: 5, flag: true, passed: true})
	}
	passedRelease := slotOf(1, message{op: release, id: 0})
	passedRelease.body[3] = 1 | 4
	wants := func(rank dimmnet.Rank, id syncvar.ID) incoming {
		return slotOf(rank, message{op: request, id: id, rank: rank, access: syncvar.Shared})
	}
	granted := slotOf(2, message{op: grant, id: 1, version: 5, flag: true})
	flagged := slotOf(1, message{op: release, id: 0})
	flagged.body[3] = 2
	for _, c := range []struct {
		what   string
		rank   dimmnet.Rank // the rank of the engine
		before func(*Engine)
		first  []incoming // correct slots before in
		in     incoming   // a slot that no correct peer sends
		want   string
	}{
		{what: "a slot of the phase engine", in: incoming{1, ringbuf.Header{Kind: ringbuf.Locations}, nil}, want: "rank 1 sent a slot of kind 4"},
		{what: "a short message", in: incoming{1, ringbuf.Header{Kind: ringbuf.Control}, []byte{1}}, want: "rank 1 sent a message of 1 bytes"},
		{what: "an ID above the limit", in: slotOf(1, message{op: release, id: syncvar.MaxID}), want: "rank 1 sent a message with flag 0"},
		{what: "a flag of 2", in: flagged, want: "rank 1 sent a message with flag 2"},
		{what: "this rank's own request", before: asked, in: slotOf(1, message{op: request, id: 1, access: syncvar.Exclusive}), want: `rank 1 forwarded this rank's own request for "v1"`},
		{what: "a request of the owner", in: wants(1, 1), want: `rank 1 sent a request: "v1": syncvar: rank 1 requests a variable that it owns`},
		{what: "a version from the future", in: slotOf(2, message{op: request, id: 0, rank: 2, access: syncvar.Shared, since: 1}), want: "requests a variable of version 0, but claims to have version 1 and to know of version 0"},
		{what: "a release without a tenure", in: slotOf(1, message{op: release, id: 0}), want: `rank 1 sent a release: "v0": syncvar: rank 1 releases`},
		{what: "two requests", first: []incoming{wants(1, 0)}, in: wants(1, 0), want: "holds or waits for"},
		{what: "a grant without a request", in: slotOf(1, message{op: grant, id: 1, version: 1}), want: `a grant of "v1", which is not due`},
		{what: "a grant of a variable that it owns", before: func(e *Engine) { e.wanted[0] = &want{access: syncvar.Exclusive, state: wantGrant} },
			in: slotOf(2, message{op: grant, id: 0, version: 1}), want: "not due"},
		{what: "a grant from the future", before: asked, in: slotOf(2, message{op: grant, id: 1, version: 1, since: 2}), want: "not due"},
		{what: "two grants", before: asked, first: []incoming{granted}, in: granted, want: "not due"},
		{what: "two grants to a reader", before: read, first: []incoming{granted}, in: slotOf(1, message{op: grant, id: 1, version: 5}), want: `rank 1 sent a grant of "v1", which is not due`},
		{what: "an old version", before: readTwice, in: slotOf(1, message{op: grant, id: 1, version: 4}), want: "not due"},
		{what: "data without a grant", in: pieceOf(2, 4096, 8, 0, true), want: `rank 2 sent data of "v0", which are not due`},
		{what: "data of another variable", before: asked, first: []incoming{granted}, in: pieceOf(2, 4096, 8, 0, true), want: `data of "v0", which are not due`},
		{what: "data from another rank", before: asked, first: []incoming{granted}, in: pieceOf(1, 4196, 8, 0, true), want: "rank 1 sent data"},
		{what: "data outside", before: asked, first: []incoming{granted}, in: pieceOf(2, 5000, 8, 0, true), want: "data of rank 2: consistency: no variable guards"},
		{what: "data across the end", before: asked, first: []incoming{granted}, in: pieceOf(2, 4290, 8, 0, true), want: "no variable guards"},
		{what: "data too old", before: asked, first: []incoming{granted}, in: pieceOf(2, 4196, 8, 6, true), want: "6 versions old, out of order"},
		{what: "data backwards", before: asked, first: []incoming{granted, pieceOf(2, 4204, 8, 1, false)}, in: pieceOf(2, 4200, 8, 1, true), want: "out of order"},
		{what: "a passed release", in: passedRelease, want: "rank 1 sent a message with flag 5"},
		{what: "a wish without trees", in: passOn(1, 2, 0, 0), want: `rank 1 wants "v1" of version 0 passed on to rank 2`},
		{what: "a wish for what was never read", before: trees, in: passOn(1, 2, 5, 0), want: "with version 0, knows nothing"},
		{what: "a wish for an older version", before: reads, in: passOn(1, 2, 4, 0), want: "with version 5, knows nothing"},
		{what: "a wish for a newer version", before: reads, in: passOn(1, 2, 6, 0), want: "with version 5, knows nothing"},
		{what: "a wish of a rank that is not the owner", before: reads, in: passOn(2, 2, 5, 0), want: "rank 2 wants"},
		{what: "a wish of another rank than the owner", before: reads, in: passOn(2, 1, 5, 0), want: "rank 2 wants"},
		{what: "a wish to pass on to the owner", before: reads, in: passOn(1, 1, 5, 0), want: "rank 1 wants"},
		{what: "a wish to pass on to this rank", before: reads, in: passOn(1, 0, 5, 0), want: "passed on to rank 0"},
		{what: "a wish for nothing", before: reads, in: passOn(1, 2, 5, 5), want: "with version 5, knows nothing"},
		{what: "a wish for more than this rank gets", before: getting, in: passOn(1, 2, 7, 4), want: "this rank gets what is newer than 5"},
		{what: "a wish about the owner's own variable", before: trees, in: slotOf(1, message{op: pass, id: 0, rank: 2, version: 0}), want: `rank 1 wants "v0"`},
		{what: "three early wishes", before: func(e *Engine) { trees(e); ask(t, e, 1, syncvar.Shared) },
			first: []incoming{passOn(1, 2, 5, 0), passOn(1, 2, 5, 0)}, in: passOn(1, 2, 5, 0), want: "with version 0, knows nothing"},
		{what: "an early wish for another version", before: func(e *Engine) { trees(e); ask(t, e, 1, syncvar.Shared) },
			first: []incoming{passOn(1, 2, 5, 0)}, in: slotOf(1, message{op: grant, id: 1, version: 6, flag: true}), want: "of version 5 passed on"},
		{what: "an early wish of another rank", before: func(e *Engine) { trees(e); ask(t, e, 1, syncvar.Shared) },
			first: []incoming{passOn(2, 1, 5, 0)}, in: slotOf(1, message{op: grant, id: 1, version: 5, flag: true}), want: "rank 2 wants"},
		{what: "a wish before an exclusive grant", before: func(e *Engine) { trees(e); asked(e) }, in: passOn(1, 2, 5, 0), want: "with version 0, knows nothing"},
		{what: "an exclusive grant by a reader", before: asked, in: byReader(2, 1), want: "not due"},
		{what: "a grant by a reader for itself", before: read, in: byReader(2, 2), want: "not due"},
		{what: "a grant by a reader for this rank", before: read, in: byReader(2, 0), want: "not due"},
		{what: "arriving twice", first: []incoming{slotOf(1, message{op: arrive, call: syncvar.End})},
			in: slotOf(1, message{op: arrive, call: syncvar.End}), want: "rank 1 sent an arrival in return"},
		{what: "another call", first: []incoming{slotOf(2, message{op: arrive, call: syncvar.Update})},
			in: slotOf(1, message{op: arrive, call: syncvar.Barrier}), want: "rank 1 calls Barrier, but rank 2 calls Update"},
		{what: "arriving at rank 1", rank: 1, in: slotOf(2, message{op: arrive, call: syncvar.Barrier}), want: "rank 2 sent an arrival in Barrier, which is not due"},
		{what: "a leave from another rank than 0", rank: 1, before: func(e *Engine) { e.meeting.call = syncvar.Barrier },
			in: slotOf(2, message{op: leave, call: syncvar.Barrier}), want: "rank 2 sent that all ranks are in Barrier"},
		{what: "a leave without a meeting", in: slotOf(1, message{op: leave, call: syncvar.End}), want: "all ranks are in return, while this rank waits in call 0"},
	} {
		e := newTestEngine(t, c.rank)
		if c.before != nil {
			c.before(e)
		}
		act(t, e, c.first...)
		if err := e.handleSlot(c.in); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.what, err, c.want)
		}
	}
}
