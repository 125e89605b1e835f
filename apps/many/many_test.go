package many_test

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/fagus-dsm/fagus/apps/apptest"
	"github.com/fagus-dsm/fagus/apps/many"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// run returns the result of every rank. The time of a run is bounded.
func run(t *testing.T, on fagus.Config, cfg many.Config) []many.Result {
	t.Helper()
	results := apptest.Run(t, on, fmt.Sprintf("%+v", cfg), func(n *fagus.Node) (many.Result, error) { return many.Run(n, cfg) })
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

func TestEverywhere(t *testing.T) {
	apptest.Everywhere(t, func(on fagus.Config) {
		for _, cfg := range configs() {
			run(t, on, cfg)
		}
	})
}

func TestRandomDelays(t *testing.T) {
	apptest.Delayed(t, func(t *testing.T, _ uint64, on fagus.Config) {
		for _, cfg := range configs() {
			run(t, on, cfg)
		}
	})
}

// TestIndependentRanks is about ranks that want nothing of each other, of which
// one computes twice as long for half of the rounds. Threads let each go its own way.
// In phases each waits for the other: 10 rounds as long as the slow one's take, and
// then 10 of the quick one.
func TestIndependentRanks(t *testing.T) {
	const work = fagus.Millisecond
	cfg := many.Config{Variables: 1, Bytes: 8, Rounds: 20, Work: work, Skew: 1, Independent: true}
	for _, on := range apptest.Engines() {
		on.Nodes, on.Net = 2, apptest.Simulated(t, sim.Config{})
		var slowest fagus.Time
		for _, r := range run(t, on, cfg) {
			slowest = max(slowest, r.Time)
		}
		want := 20 * work
		if on.Mode == fagus.Phase {
			want = (10*2 + 10) * work
		}
		// A little less, because there are whole steps; or more, for the messages.
		if slowest < want*99/100 || slowest > want*12/10 {
			t.Errorf("%v mode, notices %v: %v, want about %v", on.Mode, on.Notices, slowest, want)
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
			t.Errorf("%+v: %d rounds", c, got)
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
		t.Errorf("%d rounds", rounds)
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
			t.Errorf("%+v is valid", c)
		}
	}
}
