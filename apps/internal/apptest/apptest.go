package apptest

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/live/mesh"
	"github.com/fagus-dsm/fagus/dimmnet/live/ofi"
	"github.com/fagus-dsm/fagus/dimmnet/live/quic"
	"github.com/fagus-dsm/fagus/dimmnet/live/shm"
	"github.com/fagus-dsm/fagus/dimmnet/live/tcp"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

const (
	limit = 100 * dimmnet.Second
	bound = time.Minute
)

// Run runs a program with the configuration on, and returns the results of all ranks. An error
// fails the test with a message that contains what, the description of the program.
func Run[R any](t testing.TB, on fagus.Config, what string, program func(*fagus.Node) (R, error)) []R {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), bound)
	defer cancel()
	results := make([]R, on.Nodes)
	_, err := fagus.Run(ctx, on, func(n *fagus.Node) (err error) {
		results[n.Rank()], err = program(n)
		return err
	})
	if err != nil {
		t.Fatalf("%d nodes, %v mode, notices %v, %s: %v", on.Nodes, on.Mode, on.Notices, what, err)
	}
	return results
}

// All runs a program with its configuration cfg, and returns the results of all ranks.
func All[C, R any](t testing.TB, program func(*fagus.Node, C) (R, error), on fagus.Config, cfg C) []R {
	t.Helper()
	return Run(t, on, fmt.Sprintf("%+v", cfg), func(n *fagus.Node) (R, error) { return program(n, cfg) })
}

// First runs a program with its configuration cfg, and returns the result of rank 0.
func First[C, R any](t testing.TB, program func(*fagus.Node, C) (R, error), on fagus.Config, cfg C) R {
	t.Helper()
	return All(t, program, on, cfg)[0]
}

// Same runs a program whose result must pass its own verification and equal want bit for bit.
func Same[C any](t testing.TB, program func(*fagus.Node, C) (verify.Result, error), on fagus.Config, cfg C, want verify.Result) {
	t.Helper()
	r := First(t, program, on, cfg)
	if r.Excess() > 1 || !slices.Equal(r.Checks, want.Checks) || !slices.Equal(r.Lines, want.Lines) || r.Operations != want.Operations {
		t.Errorf("%d nodes, %v mode, %+v: %v, %v, %g operations; want %v, %v, %g",
			on.Nodes, on.Mode, cfg, r.Lines, r.Checks, r.Operations, want.Lines, want.Checks, want.Operations)
	}
}

// Spoiled checks that the verification of a program finds a planted error, on 1 to 4 nodes and
// without Fagus. cfg must have Spoil set.
func Spoiled[C any](t testing.TB, program func(*fagus.Node, C) (verify.Result, error), plain func(C, verify.Timer) verify.Result, cfg C) {
	t.Helper()
	if r := plain(cfg, Timer); r.Excess() <= 1 {
		t.Errorf("%+v, without Fagus: a planted error passes: %v", cfg, r.Checks)
	}
	for nodes := 1; nodes <= 4; nodes++ {
		if r := First(t, program, fagus.Config{Nodes: nodes}, cfg); r.Excess() <= 1 {
			t.Errorf("%+v, %d nodes: a planted error passes: %v", cfg, nodes, r.Checks)
		}
	}
}

// Timer is a verify.Timer for programs without Fagus: it runs the section, and returns 1.
func Timer(section func()) fagus.Time {
	section()
	return 1
}

// Plain runs a program without Fagus. An error fails the test.
func Plain[C, R any](t testing.TB, program func(C, verify.Timer) (R, error), cfg C) R {
	t.Helper()
	r, err := program(cfg, Timer)
	if err != nil {
		t.Fatalf("%+v, without Fagus: %v", cfg, err)
	}
	return r
}

// Simulated returns a simulated network whose virtual time is bounded. An invalid cfg fails the
// test, and -short skips it: see Everywhere.
func Simulated(t testing.TB, cfg sim.Config) *sim.Network {
	t.Helper()
	if testing.Short() {
		t.Skip("-short leaves out simulated runs")
	}
	if cfg.Limit == 0 {
		cfg.Limit = limit
	}
	net, err := sim.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return net
}

// Modes returns a configuration for each mode, with and without notices, and direct; with -short
// the last two are one. Nodes and Net are unset.
func Modes() []fagus.Config {
	if testing.Short() {
		return []fagus.Config{{Mode: fagus.Phase}, {Mode: fagus.Threaded}, {Mode: fagus.Threaded, Notices: true, Direct: true}}
	}
	return []fagus.Config{{Mode: fagus.Phase}, {Mode: fagus.Threaded}, {Mode: fagus.Threaded, Notices: true}, {Mode: fagus.Threaded, Direct: true}}
}

// networks returns the networks for a number of ranks; over libfabric, in builds with -tags ofi,
// number chooses the provider.
func networks(t testing.TB, nodes, number int) []dimmnet.Network {
	nets := []dimmnet.Network{inproc.New(inproc.Config{})}
	if ofi.Supported() == nil {
		const most = 3 // the others are slow
		cfg := ofi.Config{Provider: ofi.Software()[number%most], Mesh: mesh.Config{Bulk: number % 2 << 20}}
		nets = append(nets, ofi.New(cfg))
	}
	if shm.Supported() == nil { // on Linux
		nets = append(nets, shm.New(shm.Config{}), tcp.New(tcp.Config{Bulk: 1 << 20}))
	}
	if testing.Short() {
		return nets
	}
	nets = append(nets, Simulated(t, sim.Config{}), Simulated(t, sim.Config{UDP: &sim.UDP{Loss: 0.05}}))
	if shm.Supported() == nil {
		nets = append(nets, tcp.New(tcp.Config{}))
	}
	if nodes == 3 { // once only, because the handshakes between all ranks take long
		nets = append(nets, quic.New(quic.Config{Bulk: 1 << 20}))
	}
	return nets
}

// Everywhere calls run in every mode, on 2 and 3 nodes (1 to 4 if thorough, 3 with -short), and on
// every kind of network. With -short it uses only networks whose ranks run at the same time: the
// race detector finds nothing on the others.
func Everywhere(t testing.TB, run func(on fagus.Config)) {
	counts := []int{2, 3}
	switch {
	case longtest.Thorough():
		counts = []int{1, 2, 3, 4}
	case testing.Short():
		counts = []int{3}
	}
	var all []fagus.Config
	for i, on := range Modes() {
		for _, on.Nodes = range counts {
			for _, on.Net = range networks(t, on.Nodes, i+on.Nodes) {
				all = append(all, on)
			}
		}
	}
	for _, on := range longtest.Share(all) {
		run(on)
	}
}

// Delayed calls run in every mode, on 2 to 4 simulated nodes with random delays of packets and
// computations. Each seed of the delays is a subtest. With -short there are none: see Everywhere.
func Delayed(t *testing.T, run func(t *testing.T, seed uint64, on fagus.Config)) {
	if testing.Short() {
		return
	}
	seeds := longtest.Cases(uint64(30), 10)
	for seed := uint64(1); seed <= seeds; seed++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			for _, on := range Modes() {
				on.Nodes, on.Net = 2+int(seed%3), Simulated(t, sim.Config{Seed: seed})
				run(t, seed, on)
			}
		})
	}
}

// Configs calls run with every configuration: first for Everywhere, with seed 0, and then for
// Delayed, with other seeds.
func Configs[C any](t *testing.T, configs []C, run func(t *testing.T, seed uint64, on fagus.Config, cfg C)) {
	each := func(t *testing.T, seed uint64, on fagus.Config) {
		for _, cfg := range configs {
			run(t, seed, on, cfg)
		}
	}
	t.Run("Everywhere", func(t *testing.T) { Everywhere(t, func(on fagus.Config) { each(t, 0, on) }) })
	t.Run("Delayed", func(t *testing.T) { Delayed(t, each) })
}

// Progress checks that a program reports the given number of units, on 2 nodes and without Fagus.
// configure returns the program's configuration with the given options.
func Progress[C, R any](t *testing.T, program func(*fagus.Node, C) (R, error), plain func(C, verify.Timer) R, units int, configure func(verify.Options) C) {
	var reported atomic.Int64 // any rank may report
	cfg := configure(verify.Options{Progress: func(n int) { reported.Add(int64(n)) }})
	First(t, program, fagus.Config{Nodes: 2}, cfg)
	if got := reported.Swap(0); got != int64(units) {
		t.Errorf("2 nodes report %d units, want %d", got, units)
	}
	plain(cfg, Timer)
	if got := reported.Load(); got != int64(units) {
		t.Errorf("without Fagus %d units are reported, want %d", got, units)
	}
}
