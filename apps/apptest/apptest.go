package apptest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/apps/verify"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/quic"
	"github.com/fagus-dsm/fagus/dimmnet/shm"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/tcp"
	"github.com/fagus-dsm/fagus/fagus"
)

// limit bounds the virtual time of a run, and bound its real time.
const (
	limit = 100 * dimmnet.Second
	bound = time.Minute
)

// Run runs a program where on says, and returns the results of all ranks. An error
// fails the test; what says in words what was run.
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

// Timer is for programs without Fagus: it runs the timed section, which takes 1.
func Timer(section func()) fagus.Time {
	section()
	return 1
}

// Same is Run of a program that verifies itself. Its result has to be right, and that of want, bit for bit.
func Same(t testing.TB, on fagus.Config, what string, want verify.Result, program func(*fagus.Node) (verify.Result, error)) {
	t.Helper()
	r := Run(t, on, what, program)[0]
	if r.Excess() > 1 || !slices.Equal(r.Checks, want.Checks) || !slices.Equal(r.Lines, want.Lines) || r.Operations != want.Operations {
		t.Errorf("%d nodes, %v mode, %s: %v, %v, %g operations; want %v, %v, %g",
			on.Nodes, on.Mode, what, r.Lines, r.Checks, r.Operations, want.Lines, want.Checks, want.Operations)
	}
}

// Simulated is a network in virtual time, which is bounded. A mistake in cfg fails the
// test.
func Simulated(t testing.TB, cfg sim.Config) *sim.Network {
	t.Helper()
	if cfg.Limit == 0 {
		cfg.Limit = limit
	}
	net, err := sim.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return net
}

// Engines are the ways to run a program, without Nodes and Net.
func Engines() []fagus.Config {
	return []fagus.Config{{Mode: fagus.Phase}, {Mode: fagus.Threaded}, {Mode: fagus.Threaded, Notices: true}}
}

// Everywhere calls run with every engine on 1 to 4 nodes, or if tests are to be short on 1 and 3, of every kind of
// network.
func Everywhere(t testing.TB, run func(on fagus.Config)) {
	step := 1
	if testing.Short() {
		step = 2
	}
	for _, on := range Engines() {
		for on.Nodes = 1; on.Nodes <= 4; on.Nodes += step {
			nets := []dimmnet.Network{
				Simulated(t, sim.Config{}),
				Simulated(t, sim.Config{UDP: &sim.UDP{Loss: 0.05}}),
				inproc.New(inproc.Config{}),
			}
			if shm.Supported() == nil { // on Linux
				nets = append(nets, shm.New(shm.Config{}), tcp.New(tcp.Config{}), tcp.New(tcp.Config{Bulk: 1 << 20}))
			}
			if on.Nodes == 3 { // not always: every two ranks of every run shake hands
				nets = append(nets, quic.New(quic.Config{Bulk: 1 << 20}))
			}
			for _, net := range nets {
				on.Net = net
				run(on)
			}
		}
	}
}

// Delayed calls run with every engine on 2 to 4 simulated nodes whose packets and
// computing are delayed at random, a subtest a seed.
func Delayed(t *testing.T, run func(t *testing.T, seed uint64, on fagus.Config)) {
	seeds := uint64(30)
	if testing.Short() {
		seeds = 5
	}
	for seed := uint64(1); seed <= seeds; seed++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			for _, on := range Engines() {
				on.Nodes, on.Net = 2+int(seed%3), Simulated(t, sim.Config{Seed: seed})
				run(t, seed, on)
			}
		})
	}
}
