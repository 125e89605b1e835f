package fagus_test

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/recording"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/fagus/trace"
	"github.com/fagus-dsm/fagus/fagus/trace/tracefile"
)

// traced is a program in which rank 1 waits for rank 0, which holds x for a millisecond.
func traced(n *fagus.Node) error {
	x := fagus.NewGuarded[int64](n, "x", 100)
	y := fagus.NewGuarded[int64](n, "y", 8)
	for range 3 {
		if n.Rank() == 1 {
			n.Spend(fagus.Microsecond)
		}
		err := n.Set(x.Write(), y.Read()).Do(func() {
			x.Slice()[n.Rank()]++
			n.Spend(fagus.Millisecond)
		})
		if err != nil {
			return err
		}
	}
	return n.Update()
}

// checkTraced checks that a trace says what traced does.
func checkTraced(t *testing.T, what string, tr *trace.Trace) {
	t.Helper()
	calls := make(map[rollcall.Call]int)
	waited, written, arrived := fagus.Time(0), uint64(0), 0
	for _, r := range tr.Ranks {
		for _, e := range r.Events {
			switch e.Kind {
			case trace.Called:
				calls[e.Call]++
				if e.Call != rollcall.End && !strings.HasPrefix(tr.Lines[e.Line], "fagus/trace_test.go:") {
					t.Errorf("%s: %v at line %q", what, e.Call, tr.Lines[e.Line])
				}
				if e.Call == rollcall.Acquire && tr.Text(tr.Sets[e.Set]) != "read y; write x" {
					t.Errorf("%s: a set %q", what, tr.Text(tr.Sets[e.Set]))
				}
			case trace.Waited:
				if r.Rank == 1 && e.Rank == 0 && e.ID == 0 {
					waited += e.To - e.From
				}
			case trace.Wrote:
				written += e.Bytes
			case trace.Arrived:
				arrived++
			}
		}
	}
	want := map[rollcall.Call]int{rollcall.Acquire: 6, rollcall.Release: 6, rollcall.Update: 2, rollcall.End: 2}
	if !maps.Equal(calls, want) || written != 6*8 {
		t.Errorf("%s: calls %v and %d bytes written, want %v and 48", what, calls, written, want)
	}
	if tr.Clock == dimmnet.Virtual && (waited < 3*fagus.Millisecond || waited > 3300*fagus.Microsecond || arrived != 6) {
		t.Errorf("%s: rank 1 waits for rank 0 to release x for %v, and data arrive %d times; want some 3 ms, and 6", what, waited, arrived)
	}
}

// TestTrace: a file has the calls, waits, arrivals and writes of all ranks as they are recorded.
func TestTrace(t *testing.T) {
	simulated, err := sim.New(sim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, net := range []dimmnet.Network{simulated, inproc.New(inproc.Config{})} {
		for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
			tr := trace.New()
			cfg := fagus.Config{Nodes: 2, Net: net, Mode: mode, Trace: tr, Placement: fagus.PlacePrivate}
			if _, err := fagus.Run(t.Context(), cfg, traced); err != nil {
				t.Fatal(err)
			}
			checkTraced(t, fmt.Sprintf("%v mode, %v time", mode, net.Clock()), tr)
			var file bytes.Buffer
			if err := tracefile.Write(&file, tr); err != nil {
				t.Fatal(err)
			}
			again, err := tracefile.Read(&file)
			if err != nil {
				t.Fatal(err)
			}
			for r := range tr.Ranks {
				for i, e := range tr.Ranks[r].Events {
					e.From, e.To = round(e.From+tr.Ranks[r].Offset), round(e.To+tr.Ranks[r].Offset)
					if got := again.Ranks[r].Events[i]; !reflect.DeepEqual(got, e) {
						t.Errorf("event %d of rank %d is %+v in the file, want %+v", i, r, got, e)
					}
				}
			}
		}
	}
}

// TestTraceOfFence: a call that does not wait does not last from the call before.
func TestTraceOfFence(t *testing.T) {
	net, err := sim.New(sim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	tr := trace.New()
	_, err = fagus.Run(t.Context(), fagus.Config{Nodes: 2, Net: net, Trace: tr}, func(n *fagus.Node) error {
		n.Spend(fagus.Millisecond)
		return n.Fence()
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range tr.Ranks {
		for _, e := range r.Events {
			if e.Call == rollcall.Fence && (e.From < fagus.Millisecond || e.To-e.From > fagus.Microsecond) {
				t.Errorf("rank %d computes for 1 ms, and its Fence lasts from %v to %v", r.Rank, e.From, e.To)
			}
		}
	}
}

func round(t fagus.Time) fagus.Time { return t / fagus.Nanosecond * fagus.Nanosecond }

// TestTraceOfMeasure: a trace has the begin and the end of what the program measures, once where
// a Measure is in another.
func TestTraceOfMeasure(t *testing.T) {
	net, err := sim.New(sim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	tr, took := trace.New(), make([]fagus.Time, 2)
	_, err = fagus.Run(t.Context(), fagus.Config{Nodes: 2, Net: net, Trace: tr}, func(n *fagus.Node) error {
		n.Spend(fagus.Millisecond)
		at, err := n.Measure(func() error {
			n.Spend(fagus.Microsecond)
			_, err := n.Measure(n.Barrier)
			return err
		})
		took[n.Rank()] = at
		n.Spend(fagus.Millisecond)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range tr.Ranks {
		var begun, ended []fagus.Time
		for _, e := range r.Events {
			switch e.Kind {
			case trace.Measuring:
				begun = append(begun, e.To)
			case trace.Measured:
				ended = append(ended, e.To)
			}
		}
		if len(begun) != 1 || len(ended) != 1 || begun[0] < fagus.Millisecond || ended[0]-begun[0] != took[r.Rank] {
			t.Errorf("rank %d measures from %v to %v, want once for %v", r.Rank, begun, ended, took[r.Rank])
		}
	}
}

// TestTimeZero: the times of a trace and of a record of the same run begin when the first rank
// begins its program, however long the process has been there.
func TestTimeZero(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "record")
	tr, begun, started := trace.New(), make([]fagus.Time, 2), time.Now()
	rec := recording.New(dir)
	net := inproc.New(inproc.Config{})
	time.Sleep(20 * time.Millisecond) // the process is older than the run
	_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2, Net: net, Trace: tr, Record: rec}, func(n *fagus.Node) error {
		begun[n.Rank()] = n.Now()
		return traced(n)
	})
	if err != nil {
		t.Fatal(err)
	}
	took := fagus.Time(time.Since(started).Nanoseconds()) * fagus.Nanosecond
	tr.Align()
	of, err := recording.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	first := took
	for r := range tr.Ranks {
		in, err := of.Rank(r)
		if err != nil {
			t.Fatal(err)
		}
		if rank := &tr.Ranks[r]; in.Begun != rank.Begun || in.Begun > begun[r] || rank.Begun+rank.Offset < 0 {
			t.Errorf("rank %d: the record begins at %v, the trace at %v, the program at %v", r, in.Begun, rank.Begun, begun[r])
		}
		first = min(first, tr.Ranks[r].Begun+tr.Ranks[r].Offset)
		in.Close()
	}
	if first != 0 {
		t.Errorf("the trace begins at %v, want 0", first)
	}
	for _, r := range tr.Ranks {
		for _, e := range r.Events {
			if at := e.To + r.Offset; at > took-20*fagus.Millisecond {
				t.Errorf("rank %d has an event at %v of a run of %v", r.Rank, at, took-20*fagus.Millisecond)
			}
		}
	}
}
