package reproduce

import (
	"context"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/phase/collective"
)

// Barrier measures the two-node barrier, polling 8 bytes at once (MMX) or as
// twice 4 (spec/10).
func Barrier(ctx context.Context, cfg Config) (*Table, error) {
	cfg = cfg.withDefaults()
	paper, err := paperFigures()
	if err != nil {
		return nil, err
	}
	t := &Table{Name: "barrier", Title: "barrier of two nodes"}
	for _, env := range envs() {
		preset, err := sim.LoadPreset(env)
		if err != nil {
			return nil, err
		}
		with, err := barriers(ctx, cfg, preset, 2)
		if err != nil {
			return nil, err
		}
		without, err := barriers(ctx, cfg, preset.WithoutMMX(), 2)
		if err != nil {
			return nil, err
		}
		t.add(paper, env, "barrier_mmx_ns", with)
		t.add(paper, env, "barrier_nommx_ns", without)
	}
	return t, t.expectByLoops(ctx, cfg)
}

// Sum measures the two-node global sum of each type (spec/10).
func Sum(ctx context.Context, cfg Config) (*Table, error) {
	cfg = cfg.withDefaults()
	paper, err := paperFigures()
	if err != nil {
		return nil, err
	}
	t := &Table{Name: "sum", Title: "global sum over two nodes"}
	for _, env := range envs() {
		preset, err := sim.LoadPreset(env)
		if err != nil {
			return nil, err
		}
		for _, s := range []struct {
			quantity string
			sum      func(*collective.Group, uint32) error
		}{
			{"sum_unsigned_ns", sum[uint32]},
			{"sum_ull_ns", sum[uint64]},
			{"sum_float_ns", sum[float32]},
			{"sum_double_ns", sum[float64]},
		} {
			ns, err := collectives(ctx, cfg, preset, 2, s.sum)
			if err != nil {
				return nil, err
			}
			t.add(paper, env, s.quantity, ns)
		}
	}
	return t, t.expectByLoops(ctx, cfg)
}

// expectByLoops is expect with the loops that the papers print for E and F.
func (t *Table) expectByLoops(ctx context.Context, cfg Config) error {
	paper, err := paperFigures()
	if err != nil {
		return err
	}
	var known Table
	for _, env := range envs() {
		if predicted(env) {
			if err := known.addLoops(ctx, cfg, paper, env); err != nil {
				return err
			}
		}
	}
	bound, err := programBound()
	if err == nil {
		t.expect(known.Rows, bound)
	}
	return err
}

func sum[T collective.Number](g *collective.Group, round uint32) error {
	_, err := collective.Reduce(g, T(round), collective.Sum)
	return err
}

// barriers is the mean time of a barrier of nodes, in nanoseconds.
func barriers(ctx context.Context, cfg Config, preset sim.Preset, nodes int) (float64, error) {
	return collectives(ctx, cfg, preset, nodes, func(g *collective.Group, _ uint32) error { return g.Barrier() })
}

// collectives is the mean time of one call of the group of all nodes, one after
// the other.
func collectives(ctx context.Context, cfg Config, preset sim.Preset, nodes int, call func(*collective.Group, uint32) error) (float64, error) {
	return run(ctx, cfg, sim.Config{Preset: &preset}, nodes, func(p *pinger) (float64, error) {
		g, err := collective.New(p.h.Port(), 0, collective.Config{Turn: func() { p.h.Spend(preset.Host.Program) }})
		if err != nil {
			return 0, err
		}
		start := dimmnet.Time(0)
		for i := range cfg.Rounds + 1 {
			if i == 1 { // the first finds the ranks where they happen to be
				start = p.h.Now()
			}
			p.h.Spend(preset.Host.CycleCounter) // the program measures each call
			if p.h.Port().Rank() == 0 {
				p.dither(preset.Host.Read) // it waits for the others anyway
			}
			if err := call(g, uint32(i)); err != nil {
				return 0, err
			}
		}
		return nanoseconds(p.h.Now()-start) / float64(cfg.Rounds), nil
	})
}
