package lu

import "github.com/fagus-dsm/fagus/apps/verify"

// Plain factors without Fagus. cfg has to be valid.
func Plain(cfg Config, timed verify.Timer) (r Result, err error) {
	f := newShare(cfg, 1, 0)
	f.panels, f.swapped = make([]float64, f.begin[f.Steps()]), make([]int32, f.N)
	r.Time = timed(func() {
		for k := -1; k < f.Steps()-1 && err == nil; k++ {
			if _, err = f.step(k); cfg.Progress != nil {
				cfg.Progress(1)
			}
		}
	})
	if err != nil {
		return r, err
	}
	if cfg.Spoil {
		f.spoil()
	}
	rest, all, err := f.residual(func() error { return nil })
	r.Error, r.Bits = f.backward(rest, all), f.hash()
	return r, err
}
