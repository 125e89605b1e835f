package parts_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// TestSumsByAnyWay adds vectors that are scattered and others that are not, with random numbers
// whose sums depend on the order. It must be the order of the ranks. Some vectors are shorter than
// the number of ranks.
func TestSumsByAnyWay(t *testing.T) {
	seed := rand.Uint64()
	test := func(on fagus.Config) {
		run(t, on, func(n *fagus.Node) error {
			for i, length := range []int{3, 21, 200} {
				for _, scatter := range []bool{false, true} {
					s, err := parts.NewSumsBy[float32](n, fmt.Sprint("s", i, scatter), length, scatter)
					if err != nil {
						return err
					}
					for round := range 4 {
						if err := addRandom(n, s, length, rand.New(rand.NewPCG(seed, uint64(10*i+round)))); err != nil {
							return fmt.Errorf("seed %d, scatter %v, round %d: %w", seed, scatter, round, err)
						}
					}
				}
			}
			return nil
		})
	}
	everywhere(t, test)
	for _, nodes := range []int{16, 19} {
		simulated, err := sim.New(sim.Config{Seed: uint64(nodes), Limit: 100 * dimmnet.Second})
		if err != nil {
			t.Fatal(err)
		}
		test(fagus.Config{Nodes: nodes, Net: simulated, Check: fagus.CheckOn})
	}
}

func addRandom(n *fagus.Node, s *parts.Sums[float32], length int, random *rand.Rand) error {
	x, want := make([]float32, length), make([]float32, length)
	for rank := range n.Nodes() {
		for i := range want {
			term := float32(random.NormFloat64())
			if want[i] += term; rank == n.Rank() {
				x[i] = term
			}
		}
	}
	if err := s.Add(x); err != nil {
		return err
	}
	if !slices.Equal(x, want) {
		return fmt.Errorf("rank %d has the sums %g, want %g", n.Rank(), x, want)
	}
	return nil
}
