package parts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// TestAllToAll exchanges messages of many lengths, of elements smaller and larger than a word.
func TestAllToAll(t *testing.T) {
	checked(t, func(on fagus.Config) {
		run(t, on, func(n *fagus.Node) error {
			if err := exchange(n, "small", func(i int) [3]uint8 { return [3]uint8{uint8(i), uint8(i >> 8), 7} }); err != nil {
				return err
			}
			return exchange(n, "large", func(i int) line { return line{A: uint32(i), B: 5} })
		})
	})
}

// TestAllToAllInSteps exchanges messages on so many nodes that they go in two steps, or directly
// when they are long. Groups have equal or different lengths. No rank may access anything that it
// has not acquired.
func TestAllToAllInSteps(t *testing.T) {
	longtest.Third(t)
	longtest.OneThread(t)
	for _, nodes := range []int{16, 17, 19, 23, 30} {
		simulated, err := sim.New(sim.Config{Seed: uint64(nodes), Limit: 100 * dimmnet.Second})
		if err != nil {
			t.Fatal(err)
		}
		run(t, fagus.Config{Nodes: nodes, Net: simulated, Check: fagus.CheckOn}, func(n *fagus.Node) error {
			if err := exchange(n, "small", func(i int) [3]uint8 { return [3]uint8{uint8(i), uint8(i >> 8), 7} }); err != nil {
				return err
			}
			return exchange(n, "large", func(i int) [4]line { return [4]line{{A: uint32(i), B: 5}} })
		})
	}
}

// exchange sends messages for several rounds, and checks all that this rank receives.
func exchange[T comparable](n *fagus.Node, name string, element func(i int) T) error {
	const capacity, rounds = 40, 7
	a, err := parts.NewAllToAll[T](n, name, capacity)
	if err != nil {
		return err
	}
	message := func(round, from, to int) []T {
		all := make([]T, (13*round+7*from+5*to)%(capacity+1))
		if round > 4 && to%2 == 0 {
			all = nil // after longer ones
		}
		for i := range all {
			all[i] = element(1000*round + 100*from + 10*to + i)
		}
		return all
	}
	for round := range rounds {
		n.Spend(fagus.Time((n.Rank()+round)%3) * 100 * fagus.Microsecond)
		var wrong error
		if err := a.Exchange(
			func(to [][]T) {
				for r := range to {
					switch x := message(round, n.Rank(), r); {
					case r == n.Rank():
						to[r] = slices.Repeat(x, 3) // longer than the capacity
					case round%2 == 0:
						to[r] = append(to[r], x...)
					default:
						to[r] = x
					}
				}
			},
			func(from [][]T) {
				for r, x := range from {
					want := message(round, r, n.Rank())
					if r == n.Rank() {
						want = slices.Repeat(want, 3)
					}
					if !slices.Equal(x, want) {
						wrong = fmt.Errorf("%s, round %d: rank %d gets %v from rank %d, want %v", name, round, n.Rank(), x, r, want)
					}
				}
			}); err != nil {
			return err
		}
		if wrong != nil {
			return wrong
		}
	}
	return nil
}

// TestAllToAllMistakes: a message that is too long gives an error, however it was made.
func TestAllToAllMistakes(t *testing.T) {
	run(t, fagus.Config{Nodes: 2}, func(n *fagus.Node) error {
		if _, err := parts.NewAllToAll[int](n, "none", -1); err == nil || !strings.Contains(err.Error(), "want at least 1") {
			t.Errorf("messages of -1 elements: the error is %v", err)
		}
		a, err := parts.NewAllToAll[int](n, "a", 3)
		if err != nil {
			return err
		}
		other := 1 - n.Rank()
		for _, send := range []func(to [][]int){
			func(to [][]int) { to[other] = append(to[other], 1, 2, 3, 4) },
			func(to [][]int) { to[other] = make([]int, 4) },
		} {
			err := a.Exchange(send, func([][]int) { t.Error("receive is called") })
			want := fmt.Sprintf(`"a": 4 elements from rank %d to rank %d: want at most 3, the capacity given to NewAllToAll`, n.Rank(), other)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the error is %v, want %q in it", err, want)
			}
		}
		return nil
	})
}

// TestAllToAllFails: a message that is too long on one rank ends the run on all ranks.
func TestAllToAllFails(t *testing.T) {
	for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
		_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 3, Mode: mode}, func(n *fagus.Node) error {
			a, err := parts.NewAllToAll[int](n, "a", 3)
			if err != nil {
				return err
			}
			return a.Exchange(func(to [][]int) { to[0] = make([]int, 2+n.Rank()) }, func([][]int) {})
		})
		if want := "4 elements from rank 2 to rank 0: want at most 3"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v mode: the error is %v, want %q in it", mode, err, want)
		}
	}
}
