package threaded

import (
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// newTestEngine is rank 0 of 3 without threads. It has bound variables 0 to 2, of
// 100 bytes each from address 4096, and manages variable 0.
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
	e, err := newEngine(0, 3, dimmnet.Limits{Store: 8, Block: 464, LLCM: 128 << 10}, space, false)
	if err != nil {
		t.Fatal(err)
	}
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
	asked := func(e *Engine) { e.wanted[1] = &want{mode: syncvar.Exclusive, from: -1} } // rank 1 manages it
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
		{what: "another's variable", in: said(1, message{op: request, id: 1, mode: syncvar.Shared}), want: `"v1", which rank 1 manages`},
		{what: "a release too many", in: said(1, message{op: release, id: 0}), want: "rank 1 releases a variable"},
		{what: "two requests", first: []incoming{said(1, message{op: request, id: 0, mode: syncvar.Shared})},
			in: said(1, message{op: request, id: 0, mode: syncvar.Shared}), want: "holds or waits for"},
		{what: "a grant unasked", in: said(1, message{op: grant, id: 1, version: 1}), want: `a grant of "v1", which is not due`},
		{what: "a grant by no manager", before: asked, in: said(2, message{op: grant, id: 1, version: 1}), want: "not due"},
		{what: "two grants", before: asked, first: []incoming{granted}, in: granted, want: "not due"},
		{what: "data unasked", in: pieceOf(2, 4096, 8, 0, true), want: `rank 2 sent data of "v0", which are not due`},
		{what: "data of another variable", before: asked, first: []incoming{granted}, in: pieceOf(2, 4096, 8, 0, true), want: `data of "v0", which are not due`},
		{what: "data by another", before: asked, first: []incoming{granted}, in: pieceOf(1, 4196, 8, 0, true), want: "rank 1 sent data"},
		{what: "data outside", before: asked, first: []incoming{granted}, in: pieceOf(2, 5000, 8, 0, true), want: "data of rank 2: consistency: no variable guards"},
		{what: "data across the end", before: asked, first: []incoming{granted}, in: pieceOf(2, 4290, 8, 0, true), want: "no variable guards"},
		{what: "data too old", before: asked, first: []incoming{granted}, in: pieceOf(2, 4196, 8, 6, true), want: "6 versions old, out of turn"},
		{what: "data backwards", before: asked, first: []incoming{granted, pieceOf(2, 4204, 8, 1, false)}, in: pieceOf(2, 4200, 8, 1, true), want: "out of turn"},
		{what: "an order by no manager", in: said(2, message{op: serve, id: 1, rank: 2, version: 1}), want: "rank 2 sent an order to serve rank 2"},
		{what: "an order to serve itself", in: said(1, message{op: serve, id: 1, rank: 0, version: 1}), want: "an order to serve rank 0"},
		{what: "an order about nothing", in: said(1, message{op: serve, id: 1000, rank: 2, version: 1}), want: "variable 1000"},
		{what: "an order in a tenure", before: func(e *Engine) { e.versions[1] = 3 }, in: said(1, message{op: serve, id: 1, rank: 2, version: 1}), want: "an order to serve"},
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
	order := said(1, message{op: serve, id: 1, rank: 2, version: 1})
	for range e.most {
		if err := e.act(order); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.act(order); err == nil || !strings.Contains(err.Error(), "a rank asks for more than it may") || len(e.out) != e.most {
		t.Errorf("%d messages wait, error %v", len(e.out), err)
	}
}
