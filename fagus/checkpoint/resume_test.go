package checkpoint_test

import (
	"errors"
	"fmt"
	"hash/crc64"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/live/shm"
	"github.com/fagus-dsm/fagus/dimmnet/live/tcp"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

// relax is a program whose result depends neither on the number of ranks nor on the mode: in every
// step each cell becomes a function of itself and its neighbours. Some cells are in variables that
// other ranks own in the next step, some are never written, and the bindings depend on the number
// of ranks.
type relax struct {
	cells, steps int
	stop         int    // after this step the program fails; -1: never
	first        uint64 // the first cell
}

var errStopped = errors.New("the program was told to stop")

// run returns the sum of the result, and the step at which the run began.
func (c relax) run(n *fagus.Node) (sum uint64, begun int, err error) {
	a, err := fagus.NewArray[uint64](n, "cells", c.cells)
	if err != nil {
		return 0, 0, err
	}
	b, err := fagus.NewArray[uint64](n, "next", c.cells)
	if err != nil {
		return 0, 0, err
	}
	blocks := n.Nodes() + 1
	vars := make([][2]*fagus.SyncVar, blocks)
	bound := func(i int) (lo, hi int) { return i * c.cells / blocks, (i + 1) * c.cells / blocks }
	for i := range vars {
		lo, hi := bound(i)
		for j, array := range []*fagus.Array[uint64]{a, b} {
			if vars[i][j], err = n.Bind(fmt.Sprintf("%s.%d", array.Name(), i), array.Range(lo, hi)); err != nil {
				return 0, 0, err
			}
		}
	}
	if _, err := fagus.NewArray[byte](n, "unused", 100); err != nil {
		return 0, 0, err
	}
	arrays := [2][]uint64{a.Slice(), b.Slice()}
	step := 0
	resumed := n.Resume(&step)
	begun = step
	if !resumed {
		if n.Rank() == 0 {
			var all []fagus.Request
			for _, v := range vars {
				all = append(all, v[0].Write())
			}
			n.Set(all...).Do(func() {
				for i := range arrays[0] {
					arrays[0][i] = uint64(i*i) + c.first
				}
			})
		}
		n.Barrier()
	}
	for step < c.steps && n.Err() == nil {
		from, to := step%2, 1-step%2
		for i := range vars {
			if (i+step)%n.Nodes() != n.Rank() {
				continue
			}
			requests := []fagus.Request{vars[i][from].Read(), vars[i][to].Write()}
			if i > 0 {
				requests = append(requests, vars[i-1][from].Read())
			}
			if i < blocks-1 {
				requests = append(requests, vars[i+1][from].Read())
			}
			lo, hi := bound(i)
			n.Set(requests...).Do(func() {
				for x := lo; x < hi; x++ {
					v := arrays[from][x] * 6364136223846793005
					if x > 0 {
						v += arrays[from][x-1]
					}
					if x < c.cells-1 {
						v ^= arrays[from][x+1] >> 3
					}
					arrays[to][x] = v
				}
			})
		}
		n.Barrier()
		step++
		n.Checkpoint()
		if step-1 == c.stop {
			return 0, begun, errStopped
		}
	}
	var all []fagus.Request
	for _, v := range vars {
		all = append(all, v[c.steps%2].Read())
	}
	n.Set(all...).Do(func() {
		table := crc64.MakeTable(crc64.ECMA)
		for _, v := range arrays[c.steps%2] {
			sum = crc64.Update(sum, table, fmt.Append(nil, v, " "))
		}
	})
	return sum, begun, n.Err()
}

// start runs the program, and returns the result that its ranks agree on.
func (c relax) start(t *testing.T, cfg fagus.Config) (sum uint64, begun int, err error) {
	t.Helper()
	sums, begins := make([]uint64, cfg.Nodes), make([]int, cfg.Nodes)
	_, err = fagus.Run(t.Context(), cfg, func(n *fagus.Node) (err error) {
		sums[n.Rank()], begins[n.Rank()], err = c.run(n)
		return err
	})
	if err != nil {
		return 0, 0, err
	}
	for r := range sums {
		if sums[r] != sums[0] || begins[r] != begins[0] {
			t.Errorf("rank %d: sum %x, began at step %d; rank 0: %x, %d", r, sums[r], begins[r], sums[0], begins[0])
		}
	}
	return sums[0], begins[0], nil
}

func dimmnet1(t *testing.T) dimmnet.Network {
	t.Helper()
	net, err := sim.New(sim.Config{Env: "fagus2"})
	if err != nil {
		t.Fatal(err)
	}
	return net
}

// networks returns the networks of the tests. All ranks are in this process.
func networks() map[string]func(*testing.T) dimmnet.Network {
	return map[string]func(*testing.T) dimmnet.Network{
		"dimmnet1": dimmnet1,
		"inproc":   func(*testing.T) dimmnet.Network { return inproc.New(inproc.Config{}) },
		"shm":      func(*testing.T) dimmnet.Network { return shm.New(shm.Config{}) },
		"tcp":      func(*testing.T) dimmnet.Network { return tcp.New(tcp.Config{}) },
	}
}

// TestResume: a run that was stopped on N ranks goes on with M ranks, in the same mode and in the
// other one, on all networks. It ends with the same bits as a run that was not stopped.
func TestResume(t *testing.T) {
	whole := relax{cells: 1000, steps: 9, stop: -1}
	want, _, err := whole.start(t, fagus.Config{Nodes: 1})
	if err != nil {
		t.Fatal(err)
	}
	ranks := []int{1, 2, 3, 4, 8, 16}
	for name, net := range networks() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for at := 0; at < 4*len(ranks)*len(ranks); at += stride(11, 37) {
				modes, before, after := at%4, ranks[at/4%len(ranks)], ranks[at/4/len(ranks)]
				first, second := fagus.Mode(modes%2), fagus.Mode(modes/2)
				what := fmt.Sprintf("%d ranks in %v mode to %d in %v", before, first, after, second)
				disk := checkpoint.NewDisk()
				stopped := whole
				stopped.stop = 4
				_, _, _, err := stopped.attempt(t.Context(), t, fagus.Config{Nodes: before, Mode: first, Net: net(t)}, disk)
				if !errors.Is(err, errStopped) {
					t.Fatalf("%s: the first run: error %v, want %v", what, err, errStopped)
				}
				sum, begun, _, err := whole.attempt(t.Context(), t, fagus.Config{Nodes: after, Mode: second, Net: net(t)}, disk)
				if err != nil || begun < 4 || sum != want {
					t.Errorf("%s: the second run: sum %x, begun at step %d, error %v; want %x, step 4 or 5", what, sum, begun, err, want)
				}
			}
		})
	}
}
