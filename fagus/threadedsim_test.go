package fagus_test

import (
	"context"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// runThreadedSim runs a random program in threaded mode in virtual time.
func runThreadedSim(t *testing.T, seed uint64, nodes, cpus int, notices bool) (fagus.Report, sim.Result) {
	t.Helper()
	preset, err := sim.LoadPreset("fagus2")
	if err != nil {
		t.Fatal(err)
	}
	preset.Host.CPUs = cpus
	net := newSim(t, sim.Config{Seed: seed, Preset: &preset, Limit: 100 * dimmnet.Second})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	report, err := fagus.Run(ctx, fagus.Config{Nodes: nodes, Net: net, Mode: fagus.Threaded, Notices: notices}, newOracle(seed).program(seed))
	if err != nil {
		t.Fatalf("seed %d, %d nodes, %d CPUs, notices %v: %v", seed, nodes, cpus, notices, err)
	}
	return report, net.Result()
}

// TestThreadedInVirtualTime runs random programs with random delays on nodes with
// one CPU and two, whose receive threads poll or wait for notices; the oracle knows
// what every rank must see.
func TestThreadedInVirtualTime(t *testing.T) {
	seeds := uint64(1000)
	if testing.Short() {
		seeds = 40
	}
	for seed := uint64(1); seed <= seeds; seed++ {
		runThreadedSim(t, seed, 2+int(seed%4), 1+int(seed/4%2), seed/8%2 == 0)
	}
}

// TestThreadedIsDeterministic runs some of them twice.
func TestThreadedIsDeterministic(t *testing.T) {
	for seed := uint64(1); seed <= 16; seed++ {
		_, one := runThreadedSim(t, seed, 2+int(seed%4), 1+int(seed/4%2), seed/8%2 == 0)
		_, two := runThreadedSim(t, seed, 2+int(seed%4), 1+int(seed/4%2), seed/8%2 == 0)
		if one.TraceHash != two.TraceHash || one.End != two.End {
			t.Errorf("seed %d: %+v, then %+v", seed, one, two)
		}
	}
}
