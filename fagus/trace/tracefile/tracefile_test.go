package tracefile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/fagus/trace"
	"github.com/fagus-dsm/fagus/syncvar"
)

// made returns a trace of two ranks with all kinds of events.
func made() *trace.Trace {
	t := trace.New()
	t.Begin(trace.About{Program: "p", Mode: "phase", Net: "shm", Clock: dimmnet.Virtual, Nodes: 3})
	for _, rank := range []int{0, 2} { // rank 1 has not returned
		r := t.Recorder(rank, 0, dimmnet.Origin{})
		r.Bound(trace.Variable{Name: "x", Bytes: 800, Pieces: 2})
		r.Bound(trace.Variable{Name: "y \"é\"", Bytes: 8, Pieces: 1})
		now := dimmnet.Time(rank) * dimmnet.Microsecond
		add := func(kind trace.Kind, took dimmnet.Time, set func(e *trace.Event)) {
			e := trace.Of(kind, now, now+took)
			set(&e)
			r.Add(e)
		}
		call := func(c rollcall.Call, took dimmnet.Time) {
			add(trace.Called, took, func(e *trace.Event) {
				e.Call, e.Number, e.Line = c, 7, r.Line(uint64(c), func() string { return "main.go:" + c.String() })
				e.Bytes, e.Posts = 100, 3
				if c < rollcall.Update {
					e.Set = r.Set([]syncvar.ID{1}, []syncvar.ID{0})
				}
			})
			now += took + dimmnet.Microsecond
		}
		for range 3 {
			add(trace.Waited, 200*dimmnet.Nanosecond, func(e *trace.Event) { e.Rank, e.ID = 1, 1 })
			add(trace.Moved, 300*dimmnet.Nanosecond, func(*trace.Event) {})
			add(trace.Arrived, 300*dimmnet.Nanosecond, func(e *trace.Event) { e.From, e.ID, e.Bytes, e.Number = e.To, 1, 8, 5 })
			call(rollcall.Acquire, 400*dimmnet.Nanosecond)
			add(trace.Wrote, 0, func(e *trace.Event) { e.ID, e.Bytes, e.Number = 0, 16, 6 })
			call(rollcall.Release, 10*dimmnet.Nanosecond)
			call(rollcall.Barrier, dimmnet.Microsecond)
		}
		add(trace.Saved, 0, func(e *trace.Event) { e.Number, e.Bytes = 3, 1 })
		r.Failed(now, fmt.Errorf("rank %d has failed", rank))
		r.Close()
	}
	us := dimmnet.Microsecond
	t.Pass("NIC 0 send", "AOTF", trace.Packet{Queued: 0, From: us, To: 2 * us, Bytes: 8, Src: 0, Dst: 2})
	t.Pass("NIC 2 receive", "AOTF", trace.Packet{Queued: 2 * us, From: 2 * us, To: 2 * us, Landed: 2*us + 100*dimmnet.Nanosecond, Bytes: 8, Src: 0, Dst: 2})
	t.Pass("NIC 2 receive", "AOTF", trace.Packet{Queued: 2 * us, From: 2*us + 500*dimmnet.Nanosecond, To: 3 * us, Landed: 2*us + 900*dimmnet.Nanosecond, Src: 0, Dst: 2})
	t.Pass("NIC 0 send", "BOTF", trace.Packet{Queued: us, From: 2 * us, To: 4 * us, Bytes: 300, Src: 0, Dst: 2})
	t.Seal()
	return t
}

func written(t *testing.T, of *trace.Trace) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := Write(&file, of); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// TestFile: Read returns what Write was given.
func TestFile(t *testing.T) {
	want := made()
	got, err := Read(bytes.NewReader(written(t, want)))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Network.Tracks, want.Network.Tracks) || !reflect.DeepEqual(got.Network.Kinds, want.Network.Kinds) || !reflect.DeepEqual(got.Network.Packets, want.Network.Packets) {
		t.Errorf("the network did %+v, want %+v", got.Network, want.Network)
	}
	if got.About != want.About || !reflect.DeepEqual(got.Variables, want.Variables) || !reflect.DeepEqual(got.Lines, want.Lines) || !reflect.DeepEqual(got.Sets, want.Sets) {
		t.Errorf("tables %+v, want %+v", got, want)
	}
	for i := range want.Ranks {
		for k, e := range want.Ranks[i].Events {
			if got.Ranks[i].Events[k] != e {
				t.Fatalf("event %d of rank %d is %+v, want %+v", k, want.Ranks[i].Rank, got.Ranks[i].Events[k], e)
			}
		}
	}
	if !reflect.DeepEqual(got.Ranks, want.Ranks) {
		t.Error("a rank has other events, or a header that differs")
	}
}

// TestProtoc: the parser of Google's protocol buffers finds the fields that Perfetto's schema has,
// and no others; slices end in the order in which its user interface nests them.
func TestProtoc(t *testing.T) {
	if _, err := exec.LookPath("protoc"); err != nil {
		t.Skip("protoc is missing: install protobuf-compiler")
	}
	cmd := exec.CommandContext(t.Context(), "protoc", "--decode=perfetto.protos.Trace", "--proto_path=testdata", "perfetto.proto")
	cmd.Stdin = bytes.NewReader(written(t, made()))
	var failed strings.Builder
	cmd.Stderr = &failed
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("protoc: %v\n%s", err, &failed)
	}
	for _, want := range []string{`name: "Acquire"`, `str: "main.go:Barrier"`, `str: "read y \"\303\251\"; write x"`, `thread_name: "rank 2"`, "type: TYPE_INSTANT", "terminating_flow_ids:", `process_name: "network"`, `name: "NIC 0 send: packets that wait"`, "counter_value: 1", "flow_ids: 9223372036854775810"} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("protoc does not find %s", want)
		}
	}
	for line := range strings.Lines(string(text)) {
		if name := strings.TrimSpace(line); name != "" && name[0] >= '0' && name[0] <= '9' {
			t.Errorf("field without a name: %s", name)
		}
	}
	begun, ended := bytes.Count(text, []byte("TYPE_SLICE_BEGIN")), bytes.Count(text, []byte("TYPE_SLICE_END"))
	if begun != ended || begun == 0 {
		t.Errorf("%d slices begin, and %d end", begun, ended)
	}
}

// TestReadRefuses: files of others, cut files and damaged ones give errors, or a trace that Check
// accepts.
func TestReadRefuses(t *testing.T) {
	whole := written(t, made())
	for _, file := range []string{"", "hello", "\x0a\x02\x50\x01", "\x0a\x7f"} {
		if _, err := Read(strings.NewReader(file)); err == nil {
			t.Errorf("Read takes %q", file)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for range 2000 {
		file := bytes.Clone(whole)
		if r.IntN(2) == 0 {
			file = file[:r.IntN(len(file))]
		}
		for n := r.IntN(4); n > 0 && len(file) > 0; n-- {
			file[r.IntN(len(file))] = byte(r.Uint32())
		}
		of, err := Read(bytes.NewReader(file))
		if err != nil {
			refused++
			continue
		}
		if err := of.Check(); err != nil {
			t.Errorf("Read returns a trace with an error: %v", err)
		}
		written(t, of)
	}
	if refused < 500 {
		t.Errorf("of 2000 damaged files only %d are refused", refused)
	}
}

// FuzzRead: no file makes Read panic.
func FuzzRead(f *testing.F) {
	var file bytes.Buffer
	if err := Write(&file, made()); err != nil {
		f.Fatal(err)
	}
	f.Add(file.Bytes())
	f.Fuzz(func(_ *testing.T, data []byte) {
		if of, err := Read(bytes.NewReader(data)); err == nil {
			_ = Write(&bytes.Buffer{}, of)
		}
	})
}

// BenchmarkFile writes and reads 200000 events of a rank, 7 for each tenure, as a program on a live
// network records them.
func BenchmarkFile(b *testing.B) {
	of := trace.New()
	of.Begin(trace.About{Program: "p", Mode: "phase", Net: "shm", Clock: dimmnet.Wall, Nodes: 1})
	r := of.Recorder(0, 0, dimmnet.Origin{})
	r.Bound(trace.Variable{Name: "x", Bytes: 800, Pieces: 1})
	line, set := r.Line(1, func() string { return "main.go:1" }), r.Set([]syncvar.ID{0}, nil)
	for i := range 200000 {
		at := dimmnet.Time(i) * 300 * dimmnet.Nanosecond
		e := trace.Of([...]trace.Kind{trace.Waited, trace.Moved, trace.Arrived, trace.Called, trace.Wrote, trace.Called, trace.Called}[i%7], at, at+200*dimmnet.Nanosecond)
		switch e.Kind {
		case trace.Called:
			e.Call, e.Line, e.Number, e.Bytes, e.Posts = [...]rollcall.Call{rollcall.Acquire, 0, rollcall.Release, rollcall.Barrier}[i%7-3], line, uint64(i), 500, 4
			if e.Call != rollcall.Barrier {
				e.Set = set
			}
		case trace.Waited:
			e.Rank, e.ID = 0, 0
		case trace.Arrived, trace.Wrote:
			e.ID, e.Bytes, e.Number = 0, 320, uint64(i)
		}
		r.Add(e)
	}
	r.Close()
	of.Seal()
	var file bytes.Buffer
	b.Run("write", func(b *testing.B) {
		for b.Loop() {
			file.Reset()
			if err := Write(&file, of); err != nil {
				b.Fatal(err)
			}
		}
		b.SetBytes(int64(file.Len()))
		b.ReportMetric(float64(file.Len())/200000, "B/event")
	})
	b.Run("read", func(b *testing.B) {
		b.SetBytes(int64(file.Len()))
		for b.Loop() {
			if _, err := Read(bytes.NewReader(file.Bytes())); err != nil {
				b.Fatal(err)
			}
		}
	})
}
