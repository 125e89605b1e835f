package parts_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// TestWhole fills and reads vectors, also with fewer elements than ranks, in both ways.
func TestWhole(t *testing.T) {
	checked(t, func(on fagus.Config) {
		run(t, on, func(n *fagus.Node) error {
			for i, length := range []int{1, 3, 40} {
				for _, inSteps := range []bool{false, true} {
					if err := fillAndRead(n, fmt.Sprint("w", i, inSteps), length, inSteps); err != nil {
						return err
					}
				}
			}
			return nil
		})
	})
}

// TestWholeOnMany does the same on so many nodes that there are groups of several lengths.
func TestWholeOnMany(t *testing.T) {
	longtest.OneThread(t)
	for _, nodes := range []int{16, 17, 19, 23, 30} {
		simulated, err := sim.New(sim.Config{Seed: uint64(nodes), Limit: 100 * dimmnet.Second})
		if err != nil {
			t.Fatal(err)
		}
		run(t, fagus.Config{Nodes: nodes, Net: simulated, Check: fagus.CheckOn}, func(n *fagus.Node) error {
			if err := fillAndRead(n, "few", 20, true); err != nil {
				return err
			}
			return fillAndRead(n, "many", 1000, true)
		})
	}
}

// fillAndRead fills a vector for several rounds by Fill and Next, and checks what this rank reads.
func fillAndRead(n *fagus.Node, name string, length int, inSteps bool) error {
	w, err := parts.NewWholeInSteps[int32](n, name, length, inSteps)
	if err != nil {
		return err
	}
	lo, _ := w.Items(n.Rank())
	value := func(round, i int) int32 { return int32(1000*round + i) }
	fill := func(round int) func(mine []int32) {
		return func(mine []int32) {
			for i := range mine {
				mine[i] = value(round, lo+i)
			}
		}
	}
	var wrong error
	check := func(round int, all []int32) {
		want := make([]int32, length)
		for i := range want {
			want[i] = value(round, i)
		}
		if !slices.Equal(all, want) && wrong == nil {
			wrong = fmt.Errorf("%s of %d, in steps %v: round %d: rank %d reads %d, want %d", name, length, inSteps, round, n.Rank(), all, want)
		}
	}
	for round := 0; round < 9 && wrong == nil; round++ {
		n.Spend(fagus.Time((n.Rank()+round)%3) * 50 * fagus.Microsecond)
		if round%4 < 2 || round == 0 {
			err = w.Fill(fill(round))
		} else {
			err = w.Next(func(all, mine []int32) {
				check(round-1, all)
				fill(round)(mine)
			})
		}
		if err != nil {
			return err
		}
		if err := w.Read(func(all []int32) { check(round, all) }); err != nil {
			return err
		}
	}
	return wrong
}
