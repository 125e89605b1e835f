package swarm_test

import (
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/apps/swarm"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

// TestCycles runs cases whose rounds recur, with lists over a tree: most of their phases repeat one
// of before.
func TestCycles(t *testing.T) {
	longtest.Third(t)
	seeds := longtest.Cases(uint64(400), 150)
	if testing.Short() {
		seeds = 80
	}
	var phases, repeated, deviations uint64
	struck := make(map[sim.FaultKind]int)
	for seed := range seeds {
		c := swarm.NewCycles(seed, nil)
		begun := time.Now()
		o, err := c.Run(t.Context())
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if d := time.Since(begun); d > time.Second {
			t.Logf("seed %d: %v, %d nodes, %d phases", seed, d, c.Nodes, o.Phases)
		}
		if o.Failure != nil {
			t.Errorf("%v\n%v", o.Failure, c)
		}
		phases, repeated, deviations = phases+o.Phases, repeated+o.Repeated, deviations+uint64(len(c.Deviations))
		for i, f := range c.Faults {
			if o.Result.Struck[i] {
				struck[f.Kind]++
			}
		}
	}
	t.Logf("%d cases, %d phases, %d repeated, %d deviations, struck: %v", seeds, phases, repeated, deviations, struck)
	if repeated < phases/4 || deviations == 0 {
		t.Errorf("%d of %d phases repeated, with %d deviations: want a quarter, and some deviations", repeated, phases, deviations)
	}
	for _, kind := range []sim.FaultKind{sim.Pause, sim.Crash, sim.Partition} {
		if struck[kind] == 0 {
			t.Errorf("no fault of kind %s happened in %d cases", kind, seeds)
		}
	}
}
