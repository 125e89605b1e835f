package checkpoint_test

import (
	"context"
	"errors"
	"fmt"
	"hash/crc64"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

// relax is a program whose result depends on neither the number of ranks nor the mode: in every
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
	for ; step < c.steps && n.Err() == nil; step++ {
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
		n.Checkpoint(step + 1)
		if step == c.stop {
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

// start runs the program, and returns what its ranks agree on.
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

// TestResume: a run that was stopped on N ranks goes on, on M ranks, in either mode, on other
// networks, and ends with the same bits as one that was not stopped.
func TestResume(t *testing.T) {
	whole := relax{cells: 1000, steps: 9, stop: -1}
	want, _, err := whole.start(t, fagus.Config{Nodes: 1})
	if err != nil {
		t.Fatal(err)
	}
	modes := []fagus.Mode{fagus.Phase, fagus.Threaded}
	nets := map[string]func(*testing.T) dimmnet.Network{"inproc": func(*testing.T) dimmnet.Network { return nil }, "dimmnet1": dimmnet1}
	for name, net := range nets {
		for _, before := range []int{1, 2, 3, 8} {
			for _, after := range []int{1, 2, 4, 16} {
				for i, mode := range modes {
					t.Run(fmt.Sprintf("%s/%v/%d to %d", name, mode, before, after), func(t *testing.T) {
						t.Parallel()
						store := checkpoint.OverDisk(t.TempDir(), checkpoint.NewDisk())
						first := whole
						first.stop = 4
						keeper := checkpoint.New(checkpoint.Config{Store: store})
						if _, _, err := first.start(t, fagus.Config{Nodes: before, Mode: mode, Net: net(t), Checkpoints: keeper}); !errors.Is(err, errStopped) {
							t.Fatalf("the first run: error %v, want %v", err, errStopped)
						}
						if err := keeper.Close(); err != nil {
							t.Fatal(err)
						}
						keeper = checkpoint.New(checkpoint.Config{Store: store})
						defer keeper.Close()
						got, begun, err := whole.start(t, fagus.Config{Nodes: after, Mode: modes[1-i], Net: net(t), Checkpoints: keeper})
						if err != nil || begun < 4 || got != want {
							t.Errorf("the second run: sum %x, begun at step %d, error %v; want %x, step 4 or 5", got, begun, err, want)
						}
						numbers, err := checkpoint.Numbers(context.Background(), store)
						if err != nil || len(numbers) != 2 || numbers[1] < 9 {
							t.Errorf("checkpoints %v, error %v; want the last two", numbers, err)
						}
					})
				}
			}
		}
	}
}
