package reproduce

import (
	"context"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

// SweepPoint is a barrier of so many nodes.
type SweepPoint struct {
	Nodes    int     `json:"nodes"`
	Levels   int     `json:"levels"`   // of the tree of words: log8 of the nodes, rounded up
	Switches int     `json:"switches"` // levels of the fat tree; 0 back to back
	Barrier  float64 `json:"barrier_ns"`
	PerLevel float64 `json:"per_level_ns"`
	// OneSwitch is what the formula of spec/10 gives, which knows one switch with
	// multicast; null without one.
	OneSwitch *float64 `json:"one_switch_formula_ns"`
	Simulated int      `json:"barriers"` // that the mean is taken over
}

// Sweep measures barriers of so many nodes, 20 rounds each by default.
//
// Beside it stands the formula of the papers (spec/10): the two-node time back to
// back, plus a port's time for each of up to 7 children, plus a transit for the
// multicast, on every level. It knows one switch; what the second cable of every
// way and the cascades of a fat tree add is the difference.
func Sweep(ctx context.Context, cfg Config, env string, nodes []int) ([]SweepPoint, error) {
	for _, n := range nodes {
		if n < 2 || n > dimmnet.MaxNodes {
			return nil, fmt.Errorf("reproduce: %d nodes: want 2 to %d", n, dimmnet.MaxNodes)
		}
	}
	if cfg.Rounds == 0 {
		cfg.Rounds = 20
	}
	cfg = cfg.withDefaults()
	preset, err := sim.LoadPreset(env)
	if err != nil {
		return nil, err
	}
	direct := preset
	direct.Direct = true
	two, err := barriers(ctx, cfg, direct, 2)
	if err != nil {
		return nil, err
	}
	var points []SweepPoint
	for _, n := range nodes {
		p := SweepPoint{Nodes: n, Levels: levels(n, 8), Switches: preset.SwitchLevels(n), Simulated: cfg.Rounds}
		if p.Barrier, err = barriers(ctx, cfg, preset, n); err != nil {
			return nil, err
		}
		p.PerLevel = p.Barrier / float64(p.Levels)
		if p.Switches > 0 && preset.Switch.Multicast {
			transit := nanoseconds(preset.Switch.Packet)
			f := (two + float64(min(n, 8)-1)*transit + transit) * float64(p.Levels)
			p.OneSwitch = &f
		}
		points = append(points, p)
	}
	return points, nil
}

// levels is the logarithm of n to a base, rounded up.
func levels(n, base int) (l int) {
	for reach := 1; reach < n; reach *= base {
		l++
	}
	return l
}
