package p2p_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/apps/internal/prk"
	"github.com/fagus-dsm/fagus/apps/p2p"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

func TestKernel(t *testing.T) {
	apptest.Kernel[p2p.Config]{
		Run: p2p.Run, Plain: p2p.Plain, Delayed: 1, Configs: []p2p.Config{{Columns: 2, Rows: 2, Batch: 1}, {Columns: 9, Rows: 14, Batch: 3}, {Columns: 30, Rows: 5, Batch: 1}, {Columns: 31, Rows: 24, Batch: 9}, {Columns: 10, Rows: 8, Batch: 100}},
		Invalid: map[string]p2p.Config{"one column": {Columns: 1, Rows: 5, Batch: 1}, "no batch": {Columns: 5, Rows: 5}},
	}.Test(t)
}

// TestWherePhasesHurt checks that virtual times agree with the package comment.
func TestWherePhasesHurt(t *testing.T) {
	took := func(nodes int, mode fagus.Mode, lists fagus.Lists) fagus.Time {
		cfg := p2p.Config{Columns: 480, Rows: 160, Batch: 8, Loop: prk.Loop{Iterations: 1}}
		on := fagus.Config{Nodes: nodes, Mode: mode, Lists: lists, Net: apptest.Simulated(t, sim.Config{})}
		return apptest.First(t, p2p.Run, on, cfg).Time
	}
	if phase, threaded := took(2, fagus.Phase, fagus.ListsAuto), took(2, fagus.Threaded, fagus.ListsAuto); phase > threaded {
		t.Errorf("2 nodes: phase mode takes %v, threaded mode %v: want phase mode to be faster", phase, threaded)
	}
	threaded := took(24, fagus.Threaded, fagus.ListsAuto)
	if phase := took(24, fagus.Phase, fagus.ListsAll); threaded > phase*9/10 {
		t.Errorf("24 nodes, lists between all pairs: phase mode takes %v, threaded mode %v: want threaded mode to be faster", phase, threaded)
	}
	if phase := took(24, fagus.Phase, fagus.ListsTree); phase > threaded {
		t.Errorf("24 nodes, lists over a tree: phase mode takes %v, threaded mode %v: want phase mode to be faster", phase, threaded)
	}
}
