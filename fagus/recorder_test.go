package fagus_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/recording"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/syncvar"
)

// recorded is a program in which each rank writes one element of a and its own of b, and a Rebind
// moves half of what a variable guards.
func recorded(n *fagus.Node) error {
	a := fagus.NewGuarded[int64](n, "a", 1000)
	b, err := fagus.NewArray[[3]uint32](n, "b", 20*n.Nodes())
	if err != nil {
		return err
	}
	var own []*fagus.SyncVar
	for r := range n.Nodes() {
		v, err := n.Bind(fmt.Sprint("b.", r), b.Range(20*r, 20*r+20))
		if err != nil {
			return err
		}
		own = append(own, v)
	}
	for i := range 3 {
		err := errors.Join(n.Set(a.Write().Unordered(), own[n.Rank()].Write()).Do(func() {
			a.Slice()[10*n.Rank()+i] = int64(100*n.Rank() + i + 1)
			b.Slice()[20*n.Rank()+7][1] = uint32(i + 1)
		}), n.Barrier())
		if err != nil {
			return err
		}
	}
	if err := n.Rebind(own[0].To(b.Range(0, 30)), own[1].To(b.Range(30, 40))); err != nil {
		return err
	}
	_, err = fagus.Reduce(n, n.Rank(), func(a, b int) int { return a + b })
	return errors.Join(err, n.Update())
}

func networks(t *testing.T) []dimmnet.Network {
	simulated, err := sim.New(sim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return []dimmnet.Network{simulated, inproc.New(inproc.Config{})}
}

// TestRecord: the record of each rank has its writes as whole elements, with their values, under
// versions that no two tenures share; the meetings of all ranks are the same.
func TestRecord(t *testing.T) {
	for i, net := range networks(t) {
		for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
			for _, values := range []bool{false, true} {
				t.Run(fmt.Sprint(i, mode, values), func(t *testing.T) {
					r := recording.New(filepath.Join(t.TempDir(), "rec"))
					r.Values = values
					cfg := fagus.Config{Nodes: 2, Net: net, Mode: mode, Record: r}
					if _, err := fagus.Run(t.Context(), cfg, recorded); err != nil {
						t.Fatal(err)
					}
					checkRecorded(t, r)
				})
			}
		}
	}
}

type made struct {
	id      syncvar.ID
	version syncvar.Version
}

func checkRecorded(t *testing.T, of *recording.Recording) {
	run, err := recording.Open(of.Dir)
	if err != nil || len(of.Notes()) > 0 {
		t.Fatalf("error %v, notes %q", err, of.Notes())
	}
	calls := make([][]rollcall.Call, 2)
	versions := make(map[made]bool)
	for rank := range calls {
		in, err := run.Rank(rank)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		var last *recording.Tenure
		var arrays []*recording.Array
		tenures, again := 0, 0
		for {
			e, err := in.Next()
			if err == io.EOF {
				break
			}
			switch e := e.(type) {
			case *recording.Array:
				arrays = append(arrays, e)
			case *recording.Binding:
				if e.Again {
					again++
				}
			case *recording.Meeting:
				calls[rank] = append(calls[rank], e.Call)
			case *recording.Tenure:
				last = e
				if want := len(e.Exclusive) == 1; e.Moved != want || e.Restored {
					t.Errorf("rank %d has written %d variables in a tenure, moved: %v, restored: %v", rank, len(e.Exclusive), e.Moved, e.Restored)
				}
				if len(e.Exclusive) == 2 {
					tenures++
				}
				if line := in.Line(e.Released); !strings.HasPrefix(line, "fagus/recorder_test.go:") {
					t.Errorf("rank %d releases at %q", rank, line)
				}
			case *recording.Writes:
				if key := (made{e.ID, e.Version}); versions[key] {
					t.Errorf("variable %d has two tenures of version %d", e.ID, e.Version)
				} else {
					versions[key] = true
				}
				for _, p := range e.Pieces {
					size := []int{8, 12}[min(int(e.ID), 1)]
					if p.Range.Len()%size != 0 {
						t.Errorf("rank %d has written %v of variable %d: no whole elements", rank, p.Range, e.ID)
					}
					if of.Values && (len(p.Bytes) != p.Range.Len() || recording.Hash(p.Bytes) != p.Hash) {
						t.Errorf("rank %d has %d bytes of the %d in %v, or another hash", rank, len(p.Bytes), p.Range.Len(), p.Range)
					}
					if e.ID == 0 && of.Values && *(*int64)(unsafe.Pointer(&p.Bytes[0])) != int64(100*rank+tenures) {
						t.Errorf("rank %d has written %v in tenure %d", rank, p.Bytes, tenures)
					}
				}
			}
		}
		if in.Cut() != "" || tenures != 3 || last == nil {
			t.Errorf("rank %d has %d tenures with writes of its own, and its record is cut: %q", rank, tenures, in.Cut())
		}
		if rank == 0 && (len(arrays) != 2 || again != 2) {
			t.Errorf("%d arrays, %d bindings by a Rebind", len(arrays), again)
		}
	}
	if !slices.Equal(calls[0], calls[1]) || calls[0][len(calls[0])-1] != rollcall.End {
		t.Errorf("the ranks have met in %v and %v", calls[0], calls[1])
	}
}

// TestRecordOfMeetings: a meeting begins when the rank makes the call, not at the end of the call
// before.
func TestRecordOfMeetings(t *testing.T) {
	for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
		net, err := sim.New(sim.Config{})
		if err != nil {
			t.Fatal(err)
		}
		cfg := fagus.Config{Nodes: 2, Net: net, Mode: mode, Record: recording.New(filepath.Join(t.TempDir(), "rec"))}
		_, err = fagus.Run(t.Context(), cfg, func(n *fagus.Node) error {
			for _, call := range []func() error{n.Fence, n.Barrier, n.Update} {
				n.Spend(fagus.Millisecond)
				if err := call(); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		run, err := recording.Open(cfg.Record.Dir)
		if err != nil {
			t.Fatal(err)
		}
		in, err := run.Rank(1)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		before, meetings := fagus.Time(0), 0
		for e, err := in.Next(); err != io.EOF; e, err = in.Next() {
			if err != nil {
				t.Fatal(err)
			}
			m, ok := e.(*recording.Meeting)
			if !ok || m.Call == rollcall.End {
				continue
			}
			if m.From-before < fagus.Millisecond {
				t.Errorf("%v mode: the rank computes for 1 ms after %v, and %v begins at %v", mode, before, m.Call, m.From)
			}
			before, meetings = m.To, meetings+1
		}
		if meetings != 3 {
			t.Errorf("%v mode: %d meetings, want 3", mode, meetings)
		}
	}
}

// TestRecordIsInvisible: a simulated run has the same packets and times with a record.
func TestRecordIsInvisible(t *testing.T) {
	for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
		var hashes [2]uint64
		for i := range hashes {
			net, err := sim.New(sim.Config{})
			if err != nil {
				t.Fatal(err)
			}
			cfg := fagus.Config{Nodes: 2, Net: net, Mode: mode}
			if i > 0 {
				cfg.Record = recording.New(t.TempDir())
				cfg.Record.Values = true
			}
			if _, err := fagus.Run(t.Context(), cfg, recorded); err != nil {
				t.Fatal(err)
			}
			hashes[i] = net.Result().TraceHash
		}
		if hashes[0] != hashes[1] {
			t.Errorf("%v mode: the trace hashes are %x and, with a record, %x", mode, hashes[0], hashes[1])
		}
	}
}

// TestRecordLimit: a rank that reaches its share of the limit records no more, says so, and the run
// goes on.
func TestRecordLimit(t *testing.T) {
	r := recording.New(t.TempDir())
	r.Limit = 1 << 14
	_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2, Record: r}, func(n *fagus.Node) error {
		x := fagus.NewGuarded[int64](n, "x", 100)
		for range 1000 {
			if err := errors.Join(n.Set(x.Write()).Do(func() { x.Slice()[n.Rank()]++ }), n.Barrier()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if notes := r.Notes(); len(notes) != 2 || !strings.Contains(strings.Join(notes, "\n"), "the record of rank 1 is not complete: it has reached its share of the limit") {
		t.Errorf("notes %q", notes)
	}
	run, err := recording.Open(r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	in, err := run.Rank(1)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	entries := 0
	for {
		if _, err := in.Next(); err != nil {
			break
		}
		entries++
	}
	if in.Cut() != "it has reached its limit" || entries < 50 || entries > 1000 {
		t.Errorf("%d entries, and then %q", entries, in.Cut())
	}
}

// TestRecordRefused: what cannot be recorded is an error before the program starts.
func TestRecordRefused(t *testing.T) {
	dir := t.TempDir()
	never := func(*fagus.Node) error { t.Error("the program has started"); return nil }
	_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 1, Record: recording.New(dir), Placement: fagus.PlaceShared}, never)
	if err == nil || !strings.Contains(err.Error(), "Config.Record needs one copy per rank") {
		t.Errorf("with a shared copy: %v", err)
	}
	if _, err = fagus.Run(t.Context(), fagus.Config{Nodes: 1, Record: recording.New(dir)}, func(*fagus.Node) error { return nil }); err != nil {
		t.Fatal(err)
	}
	_, err = fagus.Run(t.Context(), fagus.Config{Nodes: 1, Record: recording.New(dir)}, never)
	if err == nil || !strings.Contains(err.Error(), "has a record of an earlier run") {
		t.Errorf("in the directory of another record: %v", err)
	}
}

// BenchmarkRecord measures a tenure that changes one element, with two variables in the set.
func BenchmarkRecord(b *testing.B) {
	for _, kind := range []string{"off", "hashes", "values"} {
		b.Run(kind, func(b *testing.B) { benchRecord(b, kind, 1, func(x []int64) { x[0]++ }) })
	}
}

// BenchmarkRecordBytes measures a tenure that overwrites 1 MiB.
func BenchmarkRecordBytes(b *testing.B) {
	for _, kind := range []string{"off", "hashes", "values"} {
		b.Run(kind, func(b *testing.B) {
			b.SetBytes(1 << 20)
			benchRecord(b, kind, 1<<17, func(x []int64) {
				for i := range x {
					x[i]++
				}
			})
		})
	}
}

func benchRecord(b *testing.B, kind string, length int, f func([]int64)) {
	cfg := fagus.Config{Nodes: 1, Mode: fagus.Threaded}
	if kind != "off" {
		cfg.Record = recording.New(filepath.Join(b.TempDir(), "rec"))
		cfg.Record.Values, cfg.Record.Limit = kind == "values", 1<<40
	}
	_, err := fagus.Run(b.Context(), cfg, func(n *fagus.Node) error {
		x, y := fagus.NewGuarded[int64](n, "x", length), fagus.NewGuarded[int64](n, "y", 4)
		set := n.Set(x.Write().Writing(x.All()), y.Read())
		for b.Loop() {
			if err := set.Do(func() { f(x.Slice()) }); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkRecordInputs measures what a record has for a replay, in time and in bytes of the file:
// of a Node.Now, and of a Gather of one rank.
func BenchmarkRecordInputs(b *testing.B) {
	for _, call := range []struct {
		name string
		f    func(*fagus.Node) error
	}{
		{"now", func(n *fagus.Node) error {
			n.Now()
			return nil
		}},
		{"gather", func(n *fagus.Node) error {
			_, err := fagus.Gather(n, math.Pi)
			return err
		}},
	} {
		for _, kind := range []string{"off", "hashes", "values"} {
			b.Run(call.name+"/"+kind, func(b *testing.B) {
				cfg := fagus.Config{Nodes: 1, Mode: fagus.Phase}
				dir := filepath.Join(b.TempDir(), "rec")
				if kind != "off" {
					cfg.Record = recording.New(dir)
					cfg.Record.Values, cfg.Record.Limit = kind == "values", 1<<40
				}
				calls := 0
				_, err := fagus.Run(b.Context(), cfg, func(n *fagus.Node) error {
					for b.Loop() {
						if err := call.f(n); err != nil {
							return err
						}
						calls++
					}
					return nil
				})
				if err != nil {
					b.Fatal(err)
				}
				if info, err := os.Stat(filepath.Join(dir, "rank0.record")); err == nil {
					b.ReportMetric(float64(info.Size())/float64(calls), "file-B/op")
				}
			})
		}
	}
}
