package workqueue_test

import (
	"fmt"
	"math"
	"sync/atomic"
	"testing"

	"github.com/fagus-dsm/fagus/apps/apptest"
	"github.com/fagus-dsm/fagus/apps/workqueue"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// run returns the slowest rank's time. That of the whole is bounded.
func run(t *testing.T, on fagus.Config, cfg workqueue.Config) (slowest fagus.Time) {
	t.Helper()
	results := apptest.Run(t, on, fmt.Sprintf("%+v", cfg), func(n *fagus.Node) (workqueue.Result, error) { return workqueue.Run(n, cfg) })
	tasks := 0
	for _, r := range results {
		tasks += r.Tasks
		slowest = max(slowest, r.Time)
	}
	if results[0].Wrong != 0 || tasks != cfg.Tasks {
		t.Fatalf("%d nodes, %v mode, %+v: %d tasks were done, %d results are wrong", on.Nodes, on.Mode, cfg, tasks, results[0].Wrong)
	}
	return slowest
}

func configs() (list []workqueue.Config) {
	for _, static := range []bool{false, true} {
		list = append(list,
			workqueue.Config{Tasks: 1, Static: static},
			workqueue.Config{Tasks: 17, Work: 5 * fagus.Microsecond, Skew: 1, Static: static},
			workqueue.Config{Tasks: 20, Batch: 3, Work: 5 * fagus.Microsecond, Skew: 0.3, Static: static},
			workqueue.Config{Tasks: 5, Batch: 1 << 20, Static: static})
	}
	return list
}

func TestEverywhere(t *testing.T) {
	apptest.Everywhere(t, func(on fagus.Config) {
		for _, cfg := range configs() {
			run(t, on, cfg)
		}
	})
}

func TestRandomDelays(t *testing.T) {
	apptest.Delayed(t, func(t *testing.T, seed uint64, on fagus.Config) {
		for _, cfg := range configs() {
			cfg.Seed = seed
			run(t, on, cfg)
		}
	})
}

// TestWhatAQueueIsGoodFor holds times against what the package comment says: 64
// tasks of 1 ms on 2 ranks. A notice takes 60 us, and some tasks are long.
func TestWhatAQueueIsGoodFor(t *testing.T) {
	const tasks, work = 64, fagus.Millisecond
	equal := workqueue.Config{Tasks: tasks, Work: work}
	static, skewed := equal, equal
	static.Static = true
	skewed.Skew, skewed.Seed = 0.7, 3
	for _, c := range []struct {
		mode fagus.Engine
		cfg  workqueue.Config
		want fagus.Time
	}{
		{fagus.Phase, static, tasks / 2 * work}, {fagus.Threaded, static, tasks / 2 * work},
		{fagus.Phase, equal, tasks * work}, {fagus.Threaded, equal, tasks / 2 * work},
		{fagus.Phase, skewed, tasks * work}, {fagus.Threaded, skewed, tasks / 2 * work},
	} {
		on := fagus.Config{Nodes: 2, Net: apptest.Simulated(t, sim.Config{}), Mode: c.mode, Notices: c.mode == fagus.Threaded}
		if got := run(t, on, c.cfg); got < c.want*95/100 || got > c.want*130/100 {
			t.Errorf("%v mode, %+v: %v, want about %v", c.mode, c.cfg, got, c.want)
		}
	}
}

func TestProgress(t *testing.T) {
	var tasks atomic.Int64
	run(t, fagus.Config{Nodes: 3}, workqueue.Config{Tasks: 10, Batch: 4, Progress: func(n int) { tasks.Add(int64(n)) }})
	if tasks.Load() != 10 {
		t.Errorf("%d tasks", tasks.Load())
	}
}

func TestConfigIsValidated(t *testing.T) {
	for _, cfg := range []workqueue.Config{
		{}, {Tasks: -1}, {Tasks: 1, Batch: -1}, {Tasks: 1, Work: -1}, {Tasks: 1, Skew: -1}, {Tasks: 1, Skew: math.NaN()}, {Tasks: 1 << 30},
	} {
		if err := cfg.Validate(); err == nil {
			t.Errorf("%+v is valid", cfg)
		}
	}
}
