package threaded

import (
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// meetAt lets rank 0 and the two others arrive, which say that they have made
// declared declarations, with a digest.
func meetAt(e *Engine, call syncvar.Call, declared int, digest uint64) error {
	e.waits = call
	own := e.space.Declared()
	for rank := range dimmnet.Rank(3) {
		m := message{op: arrive, call: call, declared: uint32(declared), digest: digest}
		if rank == 0 {
			m.declared, m.digest = uint32(own), e.space.Digest(own)
		}
		if err := e.act(said(rank, m)); err != nil {
			return err
		}
	}
	return nil
}

// TestDeclarationsThatDiffer: the error names those since the last meeting alone.
func TestDeclarationsThatDiffer(t *testing.T) {
	e := newTestEngine(t, 0)
	n := e.space.Declared()
	if err := meetAt(e, syncvar.Barrier, n, e.space.Digest(n)); err != nil {
		t.Fatal(err)
	}
	if _, err := e.space.AddRegion("b", "bytes", make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
	if _, err := e.space.Bind("v4", []consistency.Range{{Lo: 3 * consistency.PageBytes, Hi: 3*consistency.PageBytes + 8}}); err != nil {
		t.Fatal(err)
	}
	if err := meetAt(e, syncvar.Barrier, n+2, 1); err == nil || !strings.Contains(err.Error(), "one of declarations 6 to 7 differs") {
		t.Errorf("error %v", err)
	}
}

// TestDeclarationsThatAreMissing: who returns need not have made all of them, who
// meets at a barrier must.
func TestDeclarationsThatAreMissing(t *testing.T) {
	for call, want := range map[syncvar.Call]string{
		syncvar.End:     "",
		syncvar.Barrier: "rank 0 has made 5 arrays and bindings and rank 1 4",
		syncvar.Update:  "rank 0 has made 5 arrays and bindings and rank 1 4",
	} {
		e := newTestEngine(t, 0)
		err := meetAt(e, call, 4, e.space.Digest(4))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v: error %v, want %q", call, err, want)
		}
	}
}

// TestRequestsCompareDeclarations: ranks that have declared different things find out
// at the first request, not when they meet.
func TestRequestsCompareDeclarations(t *testing.T) {
	e := newTestEngine(t, 0)
	m := message{op: request, id: 0, rank: 2, mode: syncvar.Shared}
	e.declare(&m) // as if rank 2 had made the same
	for _, c := range []struct {
		change func(*message)
		want   string
	}{
		{func(*message) {}, ""},
		{func(m *message) { m.digest++ }, "ranks 0 and 2 declared different things"},
		{func(m *message) { m.declared++ }, ""}, // it is ahead
		{func(m *message) { m.declared, m.digest = 0, 0 }, ""},
	} {
		own := m
		c.change(&own)
		err := newTestEngine(t, 0).act(said(2, own))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: error %v, want %q", own, err, c.want)
		}
	}
}
