package apptest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// Benchmark tests one of the NAS Parallel Benchmarks in class S.
type Benchmark struct {
	Run   func(*fagus.Node, npb.Config) (verify.Result, error)
	Plain func(npb.Config, verify.Timer) verify.Result
	// Guarded is the number of nodes for the test of placements and access checking.
	Guarded int
	// Rounds means that rounding depends on the number of nodes: only runs on the same number of
	// nodes have the same bits.
	Rounds bool
	// Spoiled lists the numbers of nodes to run with a planted error.
	Spoiled []int
}

// Test runs all tests of a benchmark as subtests.
func (b Benchmark) Test(t *testing.T) {
	t.Run("Verified", b.verified)
	t.Run("Guarded", b.guarded)
	t.Run("Plain", b.SamePlain)
	t.Run("Spoiled", b.spoiled)
}

// MostRanks verifies runs on so many simulated nodes, in both modes.
func (b Benchmark) MostRanks(t *testing.T, counts ...int) {
	for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
		for _, nodes := range counts {
			if r := b.run(t, fagus.Config{Nodes: nodes, Mode: mode, Net: Simulated(t, sim.Config{})}, false); r.Excess() > 1 {
				t.Errorf("%d nodes, %v mode: %v", nodes, mode, r.Checks)
			}
		}
	}
}

// TooMany checks that a run on more nodes than most fails.
func (b Benchmark) TooMany(t *testing.T, most int) {
	_, err := b.report(t, fagus.Config{Nodes: most + 1})
	if want := fmt.Sprintf("enough for %d nodes at most", most); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%d nodes: error %v, want one with %q", most+1, err, want)
	}
}

// Moves checks that all ranks of a simulated run move least bytes in all, and up to percent more.
func (b Benchmark) Moves(t *testing.T, nodes, least, percent int) {
	report, err := b.report(t, fagus.Config{Nodes: nodes, Net: Simulated(t, sim.Config{})})
	if err != nil {
		t.Fatal(err)
	}
	bytes := 0
	for _, r := range report.Ranks {
		bytes += int(r.Messages().Bytes)
	}
	if bytes < least || bytes > least*(100+percent)/100 {
		t.Errorf("%d bytes in all, want %d and up to %d %% more", bytes, least, percent)
	}
}

func (b Benchmark) report(t *testing.T, on fagus.Config) (fagus.Report, error) {
	return fagus.Run(t.Context(), on, func(n *fagus.Node) error {
		_, err := b.Run(n, npb.Config{Class: npb.S})
		return err
	})
}

func (b Benchmark) run(t testing.TB, on fagus.Config, spoil bool) verify.Result {
	t.Helper()
	return First(t, b.Run, on, npb.Config{Class: npb.S, Options: verify.Options{Spoil: spoil}})
}

// verified checks that the benchmark passes in both modes on 1 to 4 nodes, with the same bits.
func (b Benchmark) verified(t *testing.T) {
	if !b.Rounds {
		b.sameBits(t, 1, 2, 3, 4)
		return
	}
	counts := []int{1, 2, 3, 4}
	if testing.Short() {
		counts = []int{3}
	}
	for _, nodes := range counts {
		b.sameBits(t, nodes)
	}
}

func (b Benchmark) sameBits(t *testing.T, counts ...int) {
	t.Helper()
	nets := []dimmnet.Network{inproc.New(inproc.Config{})}
	if !testing.Short() {
		nets = append(nets, Simulated(t, sim.Config{}))
	}
	var first verify.Result
	for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
		for _, nodes := range counts {
			for _, net := range nets {
				r := b.run(t, fagus.Config{Nodes: nodes, Net: net, Mode: mode}, false)
				if first.Checks == nil {
					first = r
				}
				if r.Excess() > 1 || !slices.Equal(r.Checks, first.Checks) || !slices.Equal(r.Lines, first.Lines) {
					t.Errorf("%d nodes, %v mode: %v, %v; want the bits of %v, %v", nodes, mode, r.Checks, r.Lines, first.Checks, first.Lines)
				}
			}
		}
	}
}

// guarded checks that the benchmark passes with private copies of the arrays and with one common
// copy, and that each rank accesses only data whose variables it holds.
func (b Benchmark) guarded(t *testing.T) {
	for _, on := range Modes() {
		on.Nodes = b.Guarded
		for _, on.Placement = range []fagus.Placement{fagus.PlacePrivate, fagus.PlaceShared} {
			if r := b.run(t, on, false); r.Excess() > 1 {
				t.Errorf("%d nodes, %v mode, placement %v: %v", on.Nodes, on.Mode, on.Placement, r.Checks)
			}
		}
		on.Placement, on.Check = fagus.PlacePrivate, fagus.CheckStrict
		if r := b.run(t, on, false); r.Excess() > 1 {
			t.Errorf("%d nodes, %v mode, with access checking: %v", on.Nodes, on.Mode, r.Checks)
		}
	}
}

// SamePlain checks that the program without Fagus has the same bits as a run with Fagus, that it
// runs its timed section once, and that its verification finds a planted error. The run with
// Fagus has 2 nodes, or 1 if rounding depends on the number of nodes.
func (b Benchmark) SamePlain(t *testing.T) {
	nodes := 2
	if b.Rounds {
		nodes = 1
	}
	timed := 0
	timer := func(section func()) fagus.Time { timed++; section(); return 1 }
	got, want := b.Plain(npb.Config{Class: npb.S}, timer), b.run(t, fagus.Config{Nodes: nodes}, false)
	if !slices.Equal(got.Checks, want.Checks) || got.Excess() > 1 || got.Operations != want.Operations || timed != 1 {
		t.Errorf("plain: %v, %g operations, timed %d times; want %v, %g operations", got.Checks, got.Operations, timed, want.Checks, want.Operations)
	}
	if !slices.Equal(got.Lines, want.Lines) {
		t.Errorf("plain prints %q, want %q", got.Lines, want.Lines)
	}
	if r := b.Plain(npb.Config{Class: npb.S, Options: verify.Options{Spoil: true}}, timer); r.Excess() <= 1 {
		t.Errorf("plain: a planted error passes: %v", r.Checks)
	}
}

func (b Benchmark) spoiled(t *testing.T) {
	counts := b.Spoiled
	if testing.Short() {
		counts = counts[len(counts)-1:]
	}
	for _, nodes := range counts {
		if r := b.run(t, fagus.Config{Nodes: nodes}, true); r.Excess() <= 1 {
			t.Errorf("%d nodes: a planted error passes: %v", nodes, r.Checks)
		}
	}
}
