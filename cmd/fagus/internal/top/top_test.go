package top

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/pprof/profile"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/meter"
	"github.com/fagus-dsm/fagus/fagus/metrics"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/syncvar"
)

// document is of a run in which all ranks wait for rank 1, seconds after its start.
func document(nodes, seconds int) *metrics.Document {
	d := &metrics.Document{Schema: metrics.Schema, Program: "sor", Mode: "phase", Net: "tcp", Clock: "wall", Nodes: nodes, At: time.Unix(int64(seconds), 0)}
	for r := range nodes {
		n := uint64(seconds)
		s := meter.State{Rank: r, Does: rollcall.Entry{Call: "Acquire", Set: `"x" (exclusive)`, Line: "sor.go:7", For: 1500 * time.Millisecond}}
		s.Does.Wait = syncvar.Wait{For: "the lists of ranks", Ranks: []dimmnet.Rank{1}}
		s.Counts = meter.Counts{Phases: 2000 * n, Bytes: 3_000_000 * n, Arrived: 1_000_000 * n, Steps: 10*n + uint64(r), End: 100}
		s.Counts.Waits[meter.Late] = meter.Wait{Times: n, Time: time.Duration(seconds) * time.Second / 4}
		if r == 1 {
			s.Does = rollcall.Entry{Calls: 4, Line: "sor.go:9"}
			s.Counts.Waits = [meter.Causes]meter.Wait{}
		}
		d.Ranks = append(d.Ranks, s)
	}
	return d
}

// TestFrame checks what a frame shows.
func TestFrame(t *testing.T) {
	got := frame(document(3, 1), document(3, 2), 0, 0)
	const want = `sor in phase mode on tcp, 3 of 3 ranks answer, wall clock
step 20 of 100; 2 k phases/s; 9.0 MB/s posted, 3.0 MB/s arrived; rank 1 is waited for by 2
 rank  state        for  phases/s  posted/s  arrived/s  waiting  waits for  line      set
──────────────────────────────────────────────────────────────────────────────────────────────────────
    0  Acquire    1.5 s       2 k    3.0 MB     1.0 MB     25 %  1          sor.go:7  "x" (exclusive)
    1  computing              2 k    3.0 MB     1.0 MB      0 %             sor.go:9
    2  Acquire    1.5 s       2 k    3.0 MB     1.0 MB     25 %  1          sor.go:7  "x" (exclusive)
`
	if got != want {
		t.Errorf("the frame is\n%s, want\n%s", got, want)
	}
}

// TestFrameFits: a frame is no larger than the screen, and then shows the rank for which others
// wait; what comes from a process has no control characters.
func TestFrameFits(t *testing.T) {
	before, now := document(1000, 1), document(1000, 2)
	now.Ranks[0].Does.Line = "\x1b]0;title\x07" + strings.Repeat("é", 200)
	now.Ranks[0].Does.Set = "a\nb\rc\u009b31m"
	for _, height := range []int{1, 8, 24, 5000} {
		text := frame(before, now, 60, height)
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if len(lines) > max(height, 7) {
			t.Errorf("%d lines do not fit into %d", len(lines), height)
		}
		if !strings.Contains(text, "\n    1  computing") {
			t.Errorf("of %d lines, none shows rank 1:\n%s", height, text)
		}
		for _, line := range lines {
			if n := len([]rune(line)); n > 60 || strings.ContainsAny(line, "\x1b\r\x07\u009b") {
				t.Errorf("a line has %d characters: %q", n, line)
			}
		}
	}
}

// TestRatesOfAnotherRun: counts that shrink, and ranks that were not there, have no rate.
func TestRatesOfAnotherRun(t *testing.T) {
	rates := newRates(document(2, 5), document(3, 4))
	later := document(3, 6)
	later.Ranks[0].Counts.Phases = 1
	if more := newRates(document(2, 5), later); len(rates) != 0 || len(more) != 1 || !more[1].known {
		t.Errorf("the rates are %v and %v", rates, more)
	}
}

// TestAsk: answers that no process of a run sends are errors.
func TestAsk(t *testing.T) {
	good, err := json.Marshal(document(3, 1))
	if err != nil {
		t.Fatal(err)
	}
	for want, answer := range map[string]func(w http.ResponseWriter){
		"":                        func(w http.ResponseWriter) { _, _ = w.Write(good) },
		"404 Not Found":           func(w http.ResponseWriter) { w.WriteHeader(http.StatusNotFound) },
		"the ranks have not met":  func(w http.ResponseWriter) { http.Error(w, errEarly.Error(), http.StatusServiceUnavailable) },
		"no document of a run":    func(w http.ResponseWriter) { _, _ = io.WriteString(w, "<html>") },
		"its schema is":           func(w http.ResponseWriter) { _, _ = io.WriteString(w, `{"schema":"x"}`) },
		"rank 7 after rank 0":     func(w http.ResponseWriter) { writeRanks(w, 2, 0, 7) },
		"rank 0 after rank 0":     func(w http.ResponseWriter) { writeRanks(w, 2, 0, 0) },
		"rank -1 after rank -1":   func(w http.ResponseWriter) { writeRanks(w, 2, -1) },
		"want 1 to":               func(w http.ResponseWriter) { writeRanks(w, 1<<40) },
		"unexpected end of JSON":  func(w http.ResponseWriter) { _, _ = w.Write(good[:len(good)/2]) },
		"cannot unmarshal number": func(w http.ResponseWriter) { _, _ = io.WriteString(w, `{"nodes":-1e99}`) },
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { answer(w) }))
		d, err := ask(t.Context(), strings.TrimPrefix(s.URL, "http://"))
		s.Close()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v and %v", want, d, err)
		}
	}
}

func writeRanks(w io.Writer, nodes int, ranks ...int) {
	d := metrics.Document{Schema: metrics.Schema, Nodes: nodes}
	for _, r := range ranks {
		d.Ranks = append(d.Ranks, meter.State{Rank: r})
	}
	_ = json.NewEncoder(w).Encode(d) // the client reads what there is
}

// TestFetch: several processes together say what all ranks do; one that is gone is left out.
func TestFetch(t *testing.T) {
	var addrs []string
	for r := range 2 {
		d := document(3, 1)
		d.Ranks = d.Ranks[r : r+2]
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(d) }))
		defer s.Close()
		addrs = append(addrs, strings.TrimPrefix(s.URL, "http://"))
	}
	d, err := fetch(t.Context(), append(addrs, "127.0.0.1:1"))
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(d.Ranks[0].Rank, d.Ranks[1].Rank, d.Ranks[2].Rank); len(d.Ranks) != 3 || got != "0 1 2" {
		t.Errorf("the ranks are %s of %d", got, len(d.Ranks))
	}
	if _, err := fetch(t.Context(), []string{"127.0.0.1:1"}); err == nil {
		t.Error("nobody answers, and there is no error")
	}
}

// TestAddresses checks what words name.
func TestAddresses(t *testing.T) {
	for words, want := range map[string]string{
		"a:1":               "[a:1]",
		"a:1-3 [::1]:65535": "[a:1 a:2 a:3 [::1]:65535]",
		"[::1]:7-7":         "[[::1]:7]",
		"":                  "want the address",
		"a":                 "want HOST:PORT",
		"a:3-1":             "want two ports",
		"a:1-65536":         "want two ports",
		"a:-1":              "want two ports",
		"a:1-":              "want two ports",
	} {
		got, err := addresses(strings.Fields(words))
		if text := fmt.Sprint(got); err == nil && text != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %s, %v, want %s", words, text, err, want)
		}
	}
}

// TestProfiles: what is no profile is an error; the labels of a profile have names for users.
func TestProfiles(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "no profile") }))
	defer s.Close()
	if _, err := profiles(t.Context(), []string{strings.TrimPrefix(s.URL, "http://")}, 0.001); err == nil || !strings.Contains(err.Error(), "answers with no profile") {
		t.Errorf("the error is %v", err)
	}
	sample := &profile.Sample{Value: []int64{2, 2e7}, Label: map[string][]string{"fagus rank": {"13 of 0xc000"}, "call": {""}, "set": {"x"}}}
	name(sample)
	if got := fmt.Sprint(sample.Label); got != "map[rank:[13] set:[x]]" {
		t.Errorf("the labels are %s", got)
	}
	p := &profile.Profile{SampleType: make([]*profile.ValueType, 2), Sample: []*profile.Sample{sample}}
	if got := times(p); !strings.Contains(got, "   13     0.02 s") {
		t.Errorf("the times are\n%s", got)
	}
}

// FuzzFrame: whatever a process answers is refused, or shown without control characters.
func FuzzFrame(f *testing.F) {
	good, err := json.Marshal(document(3, 1))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good, 80, 24)
	f.Add([]byte(`{"schema":"fagus.ranks/v1","nodes":2,"ranks":[{"rank":1,"does":{"Call":"x","Wait":{"Ranks":[1,9],"More":-1}}}]}`), 1, 1)
	f.Fuzz(func(t *testing.T, text []byte, width, height int) {
		var d metrics.Document
		if json.Unmarshal(text, &d) != nil || d.Check() != nil {
			return
		}
		before := *document(3, 1)
		for _, shown := range []string{frame(nil, &d, width, height), frame(&before, &d, width, height), frame(&d, &before, width, height)} {
			if strings.ContainsFunc(shown, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
				t.Errorf("a frame has control characters: %q", shown)
			}
		}
	})
}
