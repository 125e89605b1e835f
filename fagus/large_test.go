package fagus_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/shm"
	"github.com/fagus-dsm/fagus/dimmnet/tcp"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestLargeMoves: what is moved in many parts, from memory to memory, by two ranks at once or
// passed on while it comes, is what was written. Who takes a region over writes to it at once, so that
// a part that comes too late is seen.
func TestLargeMoves(t *testing.T) {
	nets := map[string]dimmnet.Network{"inproc": inproc.New(inproc.Config{})}
	if runtime.GOOS == "linux" {
		nets["shm"], nets["tcp"] = shm.New(shm.Config{Heap: 64 << 20}), tcp.New(tcp.Config{})
	}
	rounds := 30
	if testing.Short() {
		rounds = 6
	}
	seed := uint64(time.Now().UnixNano())
	for name, net := range nets {
		for _, nodes := range []int{2, 4} {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			_, err := fagus.Run(ctx, fagus.Config{Nodes: nodes, Net: net, Placement: fagus.PlacePrivate}, func(n *fagus.Node) error {
				return largeMoves(n, seed, rounds)
			})
			cancel()
			if err != nil {
				t.Errorf("%s, %d nodes, seed %d: %v", name, nodes, seed, err)
			}
		}
	}
}

// region is an array with the variable that guards it, and what is in it.
type region struct {
	array *fagus.Array[uint64]
	guard *fagus.SyncVar
	model []uint64
}

func newRegion(n *fagus.Node, size int) (r region, err error) {
	name := fmt.Sprintf("%d words", size)
	if r.array, err = fagus.NewArray[uint64](n, name, size); err != nil {
		return r, err
	}
	r.guard, err = n.Bind(name, r.array.All())
	r.model = make([]uint64, size)
	return r, err
}

// check compares the rank's copy.
func (r region) check(n *fagus.Node, round int) error {
	for i, x := range r.array.Slice() {
		if x != r.model[i] {
			return fmt.Errorf("round %d: rank %d has %#x as word %d of %d, want %#x", round, n.Rank(), x, i, len(r.model), r.model[i])
		}
	}
	return nil
}

// largeMoves lets ranks take regions over, in turn, and all read them.
func largeMoves(n *fagus.Node, seed uint64, rounds int) error {
	var regions []region
	for _, size := range []int{700_001, 1 << 17, 40_000, 3} {
		r, err := newRegion(n, size)
		if err != nil {
			return err
		}
		regions = append(regions, r)
	}
	random := rand.New(rand.NewPCG(seed, 0)) // the same at all ranks
	for round := range rounds {
		if err := takeOver(n, regions, random, round); err != nil {
			return err
		}
		if err := readAll(n, regions, round); err != nil {
			return err
		}
	}
	return nil
}

// takeOver lets a rank change a part of each region.
func takeOver(n *fagus.Node, regions []region, random *rand.Rand, round int) error {
	changes := make([]func([]uint64), len(regions))
	var wants []fagus.Request
	mine := make([]bool, len(regions))
	for i, r := range regions {
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
	set := n.Set(wants...)
	if err := n.Acquire(set); err != nil {
		return err
	}
	for i, r := range regions {
		if mine[i] {
			if err := r.check(n, round); err != nil {
				return err
			}
			changes[i](r.array.Slice())
		}
		changes[i](r.model)
	}
	return n.Release(set)
}

// readAll lets all ranks read all regions.
func readAll(n *fagus.Node, regions []region, round int) error {
	set := n.Set()
	if round%2 == 1 { // all have copies by now
		if err := n.Update(); err != nil {
			return err
		}
	} else {
		var wants []fagus.Request
		for _, r := range regions {
			wants = append(wants, fagus.Want(r.guard, fagus.Shared))
		}
		set = n.Set(wants...)
		if err := n.Acquire(set); err != nil {
			return err
		}
	}
	for _, r := range regions {
		if err := r.check(n, round); err != nil {
			return err
		}
	}
	if round%2 == 1 {
		return nil
	}
	return n.Release(set)
}
