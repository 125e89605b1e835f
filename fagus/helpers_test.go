package fagus_test

import (
	"context"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// cases returns how many random cases a test runs: all of them in long tests, otherwise a third,
// and only a few with -short.
func cases(all, short uint64) uint64 {
	if testing.Short() {
		return short
	}
	return longtest.Cases(all, max(short, all/8))
}

// newSim returns a simulated network.
func newSim(t testing.TB, cfg sim.Config) *sim.Network {
	t.Helper()
	net, err := sim.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return net
}

// engines returns a configuration for each engine, and its name.
func engines() map[string]fagus.Config {
	return map[string]fagus.Config{
		"phase mode":    {},
		"threaded mode": {Mode: fagus.Threaded},
		"direct mode":   {Mode: fagus.Threaded, Direct: true},
		"trees":         {Mode: fagus.Threaded, Lists: fagus.ListsTree},
	}
}

// locked returns the configurations in which sync variables are locks in memory that ranks share.
func locked() map[string]fagus.Config {
	all := make(map[string]fagus.Config)
	for name, net := range liveNetworks() {
		all[name+", locks"] = fagus.Config{Net: net(), Mode: fagus.Threaded, Placement: fagus.PlaceShared}
		all[name+", locks and copies"] = fagus.Config{Net: net(), Mode: fagus.Threaded, Placement: fagus.PlacePrivate}
	}
	return all
}

// helped returns configurations with helper threads on real processors: three, and a single one, on
// a port that hides that ranks share memory.
func helped() map[string]fagus.Config {
	return map[string]fagus.Config{
		"inproc, helpers":    {Net: goroutines(), Mode: fagus.Threaded, Helpers: true},
		"inproc, one helper": {Net: porttest.Wrap(goroutines(), porttest.Refusing(1, 0)), Mode: fagus.Threaded},
	}
}

// goroutines returns a network of goroutines of this process.
func goroutines() dimmnet.Network { return inproc.New(inproc.Config{}) }

// runFor runs a program for at most a minute.
func runFor(t testing.TB, cfg fagus.Config, program func(*fagus.Node) error) (fagus.Report, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	return fagus.Run(ctx, cfg, program)
}

// succeed runs a program and fails the test if the run fails.
func succeed(t testing.TB, cfg fagus.Config, program func(*fagus.Node) error) fagus.Report {
	t.Helper()
	report, err := runFor(t, cfg, program)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// guarded makes an array and a variable that guards all of it.
func guarded[T any](n *fagus.Node, length int) (*fagus.Array[T], *fagus.SyncVar, error) {
	a, err := fagus.NewArray[T](n, "a", length)
	if err != nil {
		return nil, nil, err
	}
	v, err := n.Bind("v", a.All())
	return a, v, err
}

// tenure acquires set, calls f, and releases set.
func tenure(n *fagus.Node, set *fagus.SyncSet, f func()) error {
	return n.During(set, func() error {
		f()
		return nil
	})
}

// touch acquires and releases set.
func touch(n *fagus.Node, set *fagus.SyncSet) error { return tenure(n, set, func() {}) }
