package reproduce

import (
	"context"

	"github.com/fagus-dsm/fagus/dimmnet/sim/colony"
)

// Colony measures memory accesses of Computer Colony boards in clocks of 20 ns: local, in a loop
// without a second board, and between two boards, for the three link variants. Each mean is of
// Rounds x 50 accesses. The means of two boards with links 32 and twice are predictions.
func Colony(ctx context.Context, cfg Config) (*Table, error) {
	cfg = cfg.withDefaults()
	list, err := colony.Reproduce(ctx, 50*cfg.Rounds, cfg.Seed, cfg.Progress)
	if err != nil {
		return nil, err
	}
	t := &Table{Name: "colony", Title: "Computer Colony: reads and writes, in clocks of 20 ns"}
	for _, f := range list {
		r := Row{Table: t.Name, Env: f.Env, Quantity: f.Quantity, Model: f.Model, Paper: f.Paper}
		if f.Paper != nil {
			e := (f.Model - *f.Paper) / *f.Paper
			r.Error = &e
		}
		t.Rows = append(t.Rows, r)
	}
	return t, nil
}
