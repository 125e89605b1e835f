package region_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/region"
)

// TestReduction: a Reduction has the bits of a fagus.Reduce for each number, whatever its type.
func TestReduction(t *testing.T) {
	for _, cfg := range []fagus.Config{{}, {Placement: fagus.PlaceShared}, {Mode: fagus.Threaded}, {Mode: fagus.Threaded, Helpers: true}, {Nodes: 16}} {
		least, most := 1, 5
		if cfg.Nodes > 0 { // so many nodes that words are folded
			net, err := sim.New(sim.Config{})
			if err != nil {
				t.Fatal(err)
			}
			cfg.Net, least, most = net, cfg.Nodes, cfg.Nodes
		}
		for cfg.Nodes = least; cfg.Nodes <= most; cfg.Nodes++ {
			if _, err := fagus.Run(t.Context(), cfg, func(n *fagus.Node) error { return reduces(n, cfg.Net != nil) }); err != nil {
				t.Errorf("%d nodes, %v mode, %v: %v", cfg.Nodes, cfg.Mode, cfg.Placement, err)
			}
		}
	}
}

// reduces makes reductions of different lengths, in turn.
func reduces(n *fagus.Node, folds bool) error {
	if n.Folds() != folds {
		return fmt.Errorf("Folds is %t: the test means to try both", n.Folds())
	}
	const seed = 7
	r := rand.New(rand.NewPCG(seed, uint64(n.Rank())))
	last := func(_, b int8) int8 { return b }
	add := func(a, b float64) float64 { return a + b }
	for round := range 6 {
		x, number, small := [2][3]float64{}, r.Float64(), [5]int8{}
		for i := range 6 {
			x[i/3][i%3] = r.NormFloat64()
		}
		for i := range small {
			small[i] = int8(r.IntN(200))
		}
		wantX, wantNumber, wantSmall := x, 0.0, small
		var err error
		reduce := func(p *float64) {
			if err == nil {
				*p, err = fagus.Reduce(n, *p, add)
			}
		}
		for i := range 6 {
			reduce(&wantX[i/3][i%3])
		}
		wantNumber = number
		reduce(&wantNumber)
		for i := range small {
			if err == nil {
				wantSmall[i], err = fagus.Reduce(n, small[i], last)
			}
		}
		if err != nil {
			return err
		}
		all := region.NewReduction(n)
		region.Join(all, &x, add)
		if round%2 > 0 {
			region.Join(all, &number, add)
			region.Join(all, &small, last)
		} else {
			number, small = wantNumber, wantSmall
		}
		if err := all.Do(); err != nil {
			return err
		}
		if x != wantX || number != wantNumber || small != wantSmall {
			return fmt.Errorf("seed %d, rank %d, round %d: %v, %v, %v, want %v, %v, %v", seed, n.Rank(), round, x, number, small, wantX, wantNumber, wantSmall)
		}
	}
	return region.NewReduction(n).Do()
}
