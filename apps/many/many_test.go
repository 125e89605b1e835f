package many_test

import (
	"math"
	"sync"
	"testing"

	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/apps/many"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// run returns the result of every rank, after checking that nothing is wrong.
func run(t *testing.T, on fagus.Config, cfg many.Config) []many.Result {
	t.Helper()
	results := apptest.All(t, many.Run, on, cfg)
	if results[0].Wrong != 0 {
		t.Fatalf("%d nodes, %v mode, %+v: %d elements are wrong", on.Nodes, on.Mode, cfg, results[0].Wrong)
	}
	return results
}

func configs() []many.Config {
	return []many.Config{
		{Variables: 1, Bytes: 8, Rounds: 1},
		{Variables: 3, Bytes: 24, Rounds: 7, Work: 5 * fagus.Microsecond, Skew: 0.5},
		{Variables: 2, Bytes: 5000, Rounds: 4},
		{Variables: 2, Bytes: 16, Rounds: 9, Work: 5 * fagus.Microsecond, Skew: 2, Independent: true},
	}
}

func TestConfigs(t *testing.T) {
	longtest.Third(t)
	apptest.Configs(t, configs(), func(t *testing.T, _ uint64, on fagus.Config, cfg many.Config) { run(t, on, cfg) })
}

// TestIndependentRanks runs two ranks that request nothing of each other. One of them computes
// twice as long, for half of the rounds. In threaded mode each proceeds on its own. In phase mode
// each waits for the other: 10 rounds take as long as on the slow rank, and then 10 rounds as long
// as on the fast one.
func TestIndependentRanks(t *testing.T) {
	const work = fagus.Millisecond
	cfg := many.Config{Variables: 1, Bytes: 8, Rounds: 20, Work: work, Skew: 1, Independent: true}
	for _, on := range apptest.Modes() {
		on.Nodes, on.Net = 2, apptest.Simulated(t, sim.Config{})
		var slowest fagus.Time
		for _, r := range run(t, on, cfg) {
			slowest = max(slowest, r.Time)
		}
		want := 20 * work
		if on.Mode == fagus.Phase {
			want = (10*2 + 10) * work
		}
		// Rounding down to whole steps makes the time a little shorter, and messages make it
		// longer.
		if slowest < want*99/100 || slowest > want*12/10 {
			t.Errorf("%v mode, notices %v: the slowest rank takes %v, want about %v", on.Mode, on.Notices, slowest, want)
		}
	}
}

func TestRoundsOf(t *testing.T) {
	cfg := many.Config{Rounds: 10, Skew: 1}
	for _, c := range []struct {
		independent       bool
		rank, nodes, want int
	}{{false, 1, 2, 10}, {true, 0, 1, 10}, {true, 0, 2, 10}, {true, 1, 2, 5}, {true, 1, 3, 7}, {true, 2, 3, 5}} {
		cfg.Independent = c.independent
		if got := cfg.RoundsOf(c.rank, c.nodes); got != c.want {
			t.Errorf("%+v: RoundsOf returns %d", c, got)
		}
	}
}

func TestProgress(t *testing.T) {
	cfg := many.Config{Variables: 1, Bytes: 8, Rounds: 10, Skew: 1, Independent: true}
	var mu sync.Mutex
	rounds := 0
	cfg.Progress = func(n int) {
		mu.Lock()
		defer mu.Unlock()
		rounds += n
	}
	run(t, fagus.Config{Nodes: 3}, cfg)
	if rounds != 10+7+5 {
		t.Errorf("Progress reports %d rounds, want 22", rounds)
	}
}

func TestConfigIsValidated(t *testing.T) {
	good := many.Config{Variables: 1, Bytes: 8, Rounds: 1}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for _, spoil := range []func(*many.Config){
		func(c *many.Config) { c.Variables = 0 },
		func(c *many.Config) { c.Bytes = 0 },
		func(c *many.Config) { c.Bytes = 12 },
		func(c *many.Config) { c.Variables, c.Bytes = 1<<20, 1<<20 },
		func(c *many.Config) { c.Rounds = 0 },
		func(c *many.Config) { c.Work = -1 },
		func(c *many.Config) { c.Skew = -1 },
		func(c *many.Config) { c.Skew = math.NaN() },
	} {
		c := good
		spoil(&c)
		if err := c.Validate(); err == nil {
			t.Errorf("%+v: Validate returns no error", c)
		}
	}
}
