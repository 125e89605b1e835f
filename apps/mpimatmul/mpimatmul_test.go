package mpimatmul_test

import (
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/apps/mpimatmul"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/lib/mpi"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/dimmnet2"
)

// TestRun checks that the product has the bits of a product on one rank, on goroutines and on
// both simulated NICs, for several numbers of ranks.
func TestRun(t *testing.T) {
	for name, open := range map[string]func() (dimmnet.Network, error){
		"inproc":   func() (dimmnet.Network, error) { return inproc.New(inproc.Config{}), nil },
		"dimmnet1": func() (dimmnet.Network, error) { return sim.New(sim.Config{}) },
		"dimmnet2": func() (dimmnet.Network, error) { return dimmnet2.New(sim.Config{}, dimmnet2.Default()) },
	} {
		for _, nodes := range []int{1, 2, 3, 5} {
			network, err := open()
			if err != nil {
				t.Fatal(err)
			}
			if err := network.Run(t.Context(), nodes, func(h dimmnet.Host) error {
				return mpi.Run(h, mpi.Options{}, func(c *mpi.Comm) error {
					r, err := mpimatmul.Run(h, c, 33)
					if err == nil && (r.Wrong > 0 || r.Total < r.Compute) {
						err = fmt.Errorf("rank %d: %+v", c.Rank(), r)
					}
					return err
				})
			}); err != nil {
				t.Errorf("%s, %d nodes: %v", name, nodes, err)
			}
		}
	}
}
