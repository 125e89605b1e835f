package threaded

import (
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/syncvar"
)

// TestRequestsCompareDeclarations: ranks that have declared different things find out
// at the first request, not when they meet.
func TestRequestsCompareDeclarations(t *testing.T) {
	e := newTestEngine(t)
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
		err := newTestEngine(t).act(said(2, own))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: error %v, want %q", own, err, c.want)
		}
	}
}
