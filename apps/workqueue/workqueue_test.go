package workqueue_test

import (
	"math"
	"sync/atomic"
	"testing"

	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/apps/workqueue"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// run returns the time of the slowest rank, after checking the results.
func run(t *testing.T, on fagus.Config, cfg workqueue.Config) (slowest fagus.Time) {
	t.Helper()
	results := apptest.All(t, workqueue.Run, on, cfg)
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

func TestConfigs(t *testing.T) {
	longtest.Third(t)
	apptest.Configs(t, configs(), func(t *testing.T, seed uint64, on fagus.Config, cfg workqueue.Config) {
		cfg.Seed = seed
		run(t, on, cfg)
	})
}

// TestWhatAQueueIsGoodFor checks that times agree with the package comment: 64 tasks of 1 ms on 2
// ranks. A notice takes 60 us, and some tasks are long.
func TestWhatAQueueIsGoodFor(t *testing.T) {
	const tasks, work = 64, fagus.Millisecond
	equal := workqueue.Config{Tasks: tasks, Work: work}
	static, skewed := equal, equal
	static.Static = true
	skewed.Skew, skewed.Seed = 0.7, 3
	for _, c := range []struct {
		mode fagus.Mode
		cfg  workqueue.Config
		want fagus.Time
	}{
		{fagus.Phase, static, tasks / 2 * work}, {fagus.Threaded, static, tasks / 2 * work},
		{fagus.Phase, equal, tasks / 2 * work}, {fagus.Threaded, equal, tasks / 2 * work},
		{fagus.Phase, skewed, tasks / 2 * work}, {fagus.Threaded, skewed, tasks / 2 * work},
	} {
		on := fagus.Config{Nodes: 2, Net: apptest.Simulated(t, sim.Config{}), Mode: c.mode, Notices: c.mode == fagus.Threaded}
		if got := run(t, on, c.cfg); got < c.want*95/100 || got > c.want*135/100 {
			t.Errorf("%v mode, %+v: the slowest rank takes %v, want about %v", c.mode, c.cfg, got, c.want)
		}
	}
}

func TestProgress(t *testing.T) {
	var tasks atomic.Int64
	run(t, fagus.Config{Nodes: 3}, workqueue.Config{Tasks: 10, Batch: 4, Progress: func(n int) { tasks.Add(int64(n)) }})
	if tasks.Load() != 10 {
		t.Errorf("Progress reports %d tasks, want 10", tasks.Load())
	}
}

func TestConfigIsValidated(t *testing.T) {
	for _, cfg := range []workqueue.Config{
		{}, {Tasks: -1}, {Tasks: 1, Batch: -1}, {Tasks: 1, Work: -1}, {Tasks: 1, Skew: -1}, {Tasks: 1, Skew: math.NaN()}, {Tasks: 1 << 30},
	} {
		if err := cfg.Validate(); err == nil {
			t.Errorf("%+v: Validate returns no error", cfg)
		}
	}
}
