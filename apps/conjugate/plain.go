package conjugate

import (
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Plain solves the system without Fagus. cfg must be valid.
func Plain(cfg Config, timed verify.Timer) (Result, error) {
	a, b := cfg.system()
	s := newSolver(cfg, a, b, 0, a.Rows)
	s.p = make([]float64, a.Rows)
	s.write = func(f func()) error { f(); return nil }
	s.multiply = func(product []float64, f func()) error {
		times(a, 0, s.p, product)
		f()
		return nil
	}
	s.sum = func(*[2]parts.Exact) error { return nil }
	s.cut = func() error { return nil }
	var err error
	took := timed(func() { err = s.solve() })
	if err != nil {
		return Result{}, err
	}
	cfg.Plant(func() { s.spoil(s.x) })
	return s.result(took, a, b, s.x), nil
}
