package fagus_test

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/consistency/history"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/shm"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// liveNetworks are those whose ranks can share memory.
func liveNetworks() map[string]func() dimmnet.Network {
	nets := map[string]func() dimmnet.Network{"inproc": func() dimmnet.Network { return inproc.New(inproc.Config{}) }}
	if runtime.GOOS == "linux" {
		nets["shm"] = func() dimmnet.Network { return shm.New(shm.Config{Heap: 1 << 20}) }
	}
	return nets
}

// TestPlacements: programs see the same in both placements, engines and networks; with
// one copy nothing moves.
func TestPlacements(t *testing.T) {
	seeds := uint64(40)
	if testing.Short() {
		seeds = 8
	}
	ways := detections(t)
	for name, net := range liveNetworks() {
		for _, mode := range []fagus.Engine{fagus.Phase, fagus.Threaded} {
			for _, place := range []fagus.Placement{fagus.PlacePrivate, fagus.PlaceShared} {
				for seed := range seeds {
					o := newOracle(seed)
					o.lawful = place == fagus.PlaceShared
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					report, err := fagus.Run(ctx, fagus.Config{
						Nodes: 1 + int(seed%5), Net: net(), Mode: mode, Placement: place, WriteDetection: ways[seed%uint64(len(ways))]}, o.program(seed))
					cancel()
					if err != nil {
						t.Fatalf("%s, %v, %v, seed %d: %v", name, mode, place, seed, err)
					}
					for _, r := range report.Ranks {
						if place == fagus.PlaceShared && r.Transfers+r.Slots+r.Bulk > 0 {
							t.Errorf("%s, %v, seed %d: rank %d made %d transfers in %d slots", name, mode, seed, r.Rank, r.Transfers, r.Slots)
						}
					}
				}
			}
		}
	}
}

// TestAutoPlacement: shared between processes, and nowhere else.
func TestAutoPlacement(t *testing.T) {
	moves := func(cfg fagus.Config) bool {
		cfg.Nodes = 2
		report, err := fagus.Run(t.Context(), cfg, func(n *fagus.Node) error {
			a, err := fagus.NewArray[int64](n, "a", 10)
			if err != nil {
				return err
			}
			v, err := n.Bind("v", a.All())
			if err != nil {
				return err
			}
			for i := range 2 {
				set := n.Set(fagus.Want(v, fagus.Exclusive))
				if n.Rank() != i {
					set = n.Set()
				}
				if err := n.Acquire(set); err != nil {
					return err
				}
				if n.Rank() == i {
					a.Slice()[3]++
				}
				if err := n.Release(set); err != nil {
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
		t.Error("goroutines, or a simulated network, share their arrays")
	}
	if runtime.GOOS != "linux" {
		return
	}
	net := shm.New(shm.Config{})
	if moves(fagus.Config{Net: net}) {
		t.Error("processes of a host do not share their arrays")
	}
	for _, cfg := range []fagus.Config{{Net: net, Mode: fagus.Threaded}, {Net: net, History: history.New()}, {Net: net, Placement: fagus.PlacePrivate}} {
		if !moves(cfg) {
			t.Errorf("%+v: arrays are shared", cfg)
		}
	}
}

// TestPlacementErrors: what cannot be is told.
func TestPlacementErrors(t *testing.T) {
	for want, cfg := range map[string]fagus.Config{
		"placement 3: want auto, private or shared":              {Placement: 3},
		"cannot have the same memory: use private":               {Placement: fagus.PlaceShared, Net: newSim(t, sim.Config{})},
		"Config.Check and Config.History need placement private": {Placement: fagus.PlaceShared, History: history.New()},
	} {
		if _, err := fagus.Run(t.Context(), cfg, func(*fagus.Node) error { return nil }); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
