package tsp

import "github.com/fagus-dsm/fagus/apps/internal/verify"

// Plain searches without Fagus. cfg must be valid. Its bound is always the best tour known.
func Plain(cfg Config, timed verify.Timer) (r Result, err error) {
	p := newProblem(cfg)
	best := p.nearest()
	r.Time = timed(func() {
		stack := []tour{{Count: 1}}
		for len(stack) > 0 {
			t := stack[len(stack)-1]
			push, found, steps, _ := p.follow(&t, best.Length, func(int) error { return nil })
			stack = append(stack[:len(stack)-1], push...)
			if found.Count > 0 {
				best = found
			}
			r.Tours++
			r.Steps += steps
		}
	})
	return r, p.verify(&best, &r)
}
