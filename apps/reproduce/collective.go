package reproduce

import (
	"context"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/lib/collective"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

// Barrier measures the two-node barrier with polls of 8 bytes (MMX), and with polls of two times 4
// bytes (docs/lab/papers.md, DIMMnet-1, Barrier and global sum by AOTF).
func Barrier(ctx context.Context, cfg Config) (*Table, error) {
	cfg, t, err := newTable(cfg, "barrier", "barrier of two nodes")
	if err != nil {
		return nil, err
	}
	err = eachEnv(func(env string, preset sim.Preset) error {
		with, err := barriers(ctx, cfg, preset, 2)
		if err != nil {
			return err
		}
		without, err := barriers(ctx, cfg, preset.WithoutMMX(), 2)
		t.add(env, "barrier_mmx_ns", with)
		t.add(env, "barrier_nommx_ns", without)
		return err
	})
	return t, err
}

// Sum measures the two-node global sum of each type (docs/lab/papers.md, DIMMnet-1, Barrier and
// global sum by AOTF).
func Sum(ctx context.Context, cfg Config) (*Table, error) {
	cfg, t, err := newTable(cfg, "sum", "global sum over two nodes")
	if err != nil {
		return nil, err
	}
	err = eachEnv(func(env string, preset sim.Preset) error {
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
				return err
			}
			t.add(env, s.quantity, ns)
		}
		return nil
	})
	return t, err
}

func eachEnv(f func(env string, preset sim.Preset) error) error {
	for _, env := range envs() {
		preset, err := sim.LoadPreset(env)
		if err != nil {
			return err
		}
		if err := f(env, preset); err != nil {
			return err
		}
	}
	return nil
}

func sum[T collective.Number](g *collective.Group, round uint32) error {
	_, err := collective.Reduce(g, T(round), collective.Sum)
	return err
}

// barriers returns the mean time of a barrier of the given number of nodes, in nanoseconds.
func barriers(ctx context.Context, cfg Config, preset sim.Preset, nodes int) (float64, error) {
	return collectives(ctx, cfg, preset, nodes, func(g *collective.Group, _ uint32) error { return g.Barrier() })
}

// collectives returns the mean time, in nanoseconds, of consecutive calls of a group.
func collectives(ctx context.Context, cfg Config, preset sim.Preset, nodes int, call func(*collective.Group, uint32) error) (float64, error) {
	return run(ctx, cfg, sim.Config{Preset: &preset}, nodes, func(p *pinger) (float64, error) {
		g, err := collective.New(p.h.Port(), 0, collective.Config{Turn: func() { p.h.Spend(preset.Host.Program) }})
		if err != nil {
			return 0, err
		}
		start := dimmnet.Time(0)
		for i := range cfg.Rounds + 1 {
			if i == 1 { // the first call only synchronizes the ranks
				start = p.h.Now()
			}
			p.h.Spend(preset.Host.CycleCounter) // the program reads the clock for each call
			// Rank 0 waits for the other ranks in any case, so its random delay lengthens no call.
			if p.h.Port().Rank() == 0 {
				p.dither(preset.Host.Read)
			}
			if err := call(g, uint32(i)); err != nil {
				return 0, err
			}
		}
		return nanoseconds(p.h.Now()-start) / float64(cfg.Rounds), nil
	})
}
