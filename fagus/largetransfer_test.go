package fagus_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/shm"
	"github.com/fagus-dsm/fagus/dimmnet/live/tcp"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestLargeTransfers checks transfers that consist of many parts: direct copies between
// memories, cooperative copies by two ranks, and data that are forwarded while they arrive. A
// rank that acquires an array writes to it immediately, so that a part that arrives too late
// changes the result.
func TestLargeTransfers(t *testing.T) {
	nets := map[string]dimmnet.Network{"inproc": goroutines()}
	if runtime.GOOS == "linux" {
		nets["shm"], nets["tcp"] = shm.New(shm.Config{Heap: 64 << 20}), tcp.New(tcp.Config{})
	}
	for seed := range uint64(6) {
		if name, net, ok := fabric(seed); ok {
			nets[fmt.Sprint(name, seed)] = net
		}
	}
	rounds := int(cases(30, 6))
	seed := uint64(time.Now().UnixNano())
	for name, net := range nets {
		for _, nodes := range []int{2, 4} {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			_, err := fagus.Run(ctx, fagus.Config{Nodes: nodes, Net: net, Placement: fagus.PlacePrivate}, func(n *fagus.Node) error {
				return largeTransfers(n, seed, rounds)
			})
			cancel()
			if err != nil {
				t.Errorf("%s, %d nodes, seed %d: %v", name, nodes, seed, err)
			}
		}
	}
}

// modeled is an array, the variable that guards it, and its expected contents.
type modeled struct {
	array *fagus.Array[uint64]
	guard *fagus.SyncVar
	model []uint64
}

func newModeled(n *fagus.Node, size int) (r modeled, err error) {
	name := fmt.Sprintf("%d words", size)
	if r.array, err = fagus.NewArray[uint64](n, name, size); err != nil {
		return r, err
	}
	r.guard, err = n.Bind(name, r.array.All())
	r.model = make([]uint64, size)
	return r, err
}

// check compares the rank's copy with the model.
func (r modeled) check(n *fagus.Node, round int) error {
	for i, x := range r.array.Slice() {
		if x != r.model[i] {
			return fmt.Errorf("round %d: rank %d has %#x as word %d of %d, want %#x", round, n.Rank(), x, i, len(r.model), r.model[i])
		}
	}
	return nil
}

// largeTransfers lets random ranks change arrays in each round, which all ranks then read.
func largeTransfers(n *fagus.Node, seed uint64, rounds int) error {
	var arrays []modeled
	for _, size := range []int{700_001, 1 << 17, 40_000, 3} {
		r, err := newModeled(n, size)
		if err != nil {
			return err
		}
		arrays = append(arrays, r)
	}
	random := rand.New(rand.NewPCG(seed, 0)) // yields the same numbers on all ranks
	for round := range rounds {
		if err := changeSome(n, arrays, random, round); err != nil {
			return err
		}
		if err := readAll(n, arrays, round); err != nil {
			return err
		}
	}
	return nil
}

// changeSome changes a part of each array on a random rank, and updates the models.
func changeSome(n *fagus.Node, arrays []modeled, random *rand.Rand, round int) error {
	changes := make([]func([]uint64), len(arrays))
	var wants []fagus.Request
	mine := make([]bool, len(arrays))
	for i, r := range arrays {
		size := len(r.model)
		lo := random.IntN(size)
		hi, step := lo+1+random.IntN(size-lo), 1+random.IntN(3)*511
		if round%3 == 0 {
			lo, hi, step = 0, size, 1
		}
		changes[i] = func(words []uint64) {
			for at := lo; at < hi; at += step {
				words[at] += uint64(round+at) | 1
			}
		}
		if mine[i] = random.IntN(n.Nodes()) == n.Rank(); mine[i] {
			wants = append(wants, fagus.Want(r.guard, fagus.Exclusive))
		}
	}
	return n.During(n.Set(wants...), func() error {
		for i, r := range arrays {
			if mine[i] {
				if err := r.check(n, round); err != nil {
					return err
				}
				changes[i](r.array.Slice())
			}
			changes[i](r.model)
		}
		return nil
	})
}

// readAll lets all ranks read all arrays, in even rounds by Acquire and in odd ones by Update.
func readAll(n *fagus.Node, arrays []modeled, round int) error {
	check := func() error {
		for _, r := range arrays {
			if err := r.check(n, round); err != nil {
				return err
			}
		}
		return nil
	}
	if round%2 == 1 { // after round 0 all ranks have copies, which Update refreshes
		if err := n.Update(); err != nil {
			return err
		}
		return check()
	}
	var wants []fagus.Request
	for _, r := range arrays {
		wants = append(wants, fagus.Want(r.guard, fagus.Shared))
	}
	return n.During(n.Set(wants...), check)
}
