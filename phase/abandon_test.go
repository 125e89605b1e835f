package phase_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/syncvar"
)

// zeroCopyWorld is two ranks over ports with ZeroCopy. Rank 1 has written a variable, whose
// contents rank 0 is about to get: the slot with their locations has landed, the bytes are under
// way.
func zeroCopyWorld(t *testing.T) *world {
	t.Helper()
	w := &world{}
	for _, line := range []string{"zerocopy", "ranks 2", "bind a 100 900", "bind b 900 1000", "acquire 1 a:exclusive", "acquire 0", "stabilize", "write 1 150 x", "release 1", "acquire 0 a:shared", "acquire 1 b:shared"} {
		if err := w.do(strings.Fields(line)); err != nil {
			t.Fatal(err)
		}
	}
	for range 4 { // requests, then the slot
		for _, way := range [][2]int{{0, 1}, {1, 0}} {
			if w.ranks[1].port.sending[0] > 0 && len(w.ranks[0].port.receives[1]) > 0 {
				return w
			}
			w.landFirst(way[0], way[1], min(1, len(w.ranks[way[0]].port.out[way[1]])))
			if err := w.step(way[1]); err != nil {
				t.Fatal(err)
			}
		}
	}
	for len(w.ranks[0].port.receives[1]) == 0 { // the slot, but not what it lists
		if len(w.ranks[1].port.out[0]) == 0 {
			t.Fatalf("rank 0 posts no receive: %s", w.ranks[0].engine.Waiting())
		}
		w.landFirst(1, 0, 1)
		if err := w.step(0); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// TestFailureAbandons: when an engine's port fails, the engine has the network end all access to
// the program's memory, once, before it returns the error. It may be sending or receiving.
func TestFailureAbandons(t *testing.T) {
	boom := errors.New("boom")
	for rank := range 2 {
		w := zeroCopyWorld(t)
		r := w.ranks[rank]
		if rank == 0 && len(r.port.receives[1]) == 0 || rank == 1 && r.port.sending[0] == 0 {
			t.Fatalf("rank %d neither sends nor receives", rank)
		}
		r.port.failed = boom
		err := r.engine.Drive()
		if !errors.Is(err, boom) || r.port.abandoned != 1 {
			t.Fatalf("rank %d returns %v, and has abandoned its transfers %d times: want once", rank, err, r.port.abandoned)
		}
		if _, again := r.engine.Step(); again != err || r.port.abandoned != 1 {
			t.Errorf("rank %d goes on: %v, abandoned %d times", rank, again, r.port.abandoned)
		}
	}
}

// listOf returns a list whose encoding has the given number of bytes. Its IDs are pairs of five
// bytes each, and of six where the size needs it.
func listOf(bytes int) syncvar.List {
	l := syncvar.List{Call: syncvar.Acquire}
	pairs := (bytes - 100) / 5
	l.Shared = make([]syncvar.ID, 0, 2*pairs)
	for longer := 0; ; longer = bytes - len(syncvar.AppendList(nil, &l)) {
		l.Shared = l.Shared[:0]
		for i, at := 0, syncvar.ID(0); i < pairs; i++ {
			gap := syncvar.ID(200)
			if i < longer {
				gap = 1 << 14
			}
			l.Shared = append(l.Shared, at+gap, at+gap+200)
			at += gap + 201
		}
		if longer > 0 {
			return l
		}
	}
}

// TestBeginAbandons: Begin accepts a list of the largest size. With one byte more, Begin fails and
// abandons the transfers.
func TestBeginAbandons(t *testing.T) {
	for more := range 2 {
		w := &world{}
		for _, line := range []string{"zerocopy", "ranks 2"} {
			if err := w.do(strings.Fields(line)); err != nil {
				t.Fatal(err)
			}
		}
		e, p := w.ranks[0].engine, w.ranks[0].port
		l := listOf(syncvar.MaxListBytes + more)
		if n := len(syncvar.AppendList(nil, &l)); n != syncvar.MaxListBytes+more {
			t.Fatalf("the list has %d bytes", n)
		}
		err := e.Begin(l)
		if (err != nil) != (more > 0) || p.abandoned != more {
			t.Fatalf("a list with %d bytes more than it may have: %v, abandoned %d times", more, err, p.abandoned)
		}
		if err == nil {
			continue
		}
		if again := e.Begin(syncvar.List{Call: syncvar.Barrier}); again != err || p.abandoned != 1 {
			t.Errorf("after that: %v, abandoned %d times", again, p.abandoned)
		}
	}
}

// TestNothingIsAbandoned: an engine that does not fail abandons nothing.
func TestNothingIsAbandoned(t *testing.T) {
	w := zeroCopyWorld(t)
	if err := w.stabilize(); err != nil {
		t.Fatal(err)
	}
	for rank, r := range w.ranks {
		if r.port.abandoned != 0 || r.call != 0 {
			t.Errorf("rank %d: abandoned %d times, in %v", rank, r.port.abandoned, r.call)
		}
	}
	if got := w.ranks[0].mem[150]; got != 'x' {
		t.Errorf("rank 0 has %q", got)
	}
}
