package mandelbrot

import "github.com/fagus-dsm/fagus/apps/internal/verify"

// Plain computes the picture without Fagus. cfg must be valid.
func Plain(cfg Config, timed verify.Timer) Result {
	r := Result{Picture: make([]uint16, cfg.Width*cfg.Height)}
	r.Time = timed(func() {
		for row := range cfg.Height {
			cfg.drawRow(r.Picture[row*cfg.Width:][:cfg.Width], row)
			cfg.Advance(1)
		}
	})
	_ = cfg.verify(&r, func() error { return nil }) // its callback never fails
	return r
}
