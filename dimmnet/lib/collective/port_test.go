package collective_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/lib/collective"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

// base is the offset of the tests' areas.
const base = 24

func newSim(t testing.TB, cfg sim.Config) *sim.Network {
	t.Helper()
	network, err := sim.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return network
}

// newInproc returns a network whose LLCMs just hold the area of 512 nodes.
func newInproc() *inproc.Network {
	return inproc.New(inproc.Config{LLCM: base + collective.Bytes(512)})
}

// run runs body with a group on each of nodes ranks.
func run(t testing.TB, network dimmnet.Network, nodes int, body func(dimmnet.Host, *collective.Group) error) {
	t.Helper()
	err := network.Run(t.Context(), nodes, func(h dimmnet.Host) error {
		g, err := collective.New(h.Port(), base, collective.Config{})
		if err != nil {
			return err
		}
		return body(h, g)
	})
	if err != nil {
		t.Fatalf("%d nodes: %v", nodes, err)
	}
}
