package top

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/google/pprof/profile"
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/meter"
	"github.com/fagus-dsm/fagus/fagus/metrics"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
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
		s.Counts = meter.Counts{Phases: 2000 * n, Bytes: 3_000_000 * n, Arrived: 1_000_000 * n}
		s.Counts.Waits[meter.Late] = meter.Wait{Times: n, Time: time.Duration(seconds) * time.Second / 4}
		if r == 1 {
			s.Does = rollcall.Entry{Calls: 4, Line: "sor.go:9"}
			s.Counts.Waits = [meter.Causes]meter.Wait{}
		}
		s.Does.Done, s.Does.Of = 10*int64(seconds)+int64(r), 100
		d.Ranks = append(d.Ranks, s)
	}
	return d
}

// TestFrame checks what a frame shows.
func TestFrame(t *testing.T) {
	got := frame(document(3, 1), document(3, 2), 0, 0)
	const want = `sor in phase mode on tcp, 3 of 3 ranks answer, wall clock
21 % done (21 of 100); 2 k phases/s; 9.0 MB/s posted, 3.0 MB/s arrived; rank 1 is waited for by 2
 rank  state        for  done  phases/s  posted/s  arrived/s  waiting  waits for  line      set
────────────────────────────────────────────────────────────────────────────────────────────────────────────
    0  Acquire    1.5 s  20 %       2 k    3.0 MB     1.0 MB     25 %  1          sor.go:7  "x" (exclusive)
    1  computing         21 %       2 k    3.0 MB     1.0 MB      0 %             sor.go:9
    2  Acquire    1.5 s  22 %       2 k    3.0 MB     1.0 MB     25 %  1          sor.go:7  "x" (exclusive)
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
		"":              func(w http.ResponseWriter) { _, _ = w.Write(good) },
		"404 Not Found": func(w http.ResponseWriter) { w.WriteHeader(http.StatusNotFound) },
		"307 Temporary Redirect": func(w http.ResponseWriter) {
			w.Header().Set("Location", "/other")
			w.WriteHeader(http.StatusTemporaryRedirect)
		},
		"wait up to 20s until":    func(w http.ResponseWriter) { http.Error(w, "cpu profiling already in use", http.StatusConflict) },
		"the ranks have not met":  func(w http.ResponseWriter) { http.Error(w, meter.ErrEarly.Error(), http.StatusServiceUnavailable) },
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
		d, err := ask(t.Context(), targetOf(s))
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

func targetOf(s *httptest.Server) target { return target{name: strings.TrimPrefix(s.URL, "http://")} }

// serveDocument serves a document of ranks 0 to 2, or what change makes of it.
func serveDocument(t *testing.T, change func(d *metrics.Document)) target {
	d := document(3, 1)
	change(d)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(d) }))
	t.Cleanup(s.Close)
	return targetOf(s)
}

// TestFetch: several processes together say what all ranks do; one that is gone is left out.
func TestFetch(t *testing.T) {
	var all []target
	for r := range 2 {
		all = append(all, serveDocument(t, func(d *metrics.Document) { d.Ranks = d.Ranks[r : r+2] }))
	}
	gone := target{name: "127.0.0.1:1"}
	d, err := fetch(t.Context(), append(all, gone))
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(d.Ranks[0].Rank, d.Ranks[1].Rank, d.Ranks[2].Rank); len(d.Ranks) != 3 || got != "0 1 2" {
		t.Errorf("the ranks are %s of %d", got, len(d.Ranks))
	}
	if _, err := fetch(t.Context(), []target{gone}); err == nil {
		t.Error("nobody answers, and there is no error")
	}
}

// TestFetchOtherJob: processes of two jobs are not shown as one.
func TestFetchOtherJob(t *testing.T) {
	one := serveDocument(t, func(*metrics.Document) {})
	for what, change := range map[string]func(d *metrics.Document){
		"job":     func(d *metrics.Document) { d.Job = "7" },
		"program": func(d *metrics.Document) { d.Program = "other" },
		"mode":    func(d *metrics.Document) { d.Mode = "threaded" },
		"net":     func(d *metrics.Document) { d.Net = "shm" },
		"nodes":   func(d *metrics.Document) { d.Nodes = 4 },
	} {
		_, err := fetch(t.Context(), []target{one, serveDocument(t, change)})
		if !usage.Is(err) || !strings.Contains(err.Error(), "is of another job than "+one.name) {
			t.Errorf("another %s: the error is %v", what, err)
		}
	}
}

// TestFetchAtOnce: processes are asked at the same time: each answers when all have been asked.
func TestFetchAtOnce(t *testing.T) {
	const processes = 8
	var asked sync.WaitGroup
	asked.Add(processes)
	var all []target
	for r := range processes {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked.Done()
			asked.Wait()
			d := document(processes, 1)
			d.Ranks = d.Ranks[r : r+1]
			_ = json.NewEncoder(w).Encode(d)
		}))
		defer s.Close()
		all = append(all, targetOf(s))
	}
	if d, err := fetch(t.Context(), all); err != nil || len(d.Ranks) != processes {
		t.Errorf("the document of %d processes is %+v, %v", processes, d, err)
	}
}

// TestWaits: before the ranks have met, the command says once what it waits for.
func TestWaits(t *testing.T) {
	answers := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if answers++; answers < 4 {
			http.Error(w, meter.ErrEarly.Error(), http.StatusServiceUnavailable)
			return
		}
		_ = json.NewEncoder(w).Encode(document(3, answers))
	}))
	defer s.Close()
	var out, errs strings.Builder
	app := &cli.App{Commands: []*cli.Command{Command()}, Writer: &out, ErrWriter: &errs}
	if err := app.RunContext(t.Context(), []string{"fagus", "top", "--count", "1", "--interval", "100ms", targetOf(s).name}); err != nil {
		t.Fatal(err)
	}
	if want := targetOf(s).name + ": the ranks have not met: waiting until all ranks of the job are connected\n"; errs.String() != want || !strings.Contains(out.String(), "2 k phases/s") {
		t.Errorf("the command says %q, want %q, and shows\n%s", errs.String(), want, out.String())
	}
}

// TestNoProxy: a process is asked itself, whatever proxy the environment names.
func TestNoProxy(t *testing.T) {
	for _, of := range []target{{name: "10.0.0.1:9100"}, {name: "process 1", socket: "/x"}} {
		if metrics.Client(of.socket).Transport.(*http.Transport).Proxy != nil {
			t.Errorf("%v is asked through a proxy", of)
		}
	}
}

// TestAddresses checks what words name.
func TestAddresses(t *testing.T) {
	for words, want := range map[string]string{
		"a:1":               "[a:1] ",
		"a:1-3 [::1]:65535": "[a:1 a:2 a:3 [::1]:65535] ",
		"[::1]:7-7":         "[[::1]:7] ",
		"":                  "[] ",
		"sor":               "[] sor",
		"sor life":          "want HOST:PORT",
		"a:1 sor":           "want HOST:PORT",
		"a:1-8000":          "more than",
		"a:3-1":             "want two ports",
		"a:1-65536":         "want two ports",
		"a:-1":              "want two ports",
		"a:1-":              "want two ports",
	} {
		got, err := read(strings.Fields(words))
		if text := fmt.Sprint(got.addrs, " ", got.job); err == nil && text != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %s, %v, want %s", words, text, err, want)
		}
	}
}

// TestByName: a job is found by its program, its name and its processes, and not beside another.
func TestByName(t *testing.T) {
	serveByName(t)
	var n named
	if _, err := n.look(t.Context()); !errors.Is(err, meter.ErrEarly) {
		t.Errorf("before the ranks have met, the error is %v", err)
	}
	for _, job := range []string{"sor", "abc", strconv.Itoa(os.Getpid()), strconv.Itoa(os.Getppid())} {
		found, err := named{job: job}.processes(t.Context())
		if err != nil || len(found) != 1 || found[0].PID != os.Getpid() {
			t.Errorf("%s: the processes are %v, %v", job, found, err)
		}
	}
	if _, err := (named{job: "so"}).processes(t.Context()); !errors.Is(err, errNoJob) || !strings.Contains(err.Error(), "sor, job abc: 1 here") {
		t.Errorf("a wrong name: %v", err)
	}
}

// serveByName serves metrics of a job abc of the program sor in this process.
func serveByName(t *testing.T) *meter.Meter {
	t.Helper()
	folder, err := os.MkdirTemp("", "f") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	t.Setenv("XDG_CACHE_HOME", folder)
	t.Setenv("HOME", folder) // for macOS
	if _, err := (named{}).processes(t.Context()); !errors.Is(err, errNoJob) {
		t.Errorf("without any process the error is %v", err)
	}
	m := meter.New()
	s, err := metrics.Serve("127.0.0.1:0", m, metrics.About{Program: "sor", Job: "abc"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if err := s.ByName(); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestWhichJob: a name that several jobs have is refused, and they are listed.
func TestWhichJob(t *testing.T) {
	all := []metrics.Process{{Program: "sor", Job: "a", PID: 1, Parent: 8}, {Program: "sor", Job: "a", PID: 2, Parent: 8}, {Program: "sor", PID: 3, Parent: 7}, {Program: "life", Job: "b", PID: 4, Parent: 9}}
	for name, want := range map[string]string{
		"": "3 jobs", "sor": "2 jobs", "a": "1 2", "1": "1 2", "2": "1 2", "3": "3", "life": "4", "9": "4", "8": "1 2", "7": "0 jobs", "0": "0 jobs", "x": "0 jobs",
	} {
		found, err := named{job: name}.only(all)
		got := strings.Join(slices.Collect(func(yield func(string) bool) {
			for _, p := range found {
				if !yield(strconv.Itoa(p.PID)) {
					return
				}
			}
		}), " ")
		switch {
		case usage.Is(err):
			got = fmt.Sprintf("%d jobs", strings.Count(err.Error(), ", job "))
		case errors.Is(err, errNoJob):
			got = "0 jobs"
		}
		if got != want {
			t.Errorf("%q names %s, want %s (%v)", name, got, want, err)
		}
	}
}

// TestEverywhere: ranks on other hosts are asked at their addresses, unless nobody reaches these
// from here.
func TestEverywhere(t *testing.T) {
	m := serveByName(t)
	board := rollcall.Open(rollcall.Config{After: -1}, rollcall.About{Nodes: 6, Only: new(int)})
	defer board.Close()
	defer m.Begin(meter.Run{Nodes: 6, Board: board, Ask: func(context.Context) []meter.State {
		return []meter.State{{Rank: 1, Address: "10.0.0.2:9100"}, {Rank: 2, Address: "10.0.0.2:9101"}, {Rank: 3, Address: "127.0.0.1:9100"}, {Rank: 4}}
	}})()
	m.Rank(0, nil)
	all, missing, err := named{job: "sor"}.everywhere(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(all), fmt.Sprintf("[process %d 10.0.0.2:9100 10.0.0.2:9101]", os.Getpid()); got != want || all[0].socket == "" {
		t.Errorf("the processes are %s, want %s", got, want)
	}
	if text := strings.Join(missing, "; "); len(missing) != 3 || !strings.Contains(text, "rank 3 on another host serves metrics at 127.0.0.1:9100") || !strings.Contains(text, "rank 5 does not answer") {
		t.Errorf("left out are: %s", text)
	}
}

// TestProfiles: what is no profile is left out, and an error if there is no other; the labels of a
// profile have names for users.
func TestProfiles(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "no profile") }))
	defer s.Close()
	if _, _, err := profiles(t.Context(), []target{targetOf(s)}, 0.001); err == nil || !strings.Contains(err.Error(), "answers with no profile") {
		t.Errorf("the error is %v", err)
	}
	nanoseconds := &profile.ValueType{Type: "cpu", Unit: "nanoseconds"}
	good := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = (&profile.Profile{SampleType: []*profile.ValueType{nanoseconds}, Sample: []*profile.Sample{{Value: []int64{7}}}}).Write(w)
	}))
	defer good.Close()
	merged, silent, err := profiles(t.Context(), []target{targetOf(s), targetOf(good)}, 0.001)
	if err != nil || len(merged.Sample) != 1 || len(silent) != 1 || !strings.Contains(silent[0], "answers with no profile") {
		t.Errorf("of two processes one has a profile: %v, %q, error %v", merged, silent, err)
	}
	sample := &profile.Sample{Value: []int64{2, 2e7}, Label: map[string][]string{"fagus rank": {"13 of 0xc000"}, "rank": {"13"}, "call": {""}, "set": {"x"}}}
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
