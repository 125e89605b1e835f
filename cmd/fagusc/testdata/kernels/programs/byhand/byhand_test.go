package byhand

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/shm"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/region"
)

// configs returns configurations by name: in place, with ranks that share memory, with copies, and
// simulated.
func configs(t *testing.T) map[string]fagus.Config {
	simulated := func() dimmnet.Network {
		net, err := sim.New(sim.Config{})
		if err != nil {
			t.Fatal(err)
		}
		return net
	}
	return map[string]fagus.Config{
		"in place": {}, "copies": {Placement: fagus.PlacePrivate}, "shared": {Placement: fagus.PlaceShared}, "shm": {Net: shm.New(shm.Config{})}, "simulated": {Net: simulated()},
		"threaded": {Mode: fagus.Threaded, Placement: fagus.PlacePrivate}, "threaded, helpers": {Mode: fagus.Threaded, Helpers: true, Placement: fagus.PlacePrivate},
		"threaded, shm": {Mode: fagus.Threaded, Net: shm.New(shm.Config{})}, "threaded, simulated": {Mode: fagus.Threaded, Net: simulated()},
	}
}

// compare compares the results of a rank, and the output of rank 0, with those of the program
// alone.
func (p *program) compare(v version, node *fagus.Node, size, steps int) (both []float64, err error) {
	output, results, err := p.run(v, node, size, steps)
	if err != nil {
		return nil, err
	}
	want, wanted, _ := p.run(alone, nil, size, steps)
	same := func(got, want []float64, what string) error {
		for i, x := range got {
			far := math.Abs(x - want[i])
			if x != want[i] && (!p.sums || node.Nodes() == 1 || !(far <= 1e-12*(1+math.Abs(want[i])))) {
				return fmt.Errorf("%s %d is %v, want %v", what, i, x, want[i])
			}
		}
		return nil
	}
	if err := same(results, wanted, "result"); err != nil || node.Rank() > 0 {
		return results, err
	}
	return append(results, output...), same(output, want, "element")
}

// TestSame checks that both versions compute what the sequential program computes. Where this
// depends on the order of additions, both have the same bits.
func TestSame(t *testing.T) {
	const steps = 5
	sizes, most := []int{3, 16}, 5
	if testing.Short() {
		sizes = sizes[:1]
	}
	if !longtest.Enabled() {
		most = 3
	}
	for name, cfg := range configs(t) {
		for _, p := range programsOf() {
			for _, size := range sizes {
				for cfg.Nodes = 1; cfg.Nodes <= most; cfg.Nodes++ {
					if _, err := fagus.Run(t.Context(), cfg, func(node *fagus.Node) error {
						region.Together(node)
						got, err := p.compare(made, node, size, steps)
						if err != nil {
							return err
						}
						want, err := p.compare(hand, node, size, steps)
						if err != nil {
							return fmt.Errorf("by hand: %w", err)
						}
						if !slices.Equal(got, want) {
							return fmt.Errorf("results and output %v, by hand %v", got, want)
						}
						return nil
					}); err != nil {
						t.Errorf("%s of size %d on %d nodes, %s: %v", p.name, size, cfg.Nodes, name, err)
					}
				}
			}
		}
	}
}

// TestChecked checks that no rank accesses data that it does not hold, or that the plan does not
// declare.
func TestChecked(t *testing.T) {
	for _, p := range programsOf() {
		for _, v := range []version{made, hand} {
			if _, err := fagus.Run(t.Context(), fagus.Config{Nodes: 3, Check: fagus.CheckStrict}, func(node *fagus.Node) error {
				_, err := p.compare(v, node, 12, 3)
				return err
			}); err != nil {
				t.Errorf("%s, version %d: %v", p.name, v, err)
			}
		}
	}
}

// TestMemory checks that programs give back their arrays.
func TestMemory(t *testing.T) {
	for _, p := range programsOf() {
		if _, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2}, func(node *fagus.Node) error {
			region.Together(node)
			arrays := 0
			for round := range 8 {
				if _, err := p.compare(made, node, 10, 3); err != nil {
					return err
				}
				if round == 2 {
					arrays = node.Arrays()
				}
			}
			if n := node.Arrays(); n > arrays {
				return fmt.Errorf("%d arrays after 3 runs, %d after 8: want no more", arrays, n)
			}
			return nil
		}); err != nil {
			t.Errorf("%s: %v", p.name, err)
		}
	}
}
