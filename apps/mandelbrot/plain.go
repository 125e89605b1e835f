package mandelbrot

import "github.com/fagus-dsm/fagus/apps/verify"

// Plain computes the picture without Fagus. cfg has to be valid.
func Plain(cfg Config, timed verify.Timer) Result {
	r := Result{Picture: make([]uint16, cfg.Width*cfg.Height)}
	r.Time = timed(func() {
		for row := range cfg.Height {
			cfg.drawRow(r.Picture[row*cfg.Width:][:cfg.Width], row)
			if cfg.Progress != nil {
				cfg.Progress(1)
			}
		}
	})
	_ = cfg.verify(&r, func() error { return nil }) // which is all that may be wrong
	return r
}
