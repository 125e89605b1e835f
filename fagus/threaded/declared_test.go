package threaded

import (
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// meetAt lets ranks 0, 1 and 2 arrive at a meeting. Ranks 1 and 2 report declared as the number of
// their declarations, with this digest.
func meetAt(e *Engine, call syncvar.Call, declared int, digest uint64) error {
	e.meeting.call = call
	own := e.space.Declared()
	for rank := range dimmnet.Rank(3) {
		m := message{op: arrive, call: call, declared: uint32(declared), digest: digest}
		if rank == 0 {
			m.declared, m.digest = uint32(own), e.space.Digest(own)
		}
		if err := e.handleSlot(slotOf(rank, m)); err != nil {
			return err
		}
	}
	return nil
}

// TestDeclarationsThatDiffer checks that the error names only declarations since the last meeting.
func TestDeclarationsThatDiffer(t *testing.T) {
	e := newTestEngine(t, 0)
	n := e.space.Declared()
	if err := meetAt(e, syncvar.Barrier, n, e.space.Digest(n)); err != nil {
		t.Fatal(err)
	}
	if _, err := e.space.AddRegion("b", "bytes", 1, make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
	if _, err := e.space.Bind("v4", []consistency.Range{{Lo: 3 * consistency.PageBytes, Hi: 3*consistency.PageBytes + 8}}); err != nil {
		t.Fatal(err)
	}
	if err := meetAt(e, syncvar.Barrier, n+2, 1); err == nil || !strings.Contains(err.Error(), "one of declarations 6 to 7 differs") {
		t.Errorf("a meeting with other declarations: error %v, want declarations 6 to 7 named", err)
	}
}

// TestDeclarationsThatAreMissing checks that a rank must have made all declarations if it waits
// for the others or has returned.
func TestDeclarationsThatAreMissing(t *testing.T) {
	const want = "rank 0 has made 5 arrays and bindings and rank 1 4"
	for _, call := range []syncvar.Call{syncvar.End, syncvar.Barrier, syncvar.Update, syncvar.Reduce} {
		e := newTestEngine(t, 0)
		if err := meetAt(e, call, 4, e.space.Digest(4)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want %q", call, err, want)
		}
	}
}

// TestRequestsCompareDeclarations checks that different declarations are an error at the first
// request, before the next meeting.
func TestRequestsCompareDeclarations(t *testing.T) {
	e := newTestEngine(t, 0)
	m := message{op: request, id: 0, rank: 2, access: syncvar.Shared}
	e.declare(&m) // rank 2 has made the same declarations
	for _, c := range []struct {
		change func(*message)
		want   string
	}{
		{func(*message) {}, ""},
		{func(m *message) { m.digest++ }, "ranks 0 and 2 declared different things"},
		{func(m *message) { m.declared++ }, ""}, // rank 2 has made one declaration more
		{func(m *message) { m.declared, m.digest = 0, 0 }, ""},
	} {
		own := m
		c.change(&own)
		err := newTestEngine(t, 0).handleSlot(slotOf(2, own))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: error %v, want %q", own, err, c.want)
		}
	}
}
