package analysis_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/fagus/trace"
	"github.com/fagus-dsm/fagus/fagus/trace/analysis"
	"github.com/fagus-dsm/fagus/fagus/trace/tracefile"
	"github.com/fagus-dsm/fagus/syncvar"
)

// TestSums: causes of a rank add up to its time, those of the critical path to the time of the
// run, and the matrix to the bytes that arrived. So it is for the trace and for its file, on
// virtual and wall clocks.
func TestSums(t *testing.T) {
	longtest.OneThread(t)
	for _, p := range plantedPrograms() {
		var results []*analysis.Result
		simulated := record(t, simulation(t), p.mode, p.program, params{us: us, times: 1, block: 2048})
		moves := false
		for _, e := range simulated.Ranks[0].Events {
			if e.Kind == trace.Called && e.Call == rollcall.Release && moves {
				t.Errorf("%s: data move in a Release that ends at %v", p.name, e.To)
			}
			moves = e.Kind != trace.Called && (moves || e.Kind == trace.Moved)
		}
		results = append(results, analysis.Of(simulated), analysis.Of(throughFile(t, simulated)))
		wall := throughFile(t, record(t, inproc.New(inproc.Config{}), p.mode, p.program, params{us: us, times: 1, block: 2048}))
		results = append(results, analysis.Of(wall))
		for i, r := range results {
			// A file has nanoseconds.
			within := func(what string, got, want analysis.Time) {
				if off := got - want; off < -dimmnet.Microsecond || off > dimmnet.Microsecond {
					t.Errorf("%s, result %d: %s is %v, want %v", p.name, i, what, got, want)
				}
			}
			within("the critical path", r.Path.Shares.Total(), r.Total)
			if r.Path.Shares[analysis.Late]+r.Path.Shares[analysis.Held] != 0 {
				t.Errorf("%s: there is waiting in the path", p.name)
			}
			moved, arrived := uint64(0), uint64(0)
			for _, c := range r.Matrix {
				moved += c.Bytes
			}
			for k := range r.Ranks {
				arrived += r.Ranks[k].Arrived
				if i < 2 { // on a wall clock ranks begin at different times
					events := simulated.Ranks[k].Events
					within("the time of a rank", r.Ranks[k].Shares.Total(), events[len(events)-1].To)
				}
			}
			if moved != arrived {
				t.Errorf("%s: %d bytes in the matrix, %d arrived", p.name, moved, arrived)
			}
			for _, row := range r.Timeline.Rows {
				for x, shares := range row.Shares {
					sum := float32(0)
					for _, s := range shares {
						sum += s
					}
					if sum > 1.001 {
						t.Errorf("%s: column %d of row %d has %v", p.name, x, row.From, sum)
					}
				}
			}
		}
	}
}

func throughFile(t *testing.T, tr *trace.Trace) *trace.Trace {
	t.Helper()
	var file bytes.Buffer
	if err := tracefile.Write(&file, tr); err != nil {
		t.Fatal(err)
	}
	again, err := tracefile.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// call returns a call of a trace that is made by hand.
func call(c rollcall.Call, from, to analysis.Time, steps uint64) trace.Event {
	e := trace.Of(trace.Called, from*us, to*us)
	e.Call, e.Number, e.Line = c, steps, 0
	return e
}

// TestLate: ranks wait for the last one, and the path is where the last one computed.
func TestLate(t *testing.T) {
	tr := trace.New()
	tr.Begin(trace.About{Nodes: 3, Mode: "phase", Clock: dimmnet.Virtual})
	tr.Lines = []string{"a.go:1"}
	for r, work := range []analysis.Time{10, 50, 30} {
		tr.Ranks = append(tr.Ranks, trace.Rank{Rank: r, Events: []trace.Event{
			call(rollcall.Barrier, work, 60, 1), call(rollcall.End, 60, 65, 2),
		}})
	}
	r := analysis.Of(tr)
	want := []analysis.Shares{
		{analysis.Starting: 10 * us, analysis.Late: 40 * us, analysis.Agreeing: 10 * us, analysis.Ending: 5 * us},
		{analysis.Starting: 50 * us, analysis.Agreeing: 10 * us, analysis.Ending: 5 * us},
		{analysis.Starting: 30 * us, analysis.Late: 20 * us, analysis.Agreeing: 10 * us, analysis.Ending: 5 * us},
	}
	for i := range want {
		if got := r.Ranks[i].Shares; got != want[i] {
			t.Errorf("rank %d: %v, want %v", i, got, want[i])
		}
	}
	if r.Ranks[0].For != 1 || r.Path.Shares != want[1] || r.Path.Ranks[1] != 50*us {
		t.Errorf("rank 0 waited for %d; the path is %v, at ranks %v", r.Ranks[0].For, r.Path.Shares, r.Path.Ranks)
	}
	if len(r.Advice) == 0 || r.Advice[0].Kind != analysis.Imbalance || r.Advice[0].Saves != 20*us {
		t.Errorf("advice: %v", r.Advice)
	}
}

// TestNetwork: the report adds up what packets did, and the critical path knows when packets for
// the rank in it waited, behind packets of the same pair of ranks or of others.
func TestNetwork(t *testing.T) {
	tr := trace.New()
	tr.Begin(trace.About{Nodes: 3, Mode: "phase", Clock: dimmnet.Virtual})
	tr.Lines = []string{"a.go:1"}
	for r := range 3 { // rank 0 comes last; then its call takes 50 us
		tr.Ranks = append(tr.Ranks, trace.Rank{Rank: r, Events: []trace.Event{
			call(rollcall.Barrier, analysis.Time(50-r), analysis.Time(100-10*r), 1), call(rollcall.End, 100, 100, 1),
		}})
	}
	pass := func(track string, queued, from, to analysis.Time, src, dst dimmnet.Rank) {
		tr.Pass(track, "BOTF", trace.Packet{Queued: queued * us, From: from * us, To: to * us, Bytes: 100, Src: src, Dst: dst})
	}
	pass("a", 40, 40, 60, 1, 0) // does not wait
	pass("a", 45, 60, 70, 1, 0) // 10 us of its wait are in the call of rank 0, behind its own rank
	pass("a", 60, 70, 80, 1, 2) // for a rank that is not in the path
	pass("a", 65, 80, 90, 1, 0) // 10 us behind a packet for rank 2, 5 behind its own rank
	pass("b", 10, 12, 20, 2, 0) // before the call
	tr.Seal()
	n := analysis.Of(tr).Network
	if n == nil || len(n.Tracks) != 2 {
		t.Fatalf("%+v, want 2 tracks", n)
	}
	// Rank 0 is in its call from 50 to 100 us. Packets for it wait from 50 to 60 and from 65 to 80.
	if n.Critical != 25*us || n.Behind != 10*us {
		t.Errorf("packets for the rank in the path wait for %v, behind others for %v; want 25 and 10 us", n.Critical, n.Behind)
	}
	a := n.Tracks[0]
	if a.Name != "a" || a.Packets != 4 || a.Track.Busy != 50*us || a.Queued != 40*us || a.Longest != 15*us || a.Mean != 10*us || a.Most != "BOTF" || a.Busy != 0.5 {
		t.Errorf("the first track is %+v", a)
	}
}

// TestMissing: what is missing in a trace is said, and nothing is predicted without all ranks.
func TestMissing(t *testing.T) {
	whole := record(t, simulation(t), fagus.Phase, imbalance, params{us: us, times: 1})
	for _, c := range []struct {
		change func(*trace.Trace)
		want   string
		advice bool
	}{
		{func(tr *trace.Trace) { tr.Ranks = tr.Ranks[:3] }, "1 of 4 ranks are missing", false},
		{func(tr *trace.Trace) { tr.Ranks = nil }, "4 of 4 ranks are missing", false},
		{func(tr *trace.Trace) { tr.Ranks[1].Failed = "lost" }, "rank 1 failed: lost", true},
		{func(tr *trace.Trace) { tr.Ranks[2].Dropped, tr.Ranks[2].Events = 12, tr.Ranks[2].Events[12:] }, "the first 12 events of 1 rank are missing", true},
		{func(tr *trace.Trace) { tr.Clock, tr.Ranks[1].Uncertain = dimmnet.Wall, 3*us }, "aligned within 3.000 us", true},
	} {
		tr := throughFile(t, whole)
		c.change(tr)
		r := analysis.Of(tr)
		if all := strings.Join(r.Warnings, "\n"); !strings.Contains(all, c.want) {
			t.Errorf("want %q in %q", c.want, all)
		}
		if got := len(r.Advice) > 0; got != c.advice {
			t.Errorf("%s: advice %v, model %+v", c.want, r.Advice, r.Model)
		}
	}
}

// TestHostile: no trace that Check accepts makes Of panic or hang.
func TestHostile(t *testing.T) {
	longtest.OneThread(t)
	var traces []*trace.Trace
	for _, p := range plantedPrograms() {
		traces = append(traces, record(t, simulation(t), p.mode, p.program, params{us: us, times: 1, block: 2048}))
	}
	for seed := range 400 {
		tr := throughFile(t, traces[seed%len(traces)])
		random := rand.New(rand.NewPCG(uint64(seed), 43))
		for range 1 + random.IntN(20) {
			spoil(tr, random)
		}
		if tr.Check() == nil {
			analysis.Of(tr)
		}
	}
}

// spoil changes something in a trace.
func spoil(tr *trace.Trace, random *rand.Rand) {
	of := &tr.Ranks[random.IntN(len(tr.Ranks))]
	if len(of.Events) == 0 {
		return
	}
	e := &of.Events[random.IntN(len(of.Events))]
	switch random.IntN(12) {
	case 0:
		e.Number = random.Uint64()
	case 1:
		e.Number += uint64(random.IntN(5))
	case 2:
		e.Rank = int32(random.IntN(tr.Nodes+1)) - 1
	case 3:
		e.ID = int32(random.IntN(len(tr.Variables)+1)) - 1
	case 4:
		e.Set = int32(random.IntN(len(tr.Sets)+1)) - 1
	case 5:
		e.Line = -1
	case 6:
		e.From = analysis.Time(random.Int64N(int64(e.To) + 1))
	case 7:
		if e.Kind == trace.Called {
			e.Call = rollcall.Call(1 + random.IntN(int(rollcall.End)))
		}
	case 8:
		of.Events = of.Events[random.IntN(len(of.Events)):]
		of.Dropped = uint64(random.IntN(2))
	case 9:
		of.Events = of.Events[:random.IntN(len(of.Events))]
	case 10:
		e.Bytes = random.Uint64()
	case 11:
		last := &of.Events[len(of.Events)-1]
		last.To += analysis.Time(random.Int64N(1 << 62))
	}
}

// TestReaders: in Threaded mode readers of a variable hold it together, behind the writer for which
// they wait, and a writer waits for all of them.
func TestReaders(t *testing.T) {
	tr := trace.New()
	tr.Begin(trace.About{Nodes: 4, Mode: "threaded", Clock: dimmnet.Virtual})
	tr.Lines, tr.Variables = []string{"a.go:1"}, []trace.Variable{{Name: "x", Bytes: 8, Pieces: 1}}
	tr.Sets = []trace.Set{{Shared: []syncvar.ID{0}, Variables: 1}, {Exclusive: []syncvar.ID{0}, Variables: 1}}
	for r, c := range []struct {
		set                  int32
		from, granted, until analysis.Time
	}{{1, 0, 5, 100}, {0, 10, 105, 150}, {0, 20, 105, 200}, {1, 30, 205, 250}} {
		acquire, release := call(rollcall.Acquire, c.from, c.granted, 0), call(rollcall.Release, c.until, c.until, 0)
		acquire.Set, release.Set = c.set, c.set
		tr.Ranks = append(tr.Ranks, trace.Rank{Rank: r, Events: []trace.Event{acquire, release, call(rollcall.End, c.until, 255, 1)}})
	}
	r := analysis.Of(tr)
	if r.Model.Time != 255*us || r.Model.Run != 255*us {
		t.Errorf("the model is %+v, want 255 us", r.Model)
	}
	if r.Path.Shares[analysis.Computing] != 95*us+95*us+45*us {
		t.Errorf("the path is %v", r.Path.Shares)
	}
}

// TestDropped: wherever the events of ranks begin, the model makes the rest of the run.
func TestDropped(t *testing.T) {
	longtest.OneThread(t)
	for _, p := range plantedPrograms() {
		whole := record(t, simulation(t), p.mode, p.program, params{us: us, times: 1, block: 2048})
		for drop := range 24 {
			tr := throughFile(t, whole)
			of := &tr.Ranks[drop%4]
			if drop > len(of.Events)/2 {
				continue
			}
			of.Dropped, of.Events = uint64(drop+1), of.Events[drop+1:]
			r := analysis.Of(tr)
			if !r.Model.Ok {
				t.Errorf("%s without %d events of rank %d: the model is %+v", p.name, drop+1, drop%4, r.Model)
			}
			if got := r.Path.Shares.Total(); got < r.Total-us || got > r.Total+us {
				t.Errorf("%s without %d events: the path takes %v of %v", p.name, drop+1, got, r.Total)
			}
		}
	}
}
