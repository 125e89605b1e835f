package fagus_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/consistency/history"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
	"github.com/fagus-dsm/fagus/fagus"
)

// treeLLCM makes slots so small that most variables take several.
const treeLLCM = 8 << 10

// simulatedTrees returns a configuration with trees on a simulated network. The seed determines the
// nodes and the network, which change, if not nil, may modify.
func simulatedTrees(t *testing.T, seed uint64, change func(*sim.Config)) fagus.Config {
	t.Helper()
	preset, err := presets.Load("fagus2")
	if err != nil {
		t.Fatal(err)
	}
	preset.Host.CPUs, preset.Limits.LLCM, preset.UDP.Limits.LLCM = 1+int(seed/4%2), treeLLCM, treeLLCM
	cfg := sim.Config{Seed: seed, Preset: &preset, Limit: 100 * dimmnet.Second}
	if change != nil {
		change(&cfg)
	}
	return fagus.Config{Nodes: 3 + int(seed%7), Net: newSim(t, cfg), Mode: fagus.Threaded, Lists: fagus.ListsTree, Notices: cfg.UDP == nil && seed/8%2 == 0}
}

// TestTreesAreLawful runs random programs whose readers pass data on. The programs check what they
// read, and the histories must satisfy the axioms of entry consistency.
func TestTreesAreLawful(t *testing.T) {
	longtest.Third(t)
	small := func() dimmnet.Network { return inproc.New(inproc.Config{LLCM: treeLLCM}) }
	passed := make(map[string]uint64)
	for seed := uint64(1); seed <= cases(200, 4); seed++ {
		for name, cfg := range map[string]fagus.Config{
			"sim":        simulatedTrees(t, seed, nil),
			"udp":        simulatedTrees(t, seed, lossy),
			"helpers":    {Net: small(), Mode: fagus.Threaded, Lists: fagus.ListsTree, Helpers: true},
			"one helper": {Net: porttest.Wrap(small(), porttest.Refusing(1, 0)), Mode: fagus.Threaded, Lists: fagus.ListsTree},
		} {
			cfg.Nodes, cfg.History = 3+int(seed%7), history.New()
			report, err := runFor(t, cfg, newOracle(seed).program(seed))
			if err != nil {
				t.Fatalf("%s, seed %d, %d nodes: %v", name, seed, cfg.Nodes, err)
			}
			if v := cfg.History.Check(); v != nil {
				t.Errorf("%s, seed %d, %d nodes: %v", name, seed, cfg.Nodes, v)
			}
			for _, r := range report.Ranks {
				passed[name] += r.Passed
			}
		}
	}
	t.Logf("transfers that readers passed on: %v", passed)
	for name, n := range passed {
		if n == 0 {
			t.Errorf("%s: no reader passed data on", name)
		}
	}
}

// TestTreesAreDeterministic runs random programs three times. The same seed must give the same
// trace, and skipped polling passes must change nothing.
func TestTreesAreDeterministic(t *testing.T) {
	longtest.OneThread(t)
	for seed := uint64(1); seed <= cases(60, 6); seed++ {
		run := func(spin bool) (fagus.Report, sim.Result) {
			cfg := simulatedTrees(t, seed, func(c *sim.Config) {
				c.Spin, c.MaxDelay = spin, 5*dimmnet.Microsecond
				c.Preset.Host.Slice = dimmnet.Time(20+seed%7*10) * dimmnet.Microsecond
			})
			cfg.Nodes = 3 + int(seed%3)
			report, err := runFor(t, cfg, newOracle(seed).program(seed))
			if err != nil {
				t.Fatalf("seed %d, spin %v: %v", seed, spin, err)
			}
			result := cfg.Net.(*sim.Network).Result()
			return report, result
		}
		_, first := run(false)
		report, second := run(false)
		spun, third := run(true)
		if first.TraceHash != second.TraceHash || first.End != second.End {
			t.Errorf("seed %d: the first run gives %+v, the second %+v", seed, first, second)
		}
		second.Events, third.Events = 0, 0
		if !reflect.DeepEqual(report, spun) || !reflect.DeepEqual(second, third) {
			t.Errorf("seed %d: the result is %+v with skipped passes, %+v without", seed, second, third)
		}
	}
}

// TestReadersPassOn lets all ranks read what one has written, at once, round after round. The
// owner sends it to few of them, and nobody sends it to more than it may; all get all bytes.
func TestReadersPassOn(t *testing.T) {
	longtest.OneThread(t)
	const nodes, bytes, rounds = 16, 50_000, 5
	for _, lists := range []fagus.Lists{fagus.ListsAll, fagus.ListsAuto} {
		cfg := fagus.Config{Nodes: nodes, Net: newSim(t, sim.Config{Limit: 100 * dimmnet.Second}), Mode: fagus.Threaded, Lists: lists}
		report := succeed(t, cfg, func(n *fagus.Node) error {
			a, err := fagus.NewArray[byte](n, "a", bytes)
			if err != nil {
				return err
			}
			guard, err := n.Bind("a", a.Range(0, bytes))
			if err != nil {
				return err
			}
			for round := range rounds {
				content := slices.Repeat([]byte{byte(round + 1)}, bytes)
				if n.Rank() == round {
					if err := n.During(n.Set(fagus.Want(guard, fagus.Exclusive)), func() error { copy(a.Slice(), content); return nil }); err != nil {
						return err
					}
				}
				if err := n.Barrier(); err != nil {
					return err
				}
				if err := n.During(n.Set(fagus.Want(guard, fagus.Shared)), func() error {
					if !slices.Equal(a.Slice(), content) {
						return fmt.Errorf("rank %d reads %d and %d, want %d", n.Rank(), a.Slice()[0], a.Slice()[bytes-1], round+1)
					}
					return nil
				}); err != nil {
					return err
				}
				if err := n.Barrier(); err != nil {
					return err
				}
			}
			return nil
		})
		var transfers, passed, most uint64
		for _, r := range report.Ranks {
			transfers, passed = transfers+r.Transfers, passed+r.Passed
			if r.Rank >= rounds {
				most = max(most, r.Passed)
			}
		}
		// Every writer but the first may get the last version, too.
		const all = rounds*(nodes-1) + rounds - 1
		if want := uint64(rounds * (nodes - 1 - 2*2)); transfers < rounds*(nodes-1) || transfers > all ||
			(lists == fagus.ListsAll) != (passed == 0) || passed > 0 && passed < want || most > 2*rounds {
			t.Errorf("lists %v: %d transfers, of which readers passed on %d, one of them %d", lists, transfers, passed, most)
		}
	}
}
