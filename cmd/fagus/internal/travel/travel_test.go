package travel

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/recording"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/syncvar"
)

// random is a program that writes random numbers to random elements under random variables, and
// rebinds them; seed decides all. In round k, rank (v+k) % nodes has variable v. The elements are
// of 12 bytes, so that some lie in two pages. contents gets the array at the end.
func random(seed uint64, nodes int, contents *[][3]uint32) func(n *fagus.Node) error {
	return func(n *fagus.Node) error {
		const length, variables, rounds = 2000, 6, 12
		random := rand.New(rand.NewPCG(seed, 1)) // the same on all ranks
		a, err := fagus.NewArray[[3]uint32](n, "a", length)
		if err != nil {
			return err
		}
		cut := func(i int) int { return i * length / variables }
		var vars []*fagus.SyncVar
		for i := range variables {
			v, err := n.Bind(fmt.Sprint("v", i), a.Range(cut(i), cut(i+1)))
			if err != nil {
				return err
			}
			vars = append(vars, v)
		}
		shift := 0 // the elements of all variables begin so much later
		for k := range rounds {
			for i, v := range vars {
				var at [80]int
				for j := range at {
					lo, hi := cut(i), cut(i+1)
					if i > 0 {
						lo += shift
					}
					if i < variables-1 {
						hi += shift
					}
					at[j] = lo + random.IntN(hi-lo)
				}
				value := random.Uint32()
				if random.IntN(variables) > i || n.Rank() != (i+k)%n.Nodes()%nodes {
					continue
				}
				n.Set(v.Write()).Do(func() {
					for _, e := range at {
						a.Slice()[e][k%3] = value
					}
				})
			}
			n.Fence()
			if k%4 == 3 {
				shift = random.IntN(length / variables)
				var to []fagus.Binding
				for i, v := range vars {
					lo, hi := cut(i), cut(i+1)
					if i > 0 {
						lo += shift
					}
					if i < variables-1 {
						hi += shift
					}
					to = append(to, v.To(a.Range(lo, hi)))
				}
				n.Rebind(to...)
			}
		}
		var all []fagus.Request
		for _, v := range vars {
			all = append(all, v.Read())
		}
		n.Set(all...).Do(func() {
			if n.Rank() == 0 {
				*contents = append([][3]uint32{}, a.Slice()...)
			}
		})
		return n.Err()
	}
}

func record(t *testing.T, net dimmnet.Network, mode fagus.Mode, nodes int, values bool, program func(*fagus.Node) error) *run {
	t.Helper()
	r := recording.New(filepath.Join(t.TempDir(), "rec"))
	r.Values = values
	if _, err := fagus.Run(t.Context(), fagus.Config{Net: net, Mode: mode, Nodes: nodes, Record: r}, program); err != nil {
		t.Fatal(err)
	}
	opened, err := openRun(t.Context(), r.Dir)
	if err != nil || len(opened.notes) > 0 {
		t.Fatal(err, opened.notes)
	}
	return opened
}

func networks(t *testing.T) []dimmnet.Network {
	simulated, err := sim.New(sim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return []dimmnet.Network{simulated, inproc.New(inproc.Config{})}
}

// TestContents: what is read from the record is what the program had at the end, however its
// variables went from rank to rank, and what why says of an element is its last value.
func TestContents(t *testing.T) {
	for seed := range uint64(6) {
		for i, net := range networks(t) {
			for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
				var want [][3]uint32
				r := record(t, net, mode, 3, true, random(seed, 3, &want))
				c, err := r.newContents(point{1 << 63, 1 << 62, "end"}, true, func(*array) bool { return true })
				if err != nil {
					t.Fatal(err)
				}
				c.compact = 8 // forget often
				if err := c.finish(t.Context()); err != nil {
					t.Fatal(err)
				}
				c.close()
				for e, x := range want {
					text := fmt.Sprintf("%d %d %d", x[0], x[1], x[2])
					if got := c.arrays[0].value(e); got != text {
						t.Fatalf("seed %d, network %d, %v mode: a[%d] is %s, want %s", seed, i, mode, e, got, text)
					}
					if e%97 != 0 && e != 341 { // which lies in two pages
						continue
					}
					s, err := r.why(t.Context(), place{&r.arrays[0], e}, point{1 << 63, 1 << 62, "end"}, 3)
					if err != nil {
						t.Fatal(err)
					}
					by := c.authorOf(c.arrays[0], e)
					if (by == nil) != (len(s.Writes) == 0) || by != nil && (*by != s.Writes[0].author || s.Writes[0].Value != "" && s.Writes[0].Value != text) {
						t.Fatalf("seed %d, network %d, %v mode: a[%d] is %s, written by %+v; why says %+v", seed, i, mode, e, text, by, s.Writes)
					}
				}
			}
		}
	}
}

// TestNoDifference: runs of a program that is right in every mode and on every number of ranks do
// not differ, by values or by hashes; runs with another seed do, and the first difference is the
// first write of other values.
func TestNoDifference(t *testing.T) {
	var ignored [][3]uint32
	nets := networks(t)
	for _, values := range []bool{true, false} {
		one := record(t, nets[0], fagus.Phase, 2, values, random(1, 2, &ignored))
		for _, other := range []*run{
			record(t, nets[0], fagus.Threaded, 2, values, random(1, 2, &ignored)),
			record(t, nets[1], fagus.Phase, 2, values, random(1, 2, &ignored)),
			record(t, nets[0], fagus.Phase, 3, values, random(1, 3, &ignored)),
		} {
			d, err := compareRuns(t.Context(), [2]*run{one, other}, nil, 0)
			if err != nil || !d.Equal || d.Points != len(one.meetings) || d.Unknown > 0 {
				t.Errorf("with values %v, %d ranks: error %v, %+v, %+v", values, other.Nodes, err, d, d.First)
			}
		}
		d, err := compareRuns(t.Context(), [2]*run{one, record(t, nets[0], fagus.Phase, 2, values, random(2, 2, &ignored))}, nil, 0)
		if err != nil || d.Equal || d.First == nil || d.Points != 1 || d.First.Count != 1 || d.First.A.By == nil && d.First.B.By == nil {
			t.Errorf("of another seed, with values %v: error %v, %+v", values, err, d)
		}
	}
}

// scribe makes the record of a run by hand.
type scribe struct {
	t     testing.TB
	of    *recording.Recording
	ranks []*recording.Writer
}

func newScribe(t testing.TB, nodes int, length int) *scribe {
	s := &scribe{t: t, of: recording.New(filepath.Join(t.TempDir(), "rec"))}
	s.of.Values = true
	for rank := range nodes {
		w, err := s.of.Writer(recording.About{Mode: "phase", Clock: dimmnet.Virtual, Nodes: nodes, Rank: rank})
		if err != nil {
			t.Fatal(err)
		}
		s.ranks = append(s.ranks, w)
	}
	w := s.ranks[0]
	w.JSON(&recording.Array{Name: "a", Kind: fmt.Sprintf("%d elements of type uint8", length), Element: 1, Base: 4096, Bytes: length})
	w.JSON(&recording.Binding{ID: 0, Name: "v", Ranges: []consistency.Range{{Lo: 4096, Hi: 4096 + consistency.Addr(length)}}})
	return s
}

func (s *scribe) write(rank int, step uint64, version uint64, at int, value byte) {
	w := s.ranks[rank]
	line := w.Line(step+1, func() string { return fmt.Sprintf("a.go:%d", step) })
	w.Tenure(&recording.Tenure{To: dimmnet.Time(step) * dimmnet.Microsecond, Step: step, Acquired: line, Released: line})
	w.Wrote(0, syncvar.Version(version))
	w.Piece(0, syncvar.Version(version), 4096+consistency.Addr(at), []byte{value})
	w.WroteAll()
}

// meet records a call in which all ranks meet, or one of some ranks.
func (s *scribe) meet(call rollcall.Call, step uint64, ranks ...*recording.Writer) {
	if ranks == nil {
		ranks = s.ranks
	}
	for _, w := range ranks {
		at := dimmnet.Time(step) * dimmnet.Microsecond
		m := recording.Meeting{Call: call, From: at, To: at, Before: step, Step: step + 1}
		if call != rollcall.End {
			m.Line = w.Line(1000+step, func() string { return fmt.Sprintf("meet.go:%d", step) })
		}
		w.Meeting(&m)
	}
}

func (s *scribe) close() *run {
	for _, w := range s.ranks {
		w.Close()
	}
	r, err := openRun(context.Background(), s.of.Dir)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// TestPoints: --at has what was released until then, by steps or by time.
func TestPoints(t *testing.T) {
	s := newScribe(t, 2, 3)
	s.write(0, 1, 1, 0, 10)
	s.write(1, 2, 2, 0, 20)
	s.meet(rollcall.Fence, 3)
	s.write(0, 5, 3, 0, 30)
	s.meet(rollcall.End, 6)
	r := s.close()
	for at, want := range map[string]string{
		"phase:0": "", "phase:1": "10", "phase:2": "20", "phase:4": "20", "phase:5": "30", "end": "30",
		"time:0s": "", "time:1us": "10", "time:2.5us": "20", "time:1h": "30",
	} {
		p, err := parsePoint(at)
		if err != nil {
			t.Fatal(err)
		}
		of, err := r.place("a[0]", 0)
		if err != nil {
			t.Fatal(err)
		}
		story, err := r.why(t.Context(), of, p, 1)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(story.Writes) > 0 {
			got = story.Writes[0].Value
		}
		c, err := r.newContents(p, true, func(*array) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		if err := c.finish(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.close()
		if shown := c.arrays[0].value(0); got != want || shown != want && !(want == "" && shown == "0") {
			t.Errorf("%s: why says %q, show %q, want %q", at, got, shown, want)
		}
	}
	for _, wrong := range []string{"", "end:", "phase", "phase:", "phase:-1", "phase:1.5", "time:5", "time:-1s", "time:99999h", "step:3", "phase:99999999999999999999"} {
		if _, err := parsePoint(wrong); err == nil {
			t.Errorf("--at %s is accepted", wrong)
		}
	}
}

// TestPlaces reads elements as users write them.
func TestPlaces(t *testing.T) {
	s := newScribe(t, 1, 12)
	s.meet(rollcall.End, 1)
	r := s.close()
	for _, c := range []struct {
		text    string
		columns int
		want    int // -1: an error
	}{
		{"a[0]", 0, 0}, {"a[11]", 0, 11}, {"a[11]", 4, 11}, {"a[12]", 0, -1}, {"a[2,3]", 4, 11}, {"a[2, 3]", 4, 11}, {"a[3,0]", 4, -1}, {"a[0,4]", 4, -1}, {"a[2,3]", 0, -1},
		{"a", 0, -1}, {"b[0]", 0, -1}, {"a[-1]", 0, -1}, {"a[x]", 0, -1}, {"a[99999999999999999999]", 0, -1}, {"a[99999999999999999999,0]", 1 << 62, -1}, {"a[0,99999999999999999999]", 1 << 62, -1}, {"[0]", 0, -1},
	} {
		p, err := r.place(c.text, c.columns)
		if (err != nil) != (c.want < 0) || err == nil && p.element != c.want {
			t.Errorf("%s with %d columns is element %d, error %v; want %d", c.text, c.columns, p.element, err, c.want)
		}
	}
}

// TestCutRank: a comparison ends where the record of a rank does, and says so.
func TestCutRank(t *testing.T) {
	runs := [2]*run{}
	for i := range runs {
		s := newScribe(t, 2, 3)
		s.write(0, 1, 1, 0, 10)
		s.meet(rollcall.Fence, 2)
		s.write(1, 3, 2, 1, byte(20+i)) // lost in the second run
		for rank, w := range s.ranks {
			if i == 0 || rank == 0 {
				s.meet(rollcall.End, 4, w)
			}
		}
		runs[i] = s.close()
	}
	d, err := compareRuns(t.Context(), runs, nil, 0)
	if text := d.text(); !strings.Contains(text, "no difference until Fence (meet.go:2), the last call that both records have\n") {
		t.Error(text)
	}
	if err != nil || !d.Equal || d.Points != 1 || !strings.Contains(strings.Join(d.Notes, "\n"), "the comparison ends before the end, where a record ends") ||
		!strings.Contains(strings.Join(d.Notes, "\n"), "the record of rank 1 is not complete: it ends before the run did") {
		t.Errorf("error %v, %+v", err, d)
	}
}

// TestPrint: the text says in which run is what.
func TestPrint(t *testing.T) {
	runs := [2]*run{}
	for i := range runs {
		s := newScribe(t, 2, 3)
		s.write(i, 1, 1, 2, byte(10+i))
		s.meet(rollcall.Fence, 2)
		s.meet(rollcall.End, 4)
		runs[i] = s.close()
	}
	d, err := compareRuns(t.Context(), runs, []string{"a"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	d.A.Directory, d.B.Directory = "one", "two"
	const want = `first difference: a[2] at Fence 1 at meet.go:2, one of 1 element of a
    one: 10, rank 0, step 1, 1.000 us: version 1 of v, a.go:1
    two: 11, rank 1, step 1, 1.000 us: version 1 of v, a.go:1
ask on:
    fagus why one 'a[2]' --at phase:2
    fagus why two 'a[2]' --at phase:2
`
	if !strings.HasSuffix(d.text(), want) {
		t.Errorf("%s\nwant at the end\n%s", d.text(), want)
	}
	if _, err := compareRuns(t.Context(), runs, []string{"b"}, 0); err == nil || !strings.Contains(err.Error(), `no array "b"`) {
		t.Errorf("of an array that does not exist: %v", err)
	}
}

// TestHostileArrays: arrays that no run makes are errors before memory is allocated.
func TestHostileArrays(t *testing.T) {
	for _, a := range []recording.Array{
		{Base: 4096}, {Element: 8, Base: 4096, Bytes: 12}, {Element: 1, Base: 100, Bytes: 1}, {Element: 0, Base: 4096, Bytes: 8}, {Element: -1, Base: 4096, Bytes: 8},
		{Element: 1, Base: 4096, Bytes: 1 << 60}, {Element: 1, Base: 1 << 63, Bytes: 1},
	} {
		if err := (&run{Run: new(recording.Run)}).add(a); err == nil {
			t.Errorf("%+v is accepted", a)
		}
	}
	var runs [2]*run
	for i := range runs {
		of := recording.New(filepath.Join(t.TempDir(), "rec"))
		of.Values = true
		w, err := of.Writer(recording.About{Mode: "phase", Clock: dimmnet.Wall, Nodes: 1})
		if err != nil {
			t.Fatal(err)
		}
		w.JSON(&recording.Array{Name: "a", Kind: "70368744177664 elements of type uint8", Element: 1, Base: 4096, Bytes: 1 << 46})
		w.Meeting(&recording.Meeting{Call: rollcall.End})
		w.Close()
		if runs[i], err = openRun(t.Context(), of.Dir); err != nil {
			t.Fatal(err)
		}
	}
	r := runs[0]
	// The bytes, and who has written each of them.
	if got := r.need(true, func(*array) bool { return true }); got != 5<<46 {
		t.Errorf("64 TiB need %d bytes", got)
	}
	if _, _, err := r.only(&r.arrays[0], point{}); err == nil || !strings.Contains(err.Error(), "the arrays: ") {
		t.Errorf("64 TiB: %v", err)
	}
	if _, err := compareRuns(t.Context(), runs, nil, 0); err == nil || !strings.Contains(err.Error(), "the arrays: ") {
		t.Errorf("twice 64 TiB: %v", err)
	}
	if errors.Is(r.add(recording.Array{Element: 1, Base: 8192, Bytes: 1}), nil) {
		t.Error("arrays that overlap are accepted")
	}
}

// TestUpdate: what an Update brought counts as seen, and so does what a tenure read; nobody had
// missed anything, because all ranks met between.
func TestUpdate(t *testing.T) {
	program := func(n *fagus.Node) error {
		x, y := fagus.NewGuarded[int64](n, "x", 1), fagus.NewGuarded[int64](n, "y", 1)
		n.Set(x.Read()).Do(func() {})
		n.Fence()
		if n.Rank() == 0 {
			n.Set(x.Write()).Do(func() { x.Slice()[0] = 7 })
		}
		n.Update()
		if n.Rank() == 1 {
			value := x.Slice()[0]
			n.Set(y.Write()).Do(func() { y.Slice()[0] = value })
		}
		return n.Err()
	}
	for i, net := range networks(t) {
		for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
			r := record(t, net, mode, 2, true, program)
			of, err := r.place("y[0]", 0)
			if err != nil {
				t.Fatal(err)
			}
			s, err := r.why(t.Context(), of, point{1 << 63, 1 << 62, "end"}, 5)
			if err != nil || len(s.Writes) != 1 {
				t.Fatalf("error %v, %+v", err, s)
			}
			w := s.Writes[0]
			if w.Rank != 1 || w.Value != "7" || len(w.Saw) != 1 {
				t.Fatalf("network %d, %v mode: y[0] was written by %+v", i, mode, w)
			}
			if saw := w.Saw[0]; saw.Variable != "x" || saw.By == nil || saw.By.Rank != 0 || saw.Version != saw.By.Version || saw.Unordered || saw.Missed != nil {
				t.Errorf("network %d, %v mode: rank 1 saw %+v", i, mode, saw)
			}
		}
	}
}

// TestFrames: a page has at most so many pictures, evenly spread, the last one of the point.
func TestFrames(t *testing.T) {
	for _, c := range []struct {
		meetings, most int
		at             string
	}{{1, 1, "end"}, {5, 5, "end"}, {200, mostFrames, "end"}, {5, 3, "phase:4"}, {5, 1, "phase:0"}} {
		s := newScribe(t, 2, 6)
		for i := range c.meetings - 1 {
			s.write(0, uint64(2*i), uint64(i+1), 1, byte(i+1))
			s.meet(rollcall.Fence, uint64(2*i+1))
		}
		s.meet(rollcall.End, uint64(2*c.meetings))
		r := s.close()
		at, err := parsePoint(c.at)
		if err != nil {
			t.Fatal(err)
		}
		var values, names []string
		err = r.frames(t.Context(), &r.arrays[0], at, func(m *memory, label string) error {
			values, names = append(values, m.value(1)), append(names, label)
			return nil
		})
		if err != nil || len(values) > c.most || len(values) < (c.most+1)/2 || names[len(names)-1] != c.at {
			t.Errorf("%d meetings until %s: error %v, %d pictures, %q", c.meetings, c.at, err, len(values), names)
		}
		if want := fmt.Sprint(c.meetings - 1); c.at == "end" && values[len(values)-1] != want {
			t.Errorf("%d meetings: the last picture has %s, want %s", c.meetings, values[len(values)-1], want)
		}
		var b bytes.Buffer
		if err := r.writePage(t.Context(), &b, &r.arrays[0], 3, at); err != nil || strings.Count(b.String(), "<img ") != len(values) {
			t.Errorf("%d meetings: error %v, a page with %d pictures, want %d", c.meetings, err, strings.Count(b.String(), "<img "), len(values))
		}
	}
}
