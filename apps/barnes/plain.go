package barnes

import "github.com/fagus-dsm/fagus/apps/internal/verify"

// Plain runs the program without Fagus. cfg must be valid.
func Plain(cfg Config, timed verify.Timer) (r verify.Result) {
	s := newSystem(cfg)
	r.Time = timed(func() {
		for step := range s.Steps {
			if step > 0 {
				s.turn()
			}
			s.arrange()
			for i := range s.at {
				s.next[i], s.work[i] = s.move(i)
				r.Operations += float64(s.work[i]) * interactionOperations
			}
			s.Advance(1)
		}
	})
	r.Lines, r.Checks = s.lines(), s.checks()
	return r
}
