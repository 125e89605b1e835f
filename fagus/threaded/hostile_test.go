package threaded

import (
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// stillPort is the port of a rank of 3 on which nothing ever happens.
type stillPort struct {
	dimmnet.Port // nil: any other method panics
	rank         dimmnet.Rank
}

func (p stillPort) Rank() dimmnet.Rank { return p.rank }
func (stillPort) Nodes() int           { return 3 }
func (stillPort) Limits() dimmnet.Limits {
	return dimmnet.Limits{Store: 8, Block: 464, LLCM: 128 << 10}
}

// newTestEngine is rank 0 of 3 without threads. It has bound variables 0 to 2, of
// 100 bytes each from address 4096, and owns variables 0 and 2.
func newTestEngine(t *testing.T) *Engine {
	t.Helper()
	space := consistency.NewSpace()
	base, err := space.AddRegion("a", "bytes", make([]byte, 300))
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"v0", "v1", "v2"} {
		lo := base + consistency.Addr(100*i)
		if _, err := space.Bind(name, []consistency.Range{{Lo: lo, Hi: lo + 100}}); err != nil {
			t.Fatal(err)
		}
	}
	e, err := newEngine(stillPort{}, space, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.act(said(1, message{op: request, id: 1, rank: 1, mode: syncvar.Exclusive})); err != nil { // rank 1 takes it
		t.Fatal(err)
	}
	e.out = nil
	return e
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
	asked := func(e *Engine) { e.wanted[1] = &want{mode: syncvar.Exclusive, from: -1} }
	wants := func(rank dimmnet.Rank, id syncvar.ID) incoming {
		return said(rank, message{op: request, id: id, rank: rank, mode: syncvar.Shared})
	}
	granted := said(2, message{op: grant, id: 1, version: 5, flag: true})
	for _, c := range []struct {
		what   string
		before func(*Engine)
		first  []incoming // which are right
		in     incoming
		want   string
	}{
		{what: "a slot of the phase engine", in: incoming{1, ringbuf.Header{Kind: ringbuf.List}, nil}, want: "rank 1 sent a slot of kind 1"},
		{what: "a short message", in: incoming{1, ringbuf.Header{Kind: ringbuf.Control}, []byte{1}}, want: "rank 1 sent a message of 1 bytes"},
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
		{what: "leaving unasked", in: said(1, message{op: leave, call: syncvar.End}), want: "all wait in return, while this rank waits in call 0"},
	} {
		e := newTestEngine(t)
		if c.before != nil {
			c.before(e)
		}
		for _, in := range c.first {
			if err := e.act(in); err != nil {
				t.Fatalf("%s: %v", c.what, err)
			}
		}
		if err := e.act(c.in); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.what, err, c.want)
		}
	}
}

// TestAsksForMoreThanItMay: the queue out is bounded whatever peers send.
func TestAsksForMoreThanItMay(t *testing.T) {
	e := newTestEngine(t)
	ask := func(id syncvar.ID) error {
		return e.act(said(1, message{op: request, id: 2 + id, rank: 1, mode: syncvar.Shared}))
	}
	for i := range e.most {
		if err := ask(syncvar.ID(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := ask(syncvar.ID(e.most)); err == nil || !strings.Contains(err.Error(), "a rank asks for more than it may") || len(e.out) != e.most {
		t.Errorf("%d messages wait, error %v", len(e.out), err)
	}
}
