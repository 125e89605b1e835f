package stepwise

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/region"
)

// grid returns an n x n grid of rank 0; zeros on other ranks.
func grid(node *fagus.Node, n int) []float64 {
	x := make([]float64, n*n)
	if node == nil || node.Rank() == 0 {
		state := uint64(n)
		for i := range x {
			state = state*6364136223846793005 + 1442695040888963407
			x[i] = float64(int64(state)) / (1 << 63)
		}
	}
	return x
}

// sweeps runs 2*steps sweeps in a loop of its own, and returns the grid on rank 0.
func sweeps(node *fagus.Node, n, steps int) ([]float64, error) {
	a, err := region.Place(node, "a", grid(node, n))
	if err != nil {
		return nil, err
	}
	b, err := region.Place(node, "b", grid(node, n))
	if err != nil {
		return nil, err
	}
	for range steps {
		if err := SweepOn(node, b.Slice(), a.Slice(), n); err != nil {
			return nil, err
		}
		if err := SweepOn(node, a.Slice(), b.Slice(), n); err != nil {
			return nil, err
		}
	}
	return fetched(a)
}

// fetched returns the elements of an array on rank 0.
func fetched(r *region.Resident[float64]) ([]float64, error) {
	to := make([]float64, len(r.Slice()))
	return to, r.Fetch(to)
}

// wholeSweeps is sweeps with one call.
func wholeSweeps(node *fagus.Node, n, steps int) ([]float64, error) {
	a, b := grid(node, n), grid(node, n)
	if node == nil {
		Sweeps(a, b, n, steps)
		return a, nil
	}
	return a, SweepsOn(node, a, b, n, steps)
}

// gradients is the conjugate gradient method in a loop of its own.
func gradients(node *fagus.Node, n, steps int) ([]float64, error) {
	var all [4]*region.Resident[float64]
	for i, name := range []string{"x", "r", "p", "q"} {
		var err error
		if name == "x" || name == "q" {
			all[i], err = region.New[float64](node, name, n*n)
		} else {
			all[i], err = region.Place(node, name, grid(node, n))
		}
		if err != nil {
			return nil, err
		}
	}
	x, r, p, q := all[0].Slice(), all[1].Slice(), all[2].Slice(), all[3].Slice()
	rr, err := DotOn(node, r, r, n)
	if err != nil {
		return nil, err
	}
	for range steps {
		if err := ApplyOn(node, q, p, n); err != nil {
			return nil, err
		}
		pq, err := DotOn(node, p, q, n)
		if err != nil {
			return nil, err
		}
		if err := AddOn(node, x, p, rr/pq, n); err != nil {
			return nil, err
		}
		if err := AddOn(node, r, q, -rr/pq, n); err != nil {
			return nil, err
		}
		before := rr
		if rr, err = DotOn(node, r, r, n); err != nil {
			return nil, err
		}
		if err := TurnOn(node, p, r, rr/before, n); err != nil {
			return nil, err
		}
	}
	return fetched(all[0])
}

func wholeGradients(node *fagus.Node, n, steps int) ([]float64, error) {
	x, r, p, q := make([]float64, n*n), grid(node, n), grid(node, n), make([]float64, n*n)
	if node == nil {
		Gradients(x, r, p, q, n, steps)
		return x, nil
	}
	_, err := GradientsOn(node, x, r, p, q, n, steps)
	return x, err
}

type method func(node *fagus.Node, n, steps int) ([]float64, error)

// cost is what a run sends.
type cost struct {
	messages, bytes, phases uint64
	time                    fagus.Time
}

func costOf(t *testing.T, mode fagus.Mode, f method, nodes, n, steps int) (c cost) {
	t.Helper()
	net, err := sim.New(sim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	report, err := fagus.Run(t.Context(), fagus.Config{Nodes: nodes, Net: net, Mode: mode}, func(node *fagus.Node) error {
		region.Together(node)
		_, err := f(node, n, steps)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range report.Ranks {
		r := &report.Ranks[i]
		m := r.Messages()
		c.messages += m.Stores + m.Writes + m.Pushes + m.Pulls
		c.bytes += m.Bytes
		c.phases += r.Phases
		c.time = max(c.time, r.Total())
	}
	return c
}

// TestCostPerStep: in a loop over calls with arrays that stay, a step costs at most 1.2 times the
// messages and bytes of the same step inside one function.
func TestCostPerStep(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector finds nothing where one rank runs at a time")
	}
	const n, few, many = 64, 10, 30
	for _, c := range []struct {
		name        string
		calls, once method
	}{{"sweeps", sweeps, wholeSweeps}, {"gradients", gradients, wholeGradients}} {
		for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
			for _, nodes := range []int{4, longtest.Cases(16, 2)} {
				perStep := func(f method) cost {
					a, b := costOf(t, mode, f, nodes, n, few), costOf(t, mode, f, nodes, n, many)
					const steps = many - few
					return cost{(b.messages - a.messages) / steps, (b.bytes - a.bytes) / steps, (b.phases - a.phases) / steps, (b.time - a.time) / steps}
				}
				calls, once := perStep(c.calls), perStep(c.once)
				t.Logf("%s, %v mode, %d nodes: %+v per step; in one function %+v", c.name, mode, nodes, calls, once)
				if 10*calls.messages > 12*once.messages || 10*calls.bytes > 12*once.bytes {
					t.Errorf("%s, %v mode, %d nodes: %+v per step, want at most 1.2 times the messages and bytes of %+v", c.name, mode, nodes, calls, once)
				}
			}
		}
	}
}

// TestSame: loops over calls compute the same as one function, which Go executes alone; the method
// of conjugate gradients the same as the function on as many ranks, because sums depend on these.
func TestSame(t *testing.T) {
	const n, steps = 21, 5
	for _, cfg := range []fagus.Config{{}, {Placement: fagus.PlacePrivate}, {Placement: fagus.PlaceShared}, {Placement: fagus.PlacePrivate, Mode: fagus.Threaded}, {Placement: fagus.PlacePrivate, Mode: fagus.Threaded, Helpers: true}} {
		for cfg.Nodes = 1; cfg.Nodes <= 5; cfg.Nodes++ {
			if _, err := fagus.Run(t.Context(), cfg, func(node *fagus.Node) error {
				region.Together(node)
				want, _ := wholeSweeps(nil, n, steps)
				got, err := sweeps(node, n, steps)
				if err != nil {
					return err
				}
				if node.Rank() == 0 && !slices.Equal(got, want) {
					return fmt.Errorf("sweeps: %v, want %v", got, want)
				}
				if want, err = wholeGradients(node, n, steps); err != nil {
					return err
				}
				if got, err = gradients(node, n, steps); err != nil {
					return err
				}
				if node.Rank() == 0 && !slices.Equal(got, want) {
					return fmt.Errorf("gradients: %v, want %v", got, want)
				}
				return nil
			}); err != nil {
				t.Errorf("%d nodes, %v mode, %v: %v", cfg.Nodes, cfg.Mode, cfg.Placement, err)
			}
		}
	}
}
