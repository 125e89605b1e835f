package parts_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

const each = 8 // numbers of a rank in each sum

// kinds make the numbers of a round: ordinary ones, any bits (with infinities and NaN now and
// then), zeros, and numbers that cancel except for a tiny or a huge rest.
//
// The first kind is for the first round: with the sign, the sum of a rank takes one word, and the
// sum of all ranks takes two.
var kinds = []func(*rand.Rand) float64{
	func(*rand.Rand) float64 { return 1<<41 + 1 },
	(*rand.Rand).NormFloat64,
	func(r *rand.Rand) float64 { return math.Float64frombits(r.Uint64()) },
	func(*rand.Rand) float64 { return 0 },
	func(r *rand.Rand) float64 { return -math.Ldexp(1, r.IntN(40)-20) },
	func(r *rand.Rand) float64 { return math.Ldexp(r.Float64(), -1074+r.IntN(60)) },
	func(r *rand.Rand) float64 { return math.Copysign(math.MaxFloat64, r.Float64()-0.5) },
}

// TestExactSums adds random numbers of changing sizes on all ranks, and compares the bits with
// sums by one process. One ExactSums does several rounds with different windows.
func TestExactSums(t *testing.T) {
	const length, rounds = 3, 12
	seed := rand.Uint64()
	checked(t, func(on fagus.Config) {
		run(t, on, func(n *fagus.Node) error {
			s, err := parts.NewExactSums(n, "s", length)
			if err != nil {
				return err
			}
			for round := range rounds {
				random := rand.New(rand.NewPCG(seed, uint64(round)))
				mine, want := make([]parts.Exact, length), make([]parts.Exact, length)
				for i := range length {
					kind := kinds[random.IntN(1+min(round, 1)*(len(kinds)-1))]
					for rank := range n.Nodes() {
						for range each {
							x := kind(random)
							want[i].Add(x)
							if rank == n.Rank() {
								mine[i].Add(x)
							}
						}
					}
				}
				if err := s.Add(mine); err != nil {
					return err
				}
				for i := range want {
					if got, want := math.Float64bits(mine[i].Float64()), math.Float64bits(want[i].Float64()); got != want {
						return fmt.Errorf("seed %d, round %d: sum %d on rank %d has the bits %x, want %x", seed, round, i, n.Rank(), got, want)
					}
				}
			}
			return nil
		})
	})
}
