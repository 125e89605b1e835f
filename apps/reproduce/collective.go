package reproduce

import (
	"context"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/lib/collective"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
)

// Barrier measures the two-node barrier with polls of 8 bytes (MMX), and with polls of two times 4
// bytes (docs/lab/papers.md, DIMMnet-1, Barrier and global sum by AOTF).
func Barrier(ctx context.Context, cfg Config) (*Table, error) {
	s := newStudy(ctx, cfg, "barrier", "barrier of two nodes")
	for _, env := range envs() {
		preset := s.preset(env)
		s.add(env, "barrier_mmx_ns", s.barriers(preset, 2))
		s.add(env, "barrier_nommx_ns", s.barriers(preset.WithoutMMX(), 2))
	}
	return s.table()
}

// Sum measures the two-node global sum of each type (docs/lab/papers.md, DIMMnet-1, Barrier and
// global sum by AOTF).
func Sum(ctx context.Context, cfg Config) (*Table, error) {
	s := newStudy(ctx, cfg, "sum", "global sum over two nodes")
	for _, env := range envs() {
		preset := s.preset(env)
		s.add(env, "sum_unsigned_ns", s.collectives(preset, 2, sum[uint32]))
		s.add(env, "sum_ull_ns", s.collectives(preset, 2, sum[uint64]))
		s.add(env, "sum_float_ns", s.collectives(preset, 2, sum[float32]))
		s.add(env, "sum_double_ns", s.collectives(preset, 2, sum[float64]))
	}
	return s.table()
}

func sum[T collective.Number](g *collective.Group, round uint32) error {
	_, err := collective.Reduce(g, T(round), collective.Sum)
	return err
}

// barriers returns the mean time of a barrier of the given number of nodes, in nanoseconds.
func (s *study) barriers(preset presets.Preset, nodes int) float64 {
	return s.collectives(preset, nodes, func(g *collective.Group, _ uint32) error { return g.Barrier() })
}

// collectives returns the mean time, in nanoseconds, of consecutive calls of a group.
func (s *study) collectives(preset presets.Preset, nodes int, call func(*collective.Group, uint32) error) float64 {
	return s.run(sim.Config{Preset: &preset}, nodes, func(p *pinger) (float64, error) {
		g, err := collective.New(p.h.Port(), 0, collective.Config{Turn: func() { p.h.Spend(preset.Host.Program) }})
		if err != nil {
			return 0, err
		}
		start := dimmnet.Time(0)
		for i := range s.cfg.Rounds + 1 {
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
		return nanoseconds(p.h.Now()-start) / float64(s.cfg.Rounds), nil
	})
}

// SweepPoint is the result for one number of nodes.
type SweepPoint struct {
	Nodes    int     `json:"nodes"`
	Levels   int     `json:"levels"`   // levels of the tree: log8 of the nodes, rounded up
	Switches int     `json:"switches"` // levels of the fat tree; 0 if the nodes are back to back
	Barrier  float64 `json:"barrier_ns"`
	PerLevel float64 `json:"per_level_ns"`
	// OneSwitch is the papers' formula, for one switch with multicast; null without multicast.
	OneSwitch *float64 `json:"one_switch_formula_ns"`
	Simulated int      `json:"barriers"` // barriers in the mean
}

// Sweep measures barriers of the given numbers of nodes, by default 20 rounds each.
//
// The papers' formula (docs/lab/papers.md, DIMMnet-1, Barrier and global sum by AOTF) adds, for
// every level of the tree, the two-node time back to back, a port's time for each of up to 7
// children, and a transit for the multicast. It assumes one switch. The difference from the
// model is the second cable of every path and the cascades of a fat tree.
func Sweep(ctx context.Context, cfg Config, env string, nodes []int) ([]SweepPoint, error) {
	for _, n := range nodes {
		if n < 2 || n > dimmnet.MaxNodes {
			return nil, fmt.Errorf("reproduce: measure a barrier of %d nodes: want 2 to %d", n, dimmnet.MaxNodes)
		}
	}
	if cfg.Rounds == 0 {
		cfg.Rounds = 20
	}
	s := study{cfg: cfg.withDefaults(), ctx: ctx}
	preset := s.preset(env)
	direct := preset
	direct.Direct = true
	two := s.barriers(direct, 2)
	var points []SweepPoint
	for _, n := range nodes {
		if s.err != nil {
			return nil, s.err
		}
		p := SweepPoint{Nodes: n, Levels: levels(n, 8), Switches: preset.SwitchLevels(n), Simulated: s.cfg.Rounds, Barrier: s.barriers(preset, n)}
		p.PerLevel = p.Barrier / float64(p.Levels)
		if p.Switches > 0 && preset.Switch.Multicast {
			transit := nanoseconds(preset.Switch.Packet)
			f := (two + float64(min(n, 8)-1)*transit + transit) * float64(p.Levels)
			p.OneSwitch = &f
		}
		points = append(points, p)
	}
	return points, s.err
}

// levels returns the logarithm of n to a base, rounded up.
func levels(n, base int) (l int) {
	for reach := 1; reach < n; reach *= base {
		l++
	}
	return l
}
