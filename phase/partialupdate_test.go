package phase

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
	"github.com/fagus-dsm/fagus/syncvar"
)

// TestPartialUpdate: all ranks know that an Update takes two phases, because there are too few
// words for all hops from rank 0. Some of the ranks have never wanted a variable.
func TestPartialUpdate(t *testing.T) {
	const nodes = 8
	preset, err := presets.Load(presets.Default)
	if err != nil {
		t.Fatal(err)
	}
	preset.Limits.LLCM = 2304 // 24 words
	net, err := sim.New(sim.Config{Preset: &preset, Limit: dimmnet.Second})
	if err != nil {
		t.Fatal(err)
	}
	var readers [][]dimmnet.Rank // by variable: 16 trees, in which rank 0 has 31 hops
	for set := range 16 {
		of := []dimmnet.Rank{1}
		for r := range 4 {
			if set>>r&1 == 1 {
				of = append(of, dimmnet.Rank(2+r))
			}
		}
		readers = append(readers, of)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err = net.Run(ctx, nodes, func(h dimmnet.Host) error {
		space, mem, rank := consistency.NewSpace(), make([]byte, 8*len(readers)), h.Port().Rank()
		base, err := space.AddRegion("a", "bytes", 8, mem)
		if err != nil {
			return err
		}
		for v := range consistency.Addr(len(readers)) {
			if _, err := space.Bind(fmt.Sprint(v), []consistency.Range{{Lo: base + 8*v, Hi: base + 8*v + 8}}); err != nil {
				return err
			}
		}
		e, err := New(h.Port(), space, Config{Transfer: Push, Lists: ListsTree})
		if err != nil {
			return err
		}
		call := func(l syncvar.List) func() error { return func() error { return e.Call(&l) } }
		steps := []func() error{}
		var all []syncvar.ID
		for v := range readers {
			l := syncvar.List{Call: syncvar.Acquire}
			for _, r := range readers[v] {
				if r == rank {
					l.Shared = []syncvar.ID{syncvar.ID(v)}
				}
			}
			steps = append(steps, call(l), call(syncvar.List{Call: syncvar.Barrier}))
			all = append(all, syncvar.ID(v))
		}
		write := syncvar.List{Call: syncvar.Acquire}
		if rank == 0 {
			write.Exclusive = all
		}
		steps = append(steps, call(write), func() error {
			for _, v := range write.Exclusive {
				space.BeginWrite(v, nil)
				mem[8*v] = 1 + byte(v)
				space.EndWrite(v, e.Version(v))
			}
			return nil
		}, call(syncvar.List{Call: syncvar.Update}))
		for i, step := range steps {
			if err := step(); err != nil {
				return fmt.Errorf("step %d: %w", i, err)
			}
		}
		for v := range readers {
			for _, r := range readers[v] {
				if r == rank && mem[8*v] != 1+byte(v) {
					return fmt.Errorf("rank %d has %d in variable %d", rank, mem[8*v], v)
				}
			}
		}
		// One step has no phase, and the last takes two.
		if want := uint64(len(steps)); e.Counts().Phases != want {
			return fmt.Errorf("rank %d has taken %d phases, want %d", rank, e.Counts().Phases, want)
		}
		return e.Call(&syncvar.List{Call: syncvar.End})
	})
	if err != nil {
		t.Fatal(err)
	}
}
