package fagus_test

import (
	"context"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/consistency/history"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// everyRuntime are the engines on the networks, for runs with a seed.
func everyRuntime(t *testing.T, seed uint64) map[string]fagus.Config {
	limit := 1000 * dimmnet.Second
	udp := &sim.UDP{Loss: 0.1, Duplicate: 0.05, Reorder: 0.1}
	return map[string]fagus.Config{
		"phase, sim":             {Net: newSim(t, sim.Config{Seed: seed, Limit: limit})},
		"phase, udp":             {Net: newSim(t, sim.Config{Seed: seed, Limit: limit, UDP: udp})},
		"phase, inproc":          {Net: inproc.New(inproc.Config{})},
		"threaded, sim":          {Net: newSim(t, sim.Config{Seed: seed, Limit: limit}), Mode: fagus.Threaded},
		"threaded, sim, notices": {Net: newSim(t, sim.Config{Seed: seed, Limit: limit}), Mode: fagus.Threaded, Notices: true},
		"threaded, udp":          {Net: newSim(t, sim.Config{Seed: seed, Limit: limit, UDP: udp}), Mode: fagus.Threaded},
		"threaded, inproc":       {Net: inproc.New(inproc.Config{}), Mode: fagus.Threaded},
	}
}

// TestHistoriesOfRandomPrograms: whatever engine and network, a run keeps the axioms.
func TestHistoriesOfRandomPrograms(t *testing.T) {
	seeds := uint64(30)
	if testing.Short() {
		seeds = 4
	}
	ways := detections(t)
	for seed := uint64(1); seed <= seeds; seed++ {
		for name, cfg := range everyRuntime(t, seed) {
			cfg.Nodes, cfg.History, cfg.WriteDetection = 2+int(seed%4), history.New(), ways[seed%uint64(len(ways))]
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			_, err := fagus.Run(ctx, cfg, newOracle(seed).program(seed))
			cancel()
			if err != nil {
				t.Fatalf("%s, seed %d: %v", name, seed, err)
			}
			if v := cfg.History.Check(); v != nil {
				t.Errorf("%s, seed %d: %v", name, seed, v)
			}
			if c := cfg.History.Counts(); c.Tenures == 0 || c.Events < 2*c.Tenures {
				t.Errorf("%s, seed %d: %+v", name, seed, c)
			}
		}
	}
}
