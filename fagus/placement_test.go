package fagus_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/consistency/history"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/shm"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// liveNetworks returns the networks whose ranks can share memory.
func liveNetworks() map[string]func() dimmnet.Network {
	nets := map[string]func() dimmnet.Network{"inproc": goroutines}
	if runtime.GOOS == "linux" {
		nets["shm"] = func() dimmnet.Network { return shm.New(shm.Config{Heap: 1 << 20}) }
	}
	return nets
}

// TestPlacements: programs see the same data with both placements, in both modes, on all
// networks. With one copy no data move.
func TestPlacements(t *testing.T) {
	methods := detections(t)
	for name, net := range liveNetworks() {
		for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
			for _, place := range []fagus.Placement{fagus.PlacePrivate, fagus.PlaceShared} {
				for seed := range cases(40, 8) {
					o := newOracle(seed)
					o.lawful = place == fagus.PlaceShared
					cfg := fagus.Config{Nodes: 1 + int(seed%5), Net: net(), Mode: mode, Placement: place,
						WriteDetection: methods[seed%uint64(len(methods))]}
					report, err := runFor(t, cfg, o.program(seed))
					if err != nil {
						t.Fatalf("%s, %v, %v, seed %d: %v", name, mode, place, seed, err)
					}
					for _, r := range report.Ranks {
						if place == fagus.PlaceShared && r.Transfers+r.Slots+r.Bulk > 0 {
							t.Errorf("%s, %v, seed %d: with one copy rank %d made %d transfers in %d slots", name, mode, seed, r.Rank, r.Transfers, r.Slots)
						}
					}
				}
			}
		}
	}
}

// TestAutoPlacement: PlaceAuto shares arrays between processes, and nowhere else; in threaded mode
// it does not with helper threads.
func TestAutoPlacement(t *testing.T) {
	moves := func(cfg fagus.Config) bool {
		cfg.Nodes = 2
		report, err := fagus.Run(t.Context(), cfg, func(n *fagus.Node) error {
			a, v, err := guarded[int64](n, 10)
			if err != nil {
				return err
			}
			for i := range 2 {
				set := n.Set(fagus.Want(v, fagus.Exclusive).Unordered())
				if n.Rank() != i {
					set = n.Set()
				}
				if err := tenure(n, set, func() {
					if n.Rank() == i {
						a.Slice()[3]++
					}
				}); err != nil {
					return err
				}
			}
			return n.Update()
		})
		if err != nil {
			t.Error(err)
			return false
		}
		return report.Ranks[0].Transfers+report.Ranks[1].Transfers > 0
	}
	if !moves(fagus.Config{}) || !moves(fagus.Config{Net: newSim(t, sim.Config{})}) {
		t.Error("goroutines, or nodes of a simulated network, share their arrays")
	}
	if runtime.GOOS != "linux" {
		return
	}
	net := shm.New(shm.Config{})
	if moves(fagus.Config{Net: net}) {
		t.Error("processes of one host do not share their arrays")
	}
	if moves(fagus.Config{Net: net, Mode: fagus.Threaded}) || moves(fagus.Config{Net: net, Mode: fagus.Threaded, History: history.New()}) {
		t.Error("processes of one host do not share their arrays in threaded mode")
	}
	helpers := []fagus.Config{{Helpers: true}, {Notices: true}, {Direct: true}, {Check: fagus.CheckOn}}
	for i := range helpers {
		helpers[i].Net, helpers[i].Mode = net, fagus.Threaded
	}
	for _, cfg := range append(helpers, fagus.Config{Net: net, History: history.New()}, fagus.Config{Net: net, Placement: fagus.PlacePrivate}) {
		if !moves(cfg) {
			t.Errorf("ranks share their arrays with %+v", cfg)
		}
	}
}

// TestPlacementErrors: impossible placements give errors.
func TestPlacementErrors(t *testing.T) {
	for want, cfg := range map[string]fagus.Config{
		"Config.Placement is 3: want auto, private or shared":                                     {Placement: 3},
		"ranks on this network cannot share memory: use private":                                  {Placement: fagus.PlaceShared, Net: newSim(t, sim.Config{})},
		"Config.Check and Config.History need one copy per rank: set Config.Placement to private": {Placement: fagus.PlaceShared, History: history.New()},
	} {
		if _, err := fagus.Run(t.Context(), cfg, func(*fagus.Node) error { return nil }); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Run: error %v, want one that contains %q", err, want)
		}
	}
}
