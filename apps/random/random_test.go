package random

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// everywhere returns networks and modes whose ranks are in this process.
func everywhere(t *testing.T, seed uint64) map[string]fagus.Config {
	simulated := func(udp *sim.UDP) dimmnet.Network {
		net, err := sim.New(sim.Config{Seed: seed + 1, UDP: udp})
		if err != nil {
			t.Fatal(err)
		}
		return net
	}
	lossy := sim.UDP{Loss: 0.05, Duplicate: 0.05, Reorder: 0.1}
	small := inproc.New(inproc.Config{LLCM: 16 << 10})
	return map[string]fagus.Config{
		"phase, sim":       {Net: simulated(nil)},
		"phase, udp":       {Net: simulated(&lossy)},
		"phase, inproc":    {Net: inproc.New(inproc.Config{})},
		"phase, small":     {Net: small},
		"phase, shared":    {Net: inproc.New(inproc.Config{}), Placement: fagus.PlaceShared},
		"threaded, sim":    {Net: simulated(nil), Mode: fagus.Threaded},
		"threaded, udp":    {Net: simulated(&lossy), Mode: fagus.Threaded},
		"threaded, inproc": {Net: inproc.New(inproc.Config{}), Mode: fagus.Threaded},
		"threaded, small":  {Net: small, Mode: fagus.Threaded},
		"threaded, shared": {Net: inproc.New(inproc.Config{}), Mode: fagus.Threaded, Placement: fagus.PlaceShared},
		"direct, sim":      {Net: simulated(nil), Mode: fagus.Threaded, Direct: true},
		"direct, inproc":   {Net: inproc.New(inproc.Config{}), Mode: fagus.Threaded, Direct: true},
		"direct, small":    {Net: small, Mode: fagus.Threaded, Direct: true},
		"direct, shared":   {Net: inproc.New(inproc.Config{}), Mode: fagus.Threaded, Direct: true, Placement: fagus.PlaceShared},
		"phase, twin":      {Net: inproc.New(inproc.Config{}), WriteDetection: fagus.DetectTwin},
		"phase, kept":      {Net: inproc.New(inproc.Config{}), WriteDetection: fagus.DetectKept},
	}
}

// perform runs a program and returns the result and the statistics of rank 0.
func perform(t *testing.T, cfg fagus.Config, seed uint64, rounds, cycle int) (Result, fagus.Stats) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var result Result
	clock := &Clock{}
	report, err := fagus.Run(ctx, cfg, func(n *fagus.Node) error {
		r, err := Run(n, Config{Seed: seed, Rounds: rounds, Cycle: cycle, Clock: clock})
		if n.Rank() == 0 {
			result = r
		}
		return err
	})
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	return result, report.Ranks[0]
}

// TestRandom: on every network, in both modes, all contents equal the model's.
func TestRandom(t *testing.T) {
	seeds := uint64(6)
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		for name, cfg := range everywhere(t, seed) {
			cfg.Nodes = 2 + int(seed%4)
			r, _ := perform(t, cfg, seed, 12, 0)
			if len(r.Wrong) > 0 || r.Checked == 0 {
				t.Errorf("%s, seed %d: %d contents checked; wrong: %s", name, seed, r.Checked, strings.Join(r.Wrong, "\n"))
			}
		}
	}
}

// TestCycles: where lists travel over a tree, most phases of programs whose rounds recur repeat an
// earlier phase, and all contents equal the model's.
func TestCycles(t *testing.T) {
	seeds := uint64(12)
	if testing.Short() {
		seeds = 4
	}
	var phases, repeated uint64
	for seed := range seeds {
		net, err := sim.New(sim.Config{Seed: seed + 1})
		if err != nil {
			t.Fatal(err)
		}
		for name, cfg := range map[string]fagus.Config{
			"sim":    {Net: net},
			"inproc": {Net: inproc.New(inproc.Config{Bulk: 1 << 20, Banks: true})},
			"small":  {Net: inproc.New(inproc.Config{LLCM: 16 << 10, Bulk: 4 << 10})},
			"twin":   {Net: inproc.New(inproc.Config{Bulk: 1 << 20}), WriteDetection: fagus.DetectTwin},
		} {
			cfg.Nodes, cfg.Lists = 2+int(seed%4), fagus.ListsTree
			r, s := perform(t, cfg, seed, 90, 1+int(seed%3))
			phases, repeated = phases+s.Phases, repeated+s.Repeated
			if len(r.Wrong) > 0 || r.Checked == 0 {
				t.Errorf("%s, seed %d: %d contents checked; wrong: %s", name, seed, r.Checked, strings.Join(r.Wrong, "\n"))
			}
		}
	}
	if t.Logf("%d of %d phases repeat", repeated, phases); repeated < phases/4 {
		t.Errorf("%d of %d phases repeat, want a quarter", repeated, phases)
	}
}

// recorded returns a plan and the logs of a run in phase mode that has no mistakes.
func recorded(t *testing.T, seed uint64) (*plan, [][]entry) {
	t.Helper()
	const nodes, rounds = 3, 12
	var logs [][]entry
	clock := &Clock{}
	_, err := fagus.Run(t.Context(), fagus.Config{Nodes: nodes}, func(n *fagus.Node) error {
		s := newState(n, Config{Seed: seed, Rounds: rounds, Clock: clock})
		for round := range rounds {
			if err := s.round(round); err != nil {
				return err
			}
		}
		if err := s.last(); err != nil {
			return err
		}
		got, err := s.gather()
		if n.Rank() == 0 {
			logs = got
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return newPlan(seed, rounds, 0), logs
}

// TestCheck: every entry of a log matters. A changed hash, a missing entry, and a time that makes
// tenures overlap are each found, and logs without a mistake are accepted.
func TestCheck(t *testing.T) {
	p, logs := recorded(t, 3)
	if _, wrong := check(p, logs); len(wrong) > 0 {
		t.Fatalf("a run without mistakes: %s", strings.Join(wrong, "\n"))
	}
	seen := make(map[op]int)
	for rank := range logs {
		for i := range logs[rank] {
			e := &logs[rank][i]
			seen[e.op]++
			e.sum++
			_, wrong := check(p, logs)
			if e.sum--; len(wrong) == 0 {
				t.Errorf("rank %d, entry %d (%v): its content is wrong, and check finds nothing", rank, i, e.op)
			}
			if e.op == endedExclusive {
				e.at += int64(time.Hour)
				_, wrong := check(p, logs)
				if e.at -= int64(time.Hour); len(wrong) == 0 && !lastOf(logs, e) {
					t.Errorf("rank %d, entry %d (%v): it ends an hour later, and check finds nothing", rank, i, e.op)
				}
			}
		}
	}
	for o := beganShared; o <= looked; o++ {
		if seen[o] == 0 {
			t.Errorf("no entry is %q", o)
		}
	}
}

// lastOf reports whether no tenure of e's variable begins after e.
func lastOf(logs [][]entry, e *entry) bool {
	for _, l := range logs {
		for _, other := range l {
			if began := other.op == beganShared || other.op == beganExclusive; began && other.variable == e.variable && other.at > e.at {
				return false
			}
		}
	}
	return true
}

// TestDecode: a damaged log is an error, and an encoded log decodes to the same entries.
func TestDecode(t *testing.T) {
	log := []entry{{endedExclusive, 3, place{500, 2}, 1 << 60, 1 << 63}, {updated, 0, place{65535, 0}, 7, 8}}
	good := encode(log)
	got, err := decode(append(good, 0, 0, 0))
	if err != nil || !slices.Equal(got, log) {
		t.Errorf("decoded %+v, %v: want %+v", got, err, log)
	}
	for _, bad := range [][]byte{nil, good[:3], good[:len(good)-1], append([]byte{3}, good[1:]...)} {
		if log, err := decode(bad); err == nil {
			t.Errorf("decoding %v: got %+v, want an error", bad, log)
		}
	}
}
