package lu

import "github.com/fagus-dsm/fagus/apps/internal/verify"

// Plain factors the matrix without Fagus. cfg must be valid.
func Plain(cfg Config, timed verify.Timer) (r Result, err error) {
	f := newShare(cfg, 1, 0)
	r.Operations = f.operations(0)
	f.panels, f.swapped = make([]float64, f.begin[f.Steps()]), make([]int32, f.N)
	r.Time = timed(func() {
		for k := -1; k < f.Steps()-1 && err == nil; k++ {
			_, err = f.step(k)
			cfg.Advance(1)
		}
	})
	if err != nil {
		return r, err
	}
	cfg.Plant(f.spoil)
	rest, all, err := f.residual(func() error { return nil })
	r.Error, r.Bits = f.backward(rest, all), f.hash()
	return r, err
}
