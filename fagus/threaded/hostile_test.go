package threaded

import (
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// newTestEngine is a rank of 3 without threads, whose stores land at once. All have
// bound variables 0 to 3, of 100 bytes each from address 4096. Rank 0 owns variables 0
// and 3, rank 1 the others, and rank 0 knows it.
func newTestEngine(t *testing.T, rank dimmnet.Rank) *Engine {
	t.Helper()
	space := consistency.NewSpace()
	base, err := space.AddRegion("a", "bytes", make([]byte, 400))
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
	e, err := newEngine(&tablePort{rank: rank, tables: tables}, space, false)
	if err != nil {
		t.Fatal(err)
	}
	for i := range e.events {
		e.events[i] = noEvent{}
	}
	for id := syncvar.ID(1); rank == 0 && id <= 2; id++ { // rank 1 takes them
		act(t, e, said(1, message{op: request, id: id, rank: 1, mode: syncvar.Exclusive}))
	}
	e.out = nil
	return e
}

// act lets an engine take what is right.
func act(t *testing.T, e *Engine, list ...incoming) {
	t.Helper()
	for _, in := range list {
		if err := e.act(in); err != nil {
			t.Fatal(err)
		}
	}
}

// ask requests a variable that is not granted at once.
func ask(t *testing.T, e *Engine, id syncvar.ID, mode syncvar.Mode) {
	t.Helper()
	if err := e.ask(id, syncvar.Want{Mode: mode}); err != nil || e.wanted[id] == nil {
		t.Fatalf("asked for variable %d: wanted %v, error %v", id, e.wanted[id], err)
	}
}

// said is a message from the wire, pieceOf a data slot.
func said(from dimmnet.Rank, m message) incoming {
	return incoming{from, ringbuf.Header{Kind: ringbuf.Control, Sender: from}, m.append(nil)}
}

func pieceOf(from dimmnet.Rank, addr uint64, n int, age uint16, last bool) incoming {
	return incoming{from, ringbuf.Header{Kind: ringbuf.Data, Sender: from, Addr: addr, Len: n, Age: age, Last: last}, make([]byte, n)}
}

// TestPeersThatBreakTheRules: each gives an error that names the rank, and
// nothing of what came before is harmed.
func TestPeersThatBreakTheRules(t *testing.T) {
	asked := func(e *Engine) { ask(t, e, 1, syncvar.Exclusive) }
	read := func(e *Engine) {
		ask(t, e, 1, syncvar.Shared)
		ask(t, e, 2, syncvar.Shared)
	}
	readTwice := func(e *Engine) {
		ask(t, e, 1, syncvar.Shared)
		act(t, e, said(1, message{op: grant, id: 1, version: 5}))
		if err := e.release(1, false); err != nil {
			t.Fatal(err)
		}
		ask(t, e, 1, syncvar.Shared)
	}
	wants := func(rank dimmnet.Rank, id syncvar.ID) incoming {
		return said(rank, message{op: request, id: id, rank: rank, mode: syncvar.Shared})
	}
	granted := said(2, message{op: grant, id: 1, version: 5, flag: true})
	flagged := said(1, message{op: release, id: 0})
	flagged.body[3] = 2
	for _, c := range []struct {
		what   string
		rank   dimmnet.Rank // of the engine
		before func(*Engine)
		first  []incoming // which are right
		in     incoming
		want   string
	}{
		{what: "a slot of the phase engine", in: incoming{1, ringbuf.Header{Kind: ringbuf.Places}, nil}, want: "rank 1 sent a slot of kind 4"},
		{what: "a short message", in: incoming{1, ringbuf.Header{Kind: ringbuf.Control}, []byte{1}}, want: "rank 1 sent a message of 1 bytes"},
		{what: "a variable that never is", in: said(1, message{op: release, id: syncvar.MaxID}), want: "rank 1 sent a message with flag 0"},
		{what: "a flag of 2", in: flagged, want: "rank 1 sent a message with flag 2"},
		{what: "the own request", before: asked, in: said(1, message{op: request, id: 1, mode: syncvar.Exclusive}), want: `rank 1 passed on this rank's own request for "v1"`},
		{what: "a request of the owner", in: wants(1, 1), want: `rank 1 sent a request: "v1": syncvar: rank 1 asks for a variable that it owns`},
		{what: "a version to come", in: said(2, message{op: request, id: 0, rank: 2, mode: syncvar.Shared, since: 1}), want: "has version 1, and knows of version 0, of a variable of version 0"},
		{what: "a release too many", in: said(1, message{op: release, id: 0}), want: `rank 1 sent a release: "v0": syncvar: rank 1 releases`},
		{what: "two requests", first: []incoming{wants(1, 0)}, in: wants(1, 0), want: "holds or waits for"},
		{what: "a grant unasked", in: said(1, message{op: grant, id: 1, version: 1}), want: `a grant of "v1", which is not due`},
		{what: "a grant of what it owns", before: func(e *Engine) { e.wanted[0] = &want{mode: syncvar.Exclusive, from: -1} },
			in: said(2, message{op: grant, id: 0, version: 1}), want: "not due"},
		{what: "a grant from later", before: asked, in: said(2, message{op: grant, id: 1, version: 1, since: 2}), want: "not due"},
		{what: "two grants", before: asked, first: []incoming{granted}, in: granted, want: "not due"},
		{what: "two grants to a reader", before: read, first: []incoming{granted}, in: said(1, message{op: grant, id: 1, version: 5}), want: `rank 1 sent a grant of "v1", which is not due`},
		{what: "two streams", before: read, first: []incoming{granted}, in: said(2, message{op: grant, id: 2, version: 5, flag: true}), want: `rank 2 sent a grant of "v2", which is not due`},
		{what: "a version of before", before: readTwice, in: said(1, message{op: grant, id: 1, version: 4}), want: "not due"},
		{what: "data unasked", in: pieceOf(2, 4096, 8, 0, true), want: `rank 2 sent data of "v0", which are not due`},
		{what: "data of another variable", before: asked, first: []incoming{granted}, in: pieceOf(2, 4096, 8, 0, true), want: `data of "v0", which are not due`},
		{what: "data by another", before: asked, first: []incoming{granted}, in: pieceOf(1, 4196, 8, 0, true), want: "rank 1 sent data"},
		{what: "data outside", before: asked, first: []incoming{granted}, in: pieceOf(2, 5000, 8, 0, true), want: "data of rank 2: consistency: no variable guards"},
		{what: "data across the end", before: asked, first: []incoming{granted}, in: pieceOf(2, 4290, 8, 0, true), want: "no variable guards"},
		{what: "data too old", before: asked, first: []incoming{granted}, in: pieceOf(2, 4196, 8, 6, true), want: "6 versions old, out of turn"},
		{what: "data backwards", before: asked, first: []incoming{granted, pieceOf(2, 4204, 8, 1, false)}, in: pieceOf(2, 4200, 8, 1, true), want: "out of turn"},
		{what: "arriving twice", first: []incoming{said(1, message{op: arrive, call: syncvar.End})},
			in: said(1, message{op: arrive, call: syncvar.End}), want: "rank 1 sent that it waits in return"},
		{what: "a call of its own", first: []incoming{said(2, message{op: arrive, call: syncvar.Update})},
			in: said(1, message{op: arrive, call: syncvar.Barrier}), want: "rank 1 calls Barrier, but rank 2 calls Update"},
		{what: "arriving elsewhere", rank: 1, in: said(2, message{op: arrive, call: syncvar.Barrier}), want: "rank 2 sent that it waits in Barrier, which is not due"},
		{what: "others let it leave", rank: 1, before: func(e *Engine) { e.waits = syncvar.Barrier },
			in: said(2, message{op: leave, call: syncvar.Barrier}), want: "rank 2 sent that all wait in Barrier"},
		{what: "leaving unasked", in: said(1, message{op: leave, call: syncvar.End}), want: "all wait in return, while this rank waits in call 0"},
	} {
		e := newTestEngine(t, c.rank)
		if c.before != nil {
			c.before(e)
		}
		act(t, e, c.first...)
		if err := e.act(c.in); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.what, err, c.want)
		}
	}
}
