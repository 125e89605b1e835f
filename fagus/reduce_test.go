package fagus_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/fagus-dsm/fagus/consistency/history"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/live/shm"
	"github.com/fagus-dsm/fagus/dimmnet/live/tcp"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/internal/guard"
)

// reduceTo calls Reduce with the number that term returns for this rank, and compares the bits of
// the result with a sequential fold. It calls Gather with the same numbers.
func reduceTo[T fagus.Word](n *fagus.Node, term func(rank int) T, combine func(a, b T) T) error {
	want := term(0)
	for rank := 1; rank < n.Nodes(); rank++ {
		want = combine(want, term(rank))
	}
	got, err := fagus.Reduce(n, term(n.Rank()), combine)
	if err == nil && bits(got) != bits(want) {
		err = fmt.Errorf("Reduce of %T: %v (%#x), want %v (%#x)", got, got, bits(got), want, bits(want))
	}
	if err != nil {
		return err
	}
	all, err := fagus.Gather(n, term(n.Rank()))
	if err == nil && len(all) != n.Nodes() {
		err = fmt.Errorf("Gather returns %d numbers of %d ranks", len(all), n.Nodes())
	}
	for rank, got := range all {
		if want := term(rank); bits(got) != bits(want) {
			err = fmt.Errorf("Gather of %T: rank %d gives %v (%#x), want %v (%#x)", got, rank, got, bits(got), want, bits(want))
		}
	}
	return err
}

// bits returns a value that can be compared with ==: it distinguishes 0 from -0, and a NaN equals
// itself.
func bits(x any) any {
	switch x := x.(type) {
	case float32:
		return math.Float32bits(x)
	case float64:
		return math.Float64bits(x)
	}
	return x
}

// degrees is a Word of a named type.
type degrees int8

// reduceAll calls Reduce with numbers of every size. A wrong order of ranks, a lost sign or a lost
// bit changes the result.
func reduceAll(n *fagus.Node) error {
	parts := []float64{1e16, 3.14159, -1e16, math.Copysign(0, -1), 1e-300, 0.1}
	quiet := func(rank int) float64 { return math.Float64frombits(0x7ff8_0000_dead_0000 + uint64(rank)) }
	second := func(a, b float64) float64 { return b }
	calls := []func() error{
		func() error {
			return reduceTo(n, func(rank int) int { return -1 << (5 * rank % 60) }, func(a, b int) int { return a - b })
		},
		func() error {
			return reduceTo(n, func(rank int) float64 { return parts[rank%len(parts)] }, func(a, b float64) float64 { return a + b })
		},
		func() error {
			return reduceTo(n, func(rank int) float32 { return float32(parts[rank%len(parts)]) }, func(a, b float32) float32 { return a + b })
		},
		func() error { return reduceTo(n, quiet, second) },
		func() error { return reduceTo(n, func(int) float64 { return math.Copysign(0, -1) }, second) },
		func() error {
			return reduceTo(n, func(rank int) int8 { return int8(-7 * rank) }, func(a, b int8) int8 { return min(a, b) })
		},
		func() error {
			return reduceTo(n, func(rank int) degrees { return degrees(rank - 3) }, func(a, b degrees) degrees { return 3*a - b })
		},
		func() error {
			return reduceTo(n, func(rank int) uint16 { return uint16(40000 + rank) }, func(a, b uint16) uint16 { return a*3 ^ b })
		},
		func() error {
			return reduceTo(n, func(rank int) int32 { return int32(-rank << 20) }, func(a, b int32) int32 { return max(a, b) })
		},
		func() error {
			return reduceTo(n, func(rank int) uint64 { return math.MaxUint64 - uint64(rank) }, func(a, b uint64) uint64 { return max(a, b) })
		},
	}
	for _, call := range calls {
		if err := call(); err != nil {
			return err
		}
	}
	return nil
}

// TestReduce: every rank gets the same bits, in both modes, on all networks and placements.
func TestReduce(t *testing.T) {
	for _, nodes := range []int{1, 2, 3, 8} {
		configs := everyRuntime(t, uint64(nodes))
		for name, net := range liveNetworks() {
			configs["phase, one copy, "+name] = fagus.Config{Net: net(), Placement: fagus.PlaceShared}
			configs["threaded, "+name] = fagus.Config{Net: net(), Mode: fagus.Threaded}
		}
		if shm.Supported() == nil { // tcp has the same requirements
			configs["phase, tcp"] = fagus.Config{Net: tcp.New(tcp.Config{})}
			configs["threaded, tcp"] = fagus.Config{Net: tcp.New(tcp.Config{}), Mode: fagus.Threaded}
		}
		configs["phase, tree"] = fagus.Config{Net: bulkNet(smallLLCM, 4096, 2048), Transfer: fagus.Push, Nodes: 15 + nodes}
		for name, cfg := range configs {
			cfg.Nodes = max(cfg.Nodes, nodes)
			report, err := fagus.Run(t.Context(), cfg, reduceAll)
			if err != nil {
				t.Errorf("%s, %d nodes: %v", name, cfg.Nodes, err)
				continue
			}
			for _, r := range report.Ranks {
				if calls := r.Parts[fagus.PartBarrier].Calls; calls != 20 {
					t.Errorf("%s, %d nodes: rank %d counts %d calls, want 20", name, cfg.Nodes, r.Rank, calls)
				}
			}
		}
	}
}

// TestRandomProgramsThatReduce calls Reduce among other calls, with access checking, with a
// history, and on ports that refuse posts.
func TestRandomProgramsThatReduce(t *testing.T) {
	for seed := uint64(1); seed <= cases(12, 3); seed++ {
		configs := everyRuntime(t, seed)
		wrap := porttest.Refusing(seed, float64(seed%7)/8)
		configs["phase, sim, refusing"] = fagus.Config{Net: porttest.Wrap(newSim(t, sim.Config{Seed: seed}), wrap)}
		configs["phase, inproc, refusing"] = fagus.Config{Net: porttest.Wrap(inproc.New(inproc.Config{LLCM: 4000}), wrap)}
		configs["threaded, inproc, refusing"] = fagus.Config{Net: porttest.Wrap(inproc.New(inproc.Config{LLCM: 4000}), wrap), Mode: fagus.Threaded}
		for name, cfg := range configs {
			cfg.Nodes, cfg.History = 2+int(seed%4), history.New()
			if guard.Supported() == nil && seed%2 == 0 {
				cfg.Check = fagus.CheckOn
			}
			o := newOracle(seed)
			o.reduces, o.lawful = true, true
			if _, err := runFor(t, cfg, o.program(seed)); err != nil {
				t.Fatalf("%s, seed %d: %v", name, seed, err)
			}
			if v := cfg.History.Check(); v != nil {
				t.Errorf("%s, seed %d: %v", name, seed, v)
			}
		}
	}
}

// TestReduceFails: a failed Reduce returns 0 and an error, and so does every later Reduce.
func TestReduceFails(t *testing.T) {
	boom := errors.New("boom")
	_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2}, func(n *fagus.Node) error {
		if n.Rank() == 1 {
			return boom
		}
		for range 2 {
			if x, err := fagus.Reduce(n, 7, addInts); err == nil || x != 0 {
				t.Errorf("rank 1 has failed, but Reduce returns %d, error %v", x, err)
			}
		}
		return nil
	})
	if !errors.Is(err, boom) {
		t.Errorf("Run: error %v, want the error of rank 1", err)
	}
}
