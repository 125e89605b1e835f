package reproduce

import (
	"context"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

// SweepPoint is a barrier of so many nodes.
type SweepPoint struct {
	Nodes     int     `json:"nodes"`
	Levels    int     `json:"levels"`   // of the tree of words: log8 of the nodes, rounded up
	Switches  int     `json:"switches"` // levels of the fat tree; 0 back to back
	Barrier   float64 `json:"barrier_ns"`
	PerLevel  float64 `json:"per_level_ns"`
	Expected  float64 `json:"expected_ns"` // by the formula of spec/10
	Simulated int     `json:"barriers"`    // that the mean is taken over
}

// Sweep measures barriers of 2, 4, 8, ... nodes, from lo to hi, each with the
// default of 20 rounds.
//
// The expected time is that of spec/10: the two-node time, plus a port's time for
// each child but the first, plus a transit for the multicast, on every level. It
// knows one switch; what the cascades of a fat tree add is the difference.
func Sweep(ctx context.Context, cfg Config, env string, lo, hi int) ([]SweepPoint, error) {
	if lo < 2 || hi < lo || hi > dimmnet.MaxNodes {
		return nil, fmt.Errorf("reproduce: nodes %d to %d: want at least 2 and at most %d", lo, hi, dimmnet.MaxNodes)
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
	for n := lo; ; n = min(2*n, hi) {
		p := SweepPoint{Nodes: n, Levels: levels(n, 8), Switches: preset.SwitchLevels(n), Simulated: cfg.Rounds}
		if p.Barrier, err = barriers(ctx, cfg, preset, n); err != nil {
			return nil, err
		}
		p.PerLevel = p.Barrier / float64(p.Levels)
		transit := nanoseconds(preset.Switch.Packet)
		p.Expected = (two + float64(min(n, 8)-1)*transit + transit) * float64(p.Levels)
		points = append(points, p)
		if n == hi {
			return points, nil
		}
	}
}

// levels is the logarithm of n to a base, rounded up.
func levels(n, base int) (l int) {
	for reach := 1; reach < n; reach *= base {
		l++
	}
	return l
}
