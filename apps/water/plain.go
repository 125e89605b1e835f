package water

import "github.com/fagus-dsm/fagus/apps/internal/verify"

// Plain runs the program without Fagus. cfg must be valid.
func Plain(cfg Config, timed verify.Timer) verify.Result {
	r, all := verify.Result{Operations: cfg.operations()}, newNumbers(cfg)
	at, momenta := droplet(cfg)
	forces := make([]pushes, cfg.Molecules)
	r.Time = timed(func() {
		for step := range cfg.Steps + 1 {
			clear(forces)
			for i := range at {
				*all.potential(step) += act(at, i, forces)
			}
			if step == cfg.Steps {
				cfg.Plant(func() { forces[len(forces)-1][1].x++ })
			}
			advance(all, step, at, momenta, forces)
			if step > 0 {
				cfg.Advance(1)
			}
		}
	})
	r.Lines, r.Checks = all.lines(at), all.checks(at)
	return r
}
