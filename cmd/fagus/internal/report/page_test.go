package report

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/fagus/trace"
	"github.com/fagus-dsm/fagus/fagus/trace/analysis"
	"github.com/fagus-dsm/fagus/fagus/trace/tracefile"
	"github.com/fagus-dsm/fagus/syncvar"
)

const us = dimmnet.Microsecond

// made returns a trace of ranks that write a variable in turn, and meet. Names have a text in them.
func made(nodes int, text string) *trace.Trace {
	t := trace.New()
	t.Begin(trace.About{Nodes: nodes, Mode: "threaded", Clock: dimmnet.Virtual})
	t.Program, t.Lines = "prog"+text, []string{"a.go" + text + ":1"}
	t.Variables = []trace.Variable{{Name: "x" + text, Bytes: 8, Pieces: 1}}
	t.Sets = []trace.Set{{Exclusive: []syncvar.ID{0}, Variables: 1}}
	end := dimmnet.Time(nodes) * 10 * us
	for r := range nodes {
		granted := dimmnet.Time(r) * 10 * us
		wait, arrived, wrote := trace.Of(trace.Waited, 0, granted), trace.Of(trace.Arrived, granted, granted), trace.Of(trace.Wrote, granted+9*us, granted+9*us)
		wait.Rank, wait.ID, arrived.ID, wrote.ID = int32(r-1), 0, 0, 0
		arrived.Bytes, arrived.Number, wrote.Bytes, wrote.Number = 8, uint64(r), 8, uint64(r+1)
		call := func(c rollcall.Call, from, to dimmnet.Time, steps uint64) trace.Event {
			e := trace.Of(trace.Called, from, to)
			e.Call, e.Number, e.Line = c, steps, 0
			if c <= rollcall.Release {
				e.Set = 0
			}
			return e
		}
		t.Ranks = append(t.Ranks, trace.Rank{Rank: r, Events: []trace.Event{
			wait, arrived, call(rollcall.Acquire, 0, granted, 0), wrote, call(rollcall.Release, granted+9*us, granted+9*us, 0),
			call(rollcall.Barrier, granted+9*us, end+us, 1), call(rollcall.End, end+us, end+2*us, 2),
		}})
	}
	return t
}

// TestPage: the page loads nothing, runs nothing, has no text of the file as a tag, and stays small
// with many ranks.
func TestPage(t *testing.T) {
	for _, nodes := range []int{1, 2, 40, 1000} {
		for _, evil := range []string{"", `<script>alert(1)</script>"'&`, "</style>\x1b[2J\x00\xff"} {
			r := analysis.Of(made(nodes, evil))
			var b bytes.Buffer
			if err := writePage(&b, r); err != nil {
				t.Fatal(err)
			}
			page := b.String()
			if found := regexp.MustCompile(`(?i)<script|\s(src|href)="[^d]|@import|url\(`).FindString(page); found != "" {
				t.Errorf("%d ranks, %q: the page has %q", nodes, evil, found)
			}
			if n := strings.Count(page, "</style>"); n != 1 {
				t.Errorf("%d ranks, %q: %d ends of the style", nodes, evil, n)
			}
			if len(page) > 200<<10 {
				t.Errorf("%d ranks: %d bytes", nodes, len(page))
			}
			if !strings.Contains(page, fmt.Sprintf("%d of %[1]d ranks are in the trace", nodes)) {
				t.Errorf("%d ranks: the page does not say how many ranks are in the trace", nodes)
			}
			if out := text(r); strings.ContainsAny(out, "\x1b\x00") {
				t.Errorf("a terminal obeys %q", out)
			}
		}
	}
}

// TestHostile: no file makes the command panic, whatever it says.
func TestHostile(t *testing.T) {
	var file bytes.Buffer
	if err := tracefile.Write(&file, made(5, "")); err != nil {
		t.Fatal(err)
	}
	read := 0
	for seed := range uint64(800) {
		random := rand.New(rand.NewPCG(seed, 43))
		data := bytes.Clone(file.Bytes())
		for range 1 + random.IntN(3) {
			data[random.IntN(len(data))] ^= 1 << random.IntN(8)
		}
		tr, err := tracefile.Read(bytes.NewReader(data))
		if err != nil {
			continue
		}
		read++
		r := analysis.Of(tr)
		if err := writePage(io.Discard, r); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		_, _ = text(r), newDocument(r)
	}
	if read < 30 {
		t.Errorf("only %d files were read", read)
	}
	huge := made(2, "")
	huge.Nodes = math.MaxInt
	file.Reset()
	if err := tracefile.Write(&file, huge); err != nil {
		t.Fatal(err)
	}
	if _, err := tracefile.Read(&file); err == nil {
		t.Error("a file of too many ranks is read")
	}
}

// TestText: the answer in words.
func TestText(t *testing.T) {
	tr := made(4, "")
	tr.Ranks = tr.Ranks[:3]
	tr.Ranks[1].Dropped = 7
	got := text(analysis.Of(tr))
	for _, want := range []string{
		"prog in threaded mode on goroutines: 4 ranks, 42 µs (virtual time)\n",
		"note: 1 of 4 ranks are missing",
		"note: the first 7 events of 1 rank are missing",
		"waiting for variables\n",
		"no predictions: ranks are missing",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("want %q in\n%s", want, got)
		}
	}
	if got := text(analysis.Of(made(4, ""))); !strings.Contains(got, `): hold it for a shorter time, or divide its data among several variables`) {
		t.Errorf("no advice on x in\n%s", got)
	}
}

// TestDocument: the document has what the text says.
func TestDocument(t *testing.T) {
	d := newDocument(analysis.Of(made(3, "")))
	if d.Schema != schema || d.TotalNs != 32_000 || len(d.Ranks) != 3 || d.Ranks[2].VariableNs == 0 || d.Ranks[2].Variable != "x" {
		t.Errorf("the document is %+v", d)
	}
	if want := (documentCell{From: 1, To: 2, Bytes: 8}); len(d.Matrix) != 3 || d.Matrix[2] != want || d.Matrix[0].From != -1 {
		t.Errorf("the matrix is %+v", d.Matrix)
	}
	if x := d.Variables[0]; x.Writers != 3 || x.Readers != 3 || x.Holder != 1 || x.Line != "a.go:1" {
		t.Errorf("x is %+v", x)
	}
}
