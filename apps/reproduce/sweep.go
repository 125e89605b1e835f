package reproduce

import (
	"context"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

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
