package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/catalog"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

// resumable is a program of the catalog with a small problem.
type resumable struct {
	args []string
	// rounded says that the result may depend on the number of ranks: it only has to pass.
	rounded bool
	// ranks says that the problem depends on the number of ranks, which must not change.
	ranks bool
	slow  bool
}

func resumables() map[string]resumable {
	return map[string]resumable{
		"matmul":     {args: []string{"--n", "48"}},
		"many":       {args: []string{"--rounds", "6", "--variables", "3", "--bytes", "64"}, ranks: true},
		"workqueue":  {args: []string{"--tasks", "40", "--work", "10us"}},
		"tsp":        {args: []string{"--cities", "8"}, rounded: true}, // one of the shortest tours
		"sor":        {args: []string{"--n", "24"}},
		"radix":      {args: []string{"--keys", "5000"}},
		"lu":         {args: []string{"--n", "60", "--block", "8"}},
		"water":      {args: []string{"--molecules", "20", "--steps", "5"}},
		"barnes":     {args: []string{"--bodies", "100", "--steps", "5"}},
		"kmeans":     {args: []string{"--points", "3000", "--clusters", "7"}},
		"pagerank":   {args: []string{"--pages", "200"}},
		"conjugate":  {args: []string{"--grid", "15"}},
		"mandelbrot": {args: []string{"--width", "40", "--height", "30", "--batch", "1"}},
		"wordcount":  {args: []string{"--words", "2000", "--vocabulary", "200"}},
		"ep":         {slow: true},
		"ft":         {},
		"mg":         {},
		"is":         {},
		"cg":         {rounded: true},
		"bt":         {},
		"sp":         {},
		"ssor":       {},
		"dgemm":      {args: []string{"--n", "24", "--iterations", "4"}},
		"stencil":    {args: []string{"--n", "24", "--iterations", "4"}},
		"transpose":  {args: []string{"--n", "24", "--iterations", "4"}},
		"nstream":    {args: []string{"--length", "3000", "--iterations", "4"}},
		"p2p":        {args: []string{"--columns", "20", "--rows", "30", "--iterations", "4"}},
	}
}

// stopping is a Checkpointer that stops the run after a checkpoint.
type stopping struct {
	*checkpoint.Keeper
	made  atomic.Int64
	after int64 // the number of the checkpoint, from 1; 0: never
	stop  context.CancelFunc
}

func (s *stopping) Commit(ctx context.Context, number uint64) error {
	err := s.Keeper.Commit(ctx, number)
	if s.made.Add(1) == s.after {
		s.stop()
	}
	return err
}

// outcome runs a program. Without a store no checkpoints are made.
func (r resumable) outcome(t *testing.T, p catalog.Program, cfg fagus.Config, store checkpoint.Store, after int64) (out catalog.Outcome, made int64, err error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := stopping{after: after, stop: cancel}
	if store != nil {
		c.Keeper = checkpoint.New(checkpoint.Config{Store: store})
		defer func() {
			_ = c.Close() // the run's error says more
			if m, ok := store.(*memory); ok && m.open != 0 {
				t.Errorf("%d objects of the store are being read or written after the run", m.open)
			}
		}()
		cfg.Checkpoints = &c
	}
	jobs := make([]*catalog.Job, cfg.Nodes)
	for rank := range jobs {
		if jobs[rank], err = prepare(t, p, r.args...); err == nil && jobs[rank].Open != nil {
			err = jobs[rank].Open(ctx)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err = fagus.Run(ctx, cfg, func(n *fagus.Node) error {
		o, err := jobs[n.Rank()].Run(n, func(int) {})
		if n.Rank() == 0 {
			out = o
		}
		return err
	})
	return out, c.made.Load(), err
}

var timed = regexp.MustCompile(`\n?[0-9.]+ ((Mop|MB|Mflop|Gflop)/s|(ns|us|µs|ms|s)\b)|[0-9.]+(ns|us|µs|ms|s)\b`)

// timeless returns a text without times and rates. A run without work of its own has no rate.
func timeless(text string) string { return timed.ReplaceAllString(text, "") }

// resuming is a case of TestCheckpoints.
type resuming struct {
	net           string
	mode          fagus.Mode // of the run that is stopped; the other one resumes
	before, after int        // ranks
}

func (c resuming) String() string {
	return fmt.Sprintf("%s/%v/%d to %d", c.net, c.mode, c.before, c.after)
}

func (c resuming) config(t *testing.T, nodes int, mode fagus.Mode) fagus.Config {
	cfg := fagus.Config{Nodes: nodes, Mode: mode}
	if c.net == "dimmnet1" {
		net, err := sim.New(sim.Config{Env: "fagus2", Limit: 100 * dimmnet.Second})
		if err != nil {
			t.Fatal(err)
		}
		cfg.Net = net
	}
	return cfg
}

// resumings returns the cases. Tests that are thorough try them all.
func resumings() (cases []resuming) {
	ranks, nets := []int{1, 2, 3, 4}, []string{"inproc", "dimmnet1"}
	if longtest.Thorough() {
		ranks = append(ranks, 8, 16)
	}
	if testing.Short() {
		nets = nets[:1] // the race detector finds nothing in a simulation
	}
	for _, net := range nets {
		for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
			for _, before := range ranks {
				for _, after := range ranks {
					cases = append(cases, resuming{net, mode, before, after})
				}
			}
		}
	}
	return cases
}

// TestCheckpoints: every program that is stopped after one of its checkpoints goes on, on another
// number of ranks and in the other mode, and has the result of a run that was not stopped. The
// number of its checkpoints does not depend on where it runs. The last one is tried always.
func TestCheckpoints(t *testing.T) {
	longtest.Third(t)
	cases := resumings()
	programs := resumables()
	for at, p := range catalog.Programs() {
		r, ok := programs[p.Name]
		if !ok {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			_, cuts, err := r.outcome(t, p, fagus.Config{Nodes: 1}, newMemory(), 0)
			if err != nil || cuts < 2 {
				t.Fatalf("%d checkpoints, error %v; want 2 or more", cuts, err)
			}
			for i, c := range cases {
				few := 31 // a prime: all numbers of ranks occur
				if r.slow || testing.Short() {
					few = 61
				}
				if !longtest.Thorough() && (i+at)%few != 0 {
					continue
				}
				t.Run(c.String(), func(t *testing.T) { r.resume(t, p, c, cuts, 1+int64(i)%cuts) })
			}
			// After the last checkpoint a program may have nothing left to do but the verification.
			c := resuming{"inproc", fagus.Mode(at % 2), 1 + at%3, 1 + (at+1)%3}
			t.Run("last/"+c.String(), func(t *testing.T) { r.resume(t, p, c, cuts, cuts) })
		})
	}
}

// resume stops a run after a checkpoint, resumes it, and compares.
func (r resumable) resume(t *testing.T, p catalog.Program, c resuming, cuts, stop int64) {
	if r.ranks {
		c.before = c.after
	}
	store := newMemory()
	if _, _, err := r.outcome(t, p, c.config(t, c.before, c.mode), store, stop); !errors.Is(err, context.Canceled) {
		t.Fatalf("stopped after checkpoint %d: error %v, want %v", stop, err, context.Canceled)
	}
	other := fagus.Phase + fagus.Threaded - c.mode
	got, made, err := r.outcome(t, p, c.config(t, c.after, other), store, 0)
	if most := cuts - stop + 1; made > most {
		t.Errorf("resumed from checkpoint %d of %d: %d checkpoints, want %d at most", stop, cuts, made, most)
	}
	if err != nil || !got.Verification.OK() {
		t.Fatalf("resumed from checkpoint %d: %v, error %v", stop, got.Verification.Against(), err)
	}
	want, _, err := r.outcome(t, p, c.config(t, c.after, other), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	if r.rounded {
		return
	}
	if got.Bits != want.Bits || got.Verification != want.Verification || timeless(got.Text) != timeless(want.Text) {
		t.Errorf("resumed from checkpoint %d:\n%x %+v\n%s\nwant\n%x %+v\n%s", stop, got.Bits, got.Verification, got.Text, want.Bits, want.Verification, want.Text)
	}
}

// TestCheckedCheckpoints: a program that makes checkpoints, and resumes from the last one, reads
// nothing without its variable. On one rank few variables share a page.
func TestCheckedCheckpoints(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("Config.Check needs Linux")
	}
	programs := resumables()
	for _, p := range catalog.Programs() {
		r, ok := programs[p.Name]
		if !ok || r.slow && !longtest.Thorough() {
			continue
		}
		store := newMemory()
		for range 2 {
			if _, _, err := r.outcome(t, p, fagus.Config{Nodes: 1, Check: fagus.CheckOn}, store, 0); err != nil {
				t.Errorf("%s: %v", p.Name, err)
			}
		}
	}
}

// TestMoreIterations: a run may resume with more iterations, and then has the result of a run that
// had as many from the start. With fewer it ends, too.
func TestMoreIterations(t *testing.T) {
	for name, r := range resumables() {
		all := catalog.Programs()
		p := all[slices.IndexFunc(all, func(p catalog.Program) bool { return p.Name == name })]
		if !slices.ContainsFunc(p.Flags, func(f cli.Flag) bool { return f.Names()[0] == "iterations" }) {
			continue
		}
		run := func(iterations string, store checkpoint.Store) (catalog.Outcome, error) {
			longer := resumable{args: append(slices.Clone(r.args), "--iterations", iterations)}
			out, _, err := longer.outcome(t, p, fagus.Config{Nodes: 2}, store, 0)
			return out, err
		}
		store := newMemory()
		_, err := run("4", store)
		got, longer := run("7", store)
		want, whole := run("7", nil)
		if err != nil || longer != nil || whole != nil || got.Bits != want.Bits || got.Verification != want.Verification {
			t.Errorf("%s: errors %v, %v, %v; resumed:\n%x %+v\nwant\n%x %+v", name, err, longer, whole, got.Bits, got.Verification, want.Bits, want.Verification)
		}
		if _, err := run("2", store); err != nil && !strings.Contains(err.Error(), "the loop has") {
			t.Errorf("%s: fewer iterations: %v", name, err)
		}
	}
}

var ratePattern = regexp.MustCompile(`([0-9.]+) (?:Mop|MB|Mflop|Gflop)/s`)

// TestRatesOfResumedRuns: the rate of a run that has resumed is that of its own work: it is about
// that of a run that was not stopped, in virtual time. (Late steps of lu have less work.)
func TestRatesOfResumedRuns(t *testing.T) {
	longtest.Third(t)
	programs := resumables()
	for _, p := range catalog.Programs() {
		r := programs[p.Name]
		switch p.Name {
		case "lu":
			r.args = []string{"--n", "96", "--block", "8"}
		case "ep", "ft", "mg", "is", "cg", "bt", "sp", "ssor", "dgemm", "stencil", "transpose", "nstream", "p2p", "water", "kmeans", "pagerank", "conjugate", "wordcount":
		default:
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			if testing.Short() {
				t.Skip("the race detector finds nothing in a simulation")
			}
			if r.slow && !longtest.Thorough() {
				t.Skip("it takes 8 s; set FAGUS_LONG=2")
			}
			cfg := resuming{net: "dimmnet1"}
			rate := func(store checkpoint.Store, after int64) (rate float64, made int64) {
				t.Helper()
				out, made, err := r.outcome(t, p, cfg.config(t, 2, fagus.Phase), store, after)
				if after > 0 {
					return 0, made
				}
				found := ratePattern.FindStringSubmatch(out.Text)
				if err != nil || found == nil {
					t.Fatalf("no rate in %q, error %v", out.Text, err)
				}
				if rate, err = strconv.ParseFloat(found[1], 64); err != nil {
					t.Fatal(err)
				}
				return rate, made
			}
			want, cuts := rate(newMemory(), 0)
			for _, after := range []int64{1, (cuts + 1) / 2} {
				store := newMemory()
				rate(store, after)
				if got, _ := rate(store, 0); got < 0.4*want || got > 1.3*want {
					t.Errorf("resumed from checkpoint %d of %d: %g, want %g or so", after, cuts, got, want)
				}
			}
		})
	}
}

// TestCheckpointsOfVariants: programs whose work is divided in another way resume, too.
func TestCheckpointsOfVariants(t *testing.T) {
	variants := map[string]resumable{
		"workqueue":  {args: []string{"--tasks", "40", "--work", "10us", "--static"}},
		"mandelbrot": {args: []string{"--width", "40", "--height", "30", "--batch", "1", "--static"}},
		"many":       {args: []string{"--rounds", "6", "--variables", "3", "--bytes", "64", "--independent", "--skew", "1"}, ranks: true},
	}
	for _, p := range catalog.Programs() {
		r, ok := variants[p.Name]
		if !ok {
			continue
		}
		_, cuts, err := r.outcome(t, p, fagus.Config{Nodes: 1}, newMemory(), 0)
		if err != nil || cuts < 2 {
			t.Fatalf("%s: %d checkpoints, error %v; want 2 or more", p.Name, cuts, err)
		}
		for stop := int64(1); stop <= cuts; stop++ {
			c := resuming{net: "inproc", mode: fagus.Mode(stop % 2), before: 1 + int(stop)%4, after: 1 + int(stop*3)%5}
			t.Run(p.Name+"/"+c.String(), func(t *testing.T) { r.resume(t, p, c, cuts, stop) })
		}
	}
}
