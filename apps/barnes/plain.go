package barnes

import "github.com/fagus-dsm/fagus/apps/verify"

// Plain is the program without Fagus.
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
			if s.Progress != nil {
				s.Progress(1)
			}
		}
	})
	r.Lines, r.Checks = s.lines(), s.checks()
	return r
}
