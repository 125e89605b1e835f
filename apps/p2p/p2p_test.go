package p2p_test

import (
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/apps/apptest"
	"github.com/fagus-dsm/fagus/apps/p2p"
	"github.com/fagus-dsm/fagus/apps/prk"
	"github.com/fagus-dsm/fagus/apps/verify"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

func run(t *testing.T, on fagus.Config, cfg p2p.Config) prk.Result {
	t.Helper()
	return apptest.Run(t, on, fmt.Sprintf("%+v", cfg), func(n *fagus.Node) (prk.Result, error) { return p2p.Run(n, cfg) })[0]
}

func kernel(n *fagus.Node, size int, l prk.Loop) (prk.Result, error) {
	cfg := configs()[size]
	cfg.Loop = l
	return p2p.Run(n, cfg)
}

func plain(size int, l prk.Loop, timed verify.Timer) prk.Result {
	cfg := configs()[size]
	cfg.Loop = l
	return p2p.Plain(cfg, timed)
}

func configs() []p2p.Config {
	return []p2p.Config{{Columns: 2, Rows: 2, Batch: 1}, {Columns: 9, Rows: 14, Batch: 3}, {Columns: 30, Rows: 5, Batch: 1}, {Columns: 10, Rows: 8, Batch: 100}}
}

// TestEverywhere: the closed form comes out, with no error at all.
func TestEverywhere(t *testing.T) { apptest.Kernel(kernel).Everywhere(t, len(configs())) }

// TestRandomDelays: nor if ranks wait for each other in another order.
func TestRandomDelays(t *testing.T) { apptest.Kernel(kernel).Delayed(t, 1) }

// TestWherePhasesHurt holds virtual times against what the package comment says.
func TestWherePhasesHurt(t *testing.T) {
	took := func(nodes int, mode fagus.Engine) fagus.Time {
		cfg := p2p.Config{Columns: 480, Rows: 160, Batch: 8, Loop: prk.Loop{Iterations: 1}}
		return run(t, fagus.Config{Nodes: nodes, Mode: mode, Net: apptest.Simulated(t, sim.Config{})}, cfg).Time
	}
	if phase, threaded := took(2, fagus.Phase), took(2, fagus.Threaded); phase > threaded {
		t.Errorf("2 nodes: phase mode takes %v, threaded mode %v", phase, threaded)
	}
	if phase, threaded := took(24, fagus.Phase), took(24, fagus.Threaded); threaded > phase*3/4 {
		t.Errorf("24 nodes: phase mode takes %v, threaded mode %v", phase, threaded)
	}
}

// TestSpoiled: a wrong number is found, whoever has it.
func TestSpoiled(t *testing.T) { apptest.Kernel(kernel).Spoiled(t, len(configs())) }

// TestPlain: the program without Fagus has the same bits.
func TestPlain(t *testing.T) { apptest.Kernel(kernel).SamePlain(t, plain, len(configs())) }

// TestValidate: what cannot be is told.
func TestValidate(t *testing.T) {
	one := prk.Loop{Iterations: 1}
	for what, cfg := range map[string]p2p.Config{"one column": {Columns: 1, Rows: 5, Batch: 1, Loop: one}, "no batch": {Columns: 5, Rows: 5, Loop: one}, "no iterations": {Columns: 5, Rows: 5, Batch: 1}} {
		if cfg.Validate() == nil {
			t.Errorf("%s: no error", what)
		}
	}
}
