package reproduce

import (
	"context"

	"github.com/fagus-dsm/fagus/dimmnet/sim/colony"
)

// Colony measures memory accesses of Computer Colony boards in clocks of 20 ns: local, in a loop
// without a second board, and between two boards, for the three link variants. Each mean is of
// Rounds x 50 accesses. The means of two boards with links 32 and twice were predicted before the
// thesis's were known. The last rows are the thesis's estimates, here computed from the model's
// means.
func Colony(ctx context.Context, cfg Config) (*Table, error) {
	s := newStudy(ctx, cfg, "colony", "Computer Colony: reads and writes, in clocks of 20 ns")
	list, err := colony.Reproduce(ctx, 50*s.cfg.Rounds, s.cfg.Seed, s.cfg.Progress)
	if err != nil {
		return nil, err
	}
	s.paper = make(figures)
	for _, f := range list {
		if f.Paper != nil {
			if s.paper[f.Env] == nil {
				s.paper[f.Env] = make(map[string]float64)
			}
			s.paper[f.Env][f.Quantity] = *f.Paper
		}
		s.add(f.Env, f.Quantity, f.Model)
		s.Rows[len(s.Rows)-1].Left = f.Left
	}
	return s.table()
}
