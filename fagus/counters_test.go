package fagus_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/fagus-dsm/fagus/consistency/history"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/live/shm"
	"github.com/fagus-dsm/fagus/dimmnet/live/tcp"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// ends are the numbers across which runs are made.
//
// Tags of inline requests repeat after 4095 phases. Slots and PUSH words have 24 bits of a phase,
// and PUSH words are emptied every 2^23 phases. An age in versions has 16 bits, and a hint 48 bits
// for a version: the last end of versions is below that.
var (
	phaseEnds   = []uint64{4095, 1 << 23, 1 << 24, 1 << 32, 1 << 48}
	versionEnds = []uint64{1 << 16, 1 << 24, 1 << 32, 1<<48 - 1000}
)

// acrossEnds runs random programs with configurations of config. Each starts some phases before
// the end of phases, and some versions before the end of versions.
func acrossEnds(t *testing.T, config func(nodes int) fagus.Config) {
	t.Helper()
	step := uint64(1) // all pairs of an end of phases and an end of versions
	if testing.Short() {
		step = 7
	}
	for seed := uint64(0); seed < 20; seed += step {
		nodes, before := 2+int(seed%3), 1+seed%7
		cfg := config(nodes).StartAt(phaseEnds[seed%5]-before, versionEnds[seed%4]-seed%3)
		cfg.Nodes, cfg.History = max(cfg.Nodes, nodes), history.New()
		report := runRandomWith(t, cfg, seed)
		if bad := cfg.History.Check(); bad != nil {
			t.Fatalf("seed %d, %d nodes: %v", seed, cfg.Nodes, bad)
		}
		if n := report.Ranks[0].Phases; cfg.Mode == fagus.Phase && n <= before {
			t.Fatalf("seed %d: only %d phases, of which %d are before the end", seed, n, before)
		}
	}
}

// TestPhasesAcrossEnds runs random programs across the ends of phase numbers and versions.
func TestPhasesAcrossEnds(t *testing.T) {
	longtest.Third(t)
	nets := map[string]func(nodes int) fagus.Config{
		"sim": func(nodes int) fagus.Config {
			return fagus.Config{Net: newSim(t, sim.Config{Seed: uint64(nodes), MaxDelay: dimmnet.Millisecond})}
		},
		"small slots": func(nodes int) fagus.Config {
			return fagus.Config{Net: inproc.New(inproc.Config{LLCM: 400 * nodes})}
		},
		"inline requests": func(int) fagus.Config { return fagus.Config{Net: goroutines()} },
		"push":            func(int) fagus.Config { return fagus.Config{Net: bulkNet(0, 3000, 500), Transfer: fagus.Push} },
		"push tree":       func(int) fagus.Config { return fagus.Config{Net: bulkNet(smallLLCM, 3000, 500), Nodes: 16} },
	}
	if runtime.GOOS == "linux" {
		nets["shm"] = func(int) fagus.Config {
			return fagus.Config{Net: shm.New(shm.Config{Heap: 1 << 20}), Placement: fagus.PlacePrivate}
		}
		nets["tcp"] = func(int) fagus.Config { return fagus.Config{Net: tcp.New(tcp.Config{})} }
	}
	if _, _, ok := fabric(0); ok {
		nets["ofi"] = func(nodes int) fagus.Config {
			_, net, _ := fabric(uint64(nodes))
			return fagus.Config{Net: net}
		}
	}
	for name, config := range nets {
		t.Run(name, func(t *testing.T) { acrossEnds(t, config) })
	}
}

// treesUnless returns the Lists that choose trees, which direct excludes.
func treesUnless(direct bool) fagus.Lists {
	if direct {
		return fagus.ListsAuto
	}
	return fagus.ListsTree
}

// TestThreadedAcrossEnds runs random programs across the ends of versions in threaded mode.
func TestThreadedAcrossEnds(t *testing.T) {
	nets := map[string]func(nodes int) dimmnet.Network{
		"sim":         func(nodes int) dimmnet.Network { return newSim(t, sim.Config{Seed: uint64(nodes)}) },
		"inproc":      func(int) dimmnet.Network { return goroutines() },
		"small slots": func(nodes int) dimmnet.Network { return inproc.New(inproc.Config{LLCM: 8 + 400*nodes}) },
	}
	if runtime.GOOS == "linux" {
		nets["shm"] = func(int) dimmnet.Network { return shm.New(shm.Config{Heap: 1 << 20}) }
	}
	for name, net := range nets {
		for _, direct := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, direct %v", name, direct), func(t *testing.T) {
				acrossEnds(t, func(nodes int) fagus.Config {
					return fagus.Config{Net: net(nodes), Mode: fagus.Threaded, Placement: fagus.PlacePrivate, Helpers: nodes%3 == 0, Notices: nodes%4 == 0, Direct: direct, Lists: treesUnless(direct)}
				})
			})
		}
	}
}
