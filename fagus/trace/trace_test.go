package trace

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/syncvar"
)

// TestRing: a full recorder keeps the newest events, and counts the others.
func TestRing(t *testing.T) {
	tr := New()
	tr.Begin(About{Nodes: 1})
	r := tr.Recorder(0, 0, dimmnet.Origin{})
	r.most = 10
	for i := range 25 {
		r.Add(Of(Saved, dimmnet.Time(i), dimmnet.Time(i)))
	}
	r.Close()
	got := tr.Ranks[0]
	if len(got.Events) != 10 || got.Dropped != 15 || got.Events[0].To != 15 || got.Events[9].To != 24 {
		t.Errorf("%d events from %v to %v, %d dropped; want 10 from 15 to 24, and 15", len(got.Events), got.Events[0].To, got.Events[len(got.Events)-1].To, got.Dropped)
	}
}

// TestMemory: the recorders of all ranks of a run together have a bound, that of the user or the
// default.
func TestMemory(t *testing.T) {
	const size = int64(unsafe.Sizeof(Event{}))
	for _, limit := range []int64{0, 1 << 20, 3 << 30} {
		for _, nodes := range []int{1, 2, 1000, 4096, dimmnet.MaxNodes} {
			tr := New()
			tr.Limit = limit
			tr.Begin(About{Nodes: nodes})
			bound, most := cmp.Or(limit, DefaultLimit), tr.eventsOf(nodes)
			bytes := int64(most) * int64(nodes) * size
			if bytes > max(bound, int64(nodes*leastKept)*size) || most < leastKept {
				t.Errorf("of %d ranks, each records %d events, %d MiB together, of %d", nodes, most, bytes>>20, bound>>20)
			}
			if limit > 0 && bytes < bound/2 {
				t.Errorf("%d ranks record %d bytes of a limit of %d", nodes, bytes, limit)
			}
		}
	}
	if all := leastKept * dimmnet.MaxNodes * size; all > DefaultLimit {
		t.Errorf("the most ranks keep %d bytes at least, more than the default limit", all)
	}
}

// TestTables: equal lines and sets of ranks have one index, and tables have bounds.
func TestTables(t *testing.T) {
	tr := New()
	tr.Begin(About{Nodes: 2})
	for rank := range 2 {
		r := tr.Recorder(rank, 0, dimmnet.Origin{})
		r.Bound(Variable{Name: "x"})
		for i := range mostTexts + 5 {
			e := Of(Called, 0, 0)
			e.Call, e.Line = rollcall.Acquire, r.Line(uint64(i), func() string { return strings.Repeat("l", i%3+1+rank) })
			e.Set = r.Set(nil, []syncvar.ID{0})
			r.Add(e)
		}
		r.Close()
	}
	if len(tr.Lines) != 4 || len(tr.Sets) != 1 || len(tr.Variables) != 1 {
		t.Errorf("%d lines, %d sets, %d variables; want 4, 1, 1", len(tr.Lines), len(tr.Sets), len(tr.Variables))
	}
	for _, r := range tr.Ranks {
		if first, last := r.Events[0].Line, r.Events[len(r.Events)-1].Line; first == None || last != None {
			t.Errorf("rank %d: lines %d and %d; want one, and none when the table is full", r.Rank, first, last)
		}
	}
	if err := tr.Check(); err != nil {
		t.Error(err)
	}
}

// clocks makes a trace of two ranks that meet in n steps. The clock of rank 1 is ahead.
func clocks(n int, ahead dimmnet.Time) *Trace {
	tr := New()
	tr.Begin(About{Nodes: 2, Clock: dimmnet.Wall})
	recorders := [2]*Recorder{tr.Recorder(0, 200, dimmnet.Origin{}), tr.Recorder(1, 100+ahead, dimmnet.Origin{})}
	now := dimmnet.Time(500)
	for k := range n {
		late := k % 2 // the rank that comes last
		for rank, r := range recorders {
			from, to := now, now+100
			if rank == late {
				if from = now + 20; k/2 == n/4 { // in the middle, steps take least
					from = now + 90
				}
			}
			e := Of(Called, from, to)
			if rank == 1 {
				e.From, e.To = e.From+ahead, e.To+ahead
			}
			e.Call, e.Number = rollcall.Barrier, uint64(k+1)
			r.Add(e)
		}
		now += 1000
	}
	for _, r := range recorders {
		r.Close()
	}
	return tr
}

// TestAlign: the clocks of ranks that meet are aligned, up to the time that a step takes when both
// have come.
func TestAlign(t *testing.T) {
	for i, ahead := range []dimmnet.Time{0, 5000, 1 << 40, 1 << 40} {
		tr := clocks(20, ahead)
		if i == 3 { // a rank whose first events are missing
			tr.Ranks[0].Events, tr.Ranks[0].Dropped = tr.Ranks[0].Events[10:], 10
		}
		tr.Align()
		r := tr.Ranks[1]
		if off := r.Offset + ahead - tr.Ranks[0].Offset; off < -r.Uncertain || off > r.Uncertain || r.Uncertain > 10 {
			t.Errorf("the clock is %v ahead: offset %v, off by %v, which is said to be up to %v", ahead, r.Offset, off, r.Uncertain)
		}
		first := dimmnet.Time(math.MaxInt64)
		for _, r := range tr.Ranks {
			first = min(first, r.Begun+r.Offset)
		}
		if first != 0 {
			t.Errorf("the first rank begins at %v, want 0", first)
		}
	}
	tr := clocks(0, 0)
	tr.Align()
	if tr.Ranks[1].Uncertain < dimmnet.Second {
		t.Errorf("ranks that never meet are off by %v", tr.Ranks[1].Uncertain)
	}
}

// TestAlignMachine: ranks of one machine have its clock, unless their calls say that it is another.
func TestAlignMachine(t *testing.T) {
	const ahead = 5 * dimmnet.Millisecond
	for _, c := range []struct {
		what         string
		zero, offset time.Duration // of the clock of rank 1
		within       dimmnet.Time
	}{
		{"rank 1 is always late", -5 * time.Millisecond, -5 * time.Millisecond, 0},
		{"in another time namespace", time.Hour, -5 * time.Millisecond, 60 * dimmnet.Microsecond},
	} {
		tr := clocks(20, ahead)
		for i := range tr.Ranks[0].Events {
			tr.Ranks[0].Events[i].From -= 100 * dimmnet.Microsecond
		}
		tr.Ranks[0].Begun -= 100 * dimmnet.Microsecond
		tr.Ranks[0].Origin, tr.Ranks[1].Origin = dimmnet.Origin{Machine: 1}, dimmnet.Origin{Machine: 1, Zero: c.zero.Nanoseconds()}
		tr.Align()
		tr.Align() // changes nothing
		off := tr.Ranks[1].Offset - tr.Ranks[0].Offset - dimmnet.Time(c.offset)*dimmnet.Nanosecond
		if off < -c.within || off > c.within {
			t.Errorf("%s: off by %v", c.what, off)
		}
	}
}

// TestDecodeRefuses: records that no Recorder makes are refused.
func TestDecodeRefuses(t *testing.T) {
	for name, spoil := range map[string]func(*Rank){
		"a rank that is another one": func(r *Rank) { r.Rank = 0 },
		"a call of no kind":          func(r *Rank) { r.Events[0].Call = 99 },
		"an unknown kind":            func(r *Rank) { r.Events[0].Kind = 99 },
		"a line that is missing":     func(r *Rank) { r.Events[0].Line = 0 },
		"a set that is missing":      func(r *Rank) { r.Events[0].Set = 7 },
		"a variable":                 func(r *Rank) { r.Events[0].ID = 3 },
		"a time before":              func(r *Rank) { r.Events[1].To = 0 },
		"a negative index":           func(r *Rank) { r.Events[1].Rank = -2 },
	} {
		from, to := clocks(3, 0), clocks(3, 0)
		from.Ranks = from.Ranks[1:]
		spoil(&from.Ranks[0])
		data, err := from.Encode()
		if err != nil {
			t.Fatal(err)
		}
		to.Ranks = to.Ranks[:1]
		if err := to.Decode(1, data); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := clocks(3, 0).Decode(1, []byte("hello")); err == nil {
		t.Error("text is no record, but there is no error")
	}
}

// TestPackets: packets have a share of the limit, the newest are kept, and sums are of all. When
// the run is over, nothing is added any more.
func TestPackets(t *testing.T) {
	tr := New()
	tr.Limit = 1 << 20
	tr.Begin(About{Nodes: 2, Clock: dimmnet.Virtual})
	const all = 40000
	for i := range all {
		at := dimmnet.Time(i)
		tr.Pass([]string{"a", "b"}[i%2], "AOTF", Packet{Queued: at, From: at + 1, To: at + 2, Bytes: 8, Dst: 1})
	}
	tr.Seal()
	tr.Pass("a", "AOTF", Packet{})
	n := &tr.Network
	if bytes := len(n.Packets) * int(unsafe.Sizeof(Packet{})); bytes > 1<<18 || bytes < 1<<17 || int(n.Dropped) != all-len(n.Packets) {
		t.Errorf("%d packets of %d bytes, %d dropped", len(n.Packets), bytes, n.Dropped)
	}
	want := Track{Name: "a", Packets: all / 2, Bytes: all / 2 * 8, Busy: all / 2, Queued: all / 2, Longest: 1}
	if len(n.Tracks) != 2 || n.Tracks[0] != want {
		t.Errorf("tracks %+v, want first %+v", n.Tracks, want)
	}
	for _, p := range n.Packets {
		if int(p.From) < all-len(n.Packets) {
			t.Fatalf("an old packet is kept: %+v", p)
		}
	}
	if err := tr.Check(); err != nil {
		t.Error(err)
	}
	for name, spoil := range map[string]func(*Packet){
		"a track":          func(p *Packet) { p.Track = 2 },
		"a kind":           func(p *Packet) { p.Kind = 1 },
		"a rank":           func(p *Packet) { p.Dst = 2 },
		"a time":           func(p *Packet) { p.From = p.To + 1 },
		"a wait":           func(p *Packet) { p.Queued = p.From + 1 },
		"a negative track": func(p *Packet) { p.Track = -1 },
	} {
		good := n.Packets[5]
		spoil(&n.Packets[5])
		if tr.Check() == nil {
			t.Errorf("%s that no network has: no error", name)
		}
		n.Packets[5] = good
	}
}

// TestPacketsAfter: what a network does when the run is over is not in the trace. The race detector
// finds a network that writes into what is read.
func TestPacketsAfter(t *testing.T) {
	tr := New()
	tr.Begin(About{Nodes: 1})
	var network sync.WaitGroup
	goesOn := make(chan struct{})
	network.Go(func() {
		for i := range dimmnet.Time(10000) {
			if tr.Pass("link", "AOTF", Packet{From: -i, To: -i}); i == 100 {
				close(goesOn)
			}
		}
	})
	<-goesOn
	tr.Seal()
	packets := len(tr.Network.Packets)
	if !slices.IsSortedFunc(tr.Network.Packets, func(a, b Packet) int { return a.compare(&b) }) {
		t.Error("packets are not sorted")
	}
	network.Wait()
	if packets <= 100 || len(tr.Network.Packets) != packets {
		t.Errorf("%d packets, and %d when the network has ended", packets, len(tr.Network.Packets))
	}
}
