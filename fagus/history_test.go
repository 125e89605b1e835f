package fagus_test

import (
	"maps"
	"testing"

	"github.com/fagus-dsm/fagus/consistency/history"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// everyRuntime returns configurations of both modes on several networks, for runs with the
// given seed. With -short, it returns none that are simulated (longtest.OneThread).
func everyRuntime(t *testing.T, seed uint64) map[string]fagus.Config {
	limit := 1000 * dimmnet.Second
	udp := &sim.UDP{Loss: 0.1, Duplicate: 0.05, Reorder: 0.1}
	all := map[string]fagus.Config{
		"phase, sim":             {Net: newSim(t, sim.Config{Seed: seed, Limit: limit})},
		"phase, udp":             {Net: newSim(t, sim.Config{Seed: seed, Limit: limit, UDP: udp})},
		"phase, inproc":          {Net: goroutines()},
		"threaded, sim":          {Net: newSim(t, sim.Config{Seed: seed, Limit: limit}), Mode: fagus.Threaded},
		"threaded, sim, notices": {Net: newSim(t, sim.Config{Seed: seed, Limit: limit}), Mode: fagus.Threaded, Notices: true},
		"threaded, sim, direct":  {Net: newSim(t, sim.Config{Seed: seed, Limit: limit}), Mode: fagus.Threaded, Notices: seed%2 == 0, Direct: true},
		"threaded, udp":          {Net: newSim(t, sim.Config{Seed: seed, Limit: limit, UDP: udp}), Mode: fagus.Threaded},
		"threaded, inproc":       {Net: goroutines(), Mode: fagus.Threaded, Helpers: true},
		"one helper, inproc":     helped()["inproc, one helper"],
		"direct, inproc":         {Net: goroutines(), Mode: fagus.Threaded, Direct: true},
	}
	if name, net, ok := fabric(seed); ok {
		all["phase, "+name] = fagus.Config{Net: net}
		all["threaded, "+name] = fagus.Config{Net: net, Mode: fagus.Threaded, Notices: seed%2 == 0, Direct: seed%4 < 2}
	}
	return concurrent(all)
}

// concurrent removes, with -short, the configurations in which no two ranks run at the same time.
func concurrent(all map[string]fagus.Config) map[string]fagus.Config {
	if testing.Short() {
		maps.DeleteFunc(all, func(_ string, cfg fagus.Config) bool { return cfg.Net.Clock() == dimmnet.Virtual })
	}
	return all
}

// TestHistoriesOfRandomPrograms: runs in both modes on all networks satisfy the axioms of entry
// consistency.
func TestHistoriesOfRandomPrograms(t *testing.T) {
	methods := detections(t)
	for seed := uint64(1); seed <= cases(30, 4); seed++ {
		all := everyRuntime(t, seed)
		maps.Copy(all, locked())
		for name, cfg := range all {
			o := newOracle(seed)
			o.lawful = cfg.Placement == fagus.PlaceShared
			cfg.Nodes, cfg.History, cfg.WriteDetection = 2+int(seed%4), history.New(), methods[seed%uint64(len(methods))]
			if _, err := runFor(t, cfg, o.program(seed)); err != nil {
				t.Fatalf("%s, seed %d: %v", name, seed, err)
			}
			if v := cfg.History.Check(); v != nil {
				t.Errorf("%s, seed %d: %v", name, seed, v)
			}
			if c := cfg.History.Counts(); c.Tenures == 0 || c.Events < 2*c.Tenures {
				t.Errorf("%s, seed %d: the history is incomplete: %+v", name, seed, c)
			}
		}
	}
}
