package is

import (
	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
)

// Plain runs the benchmark without Fagus. There is one process, so it sends no messages: it counts
// keys in place.
func Plain(cfg npb.Config, timed verify.Timer) verify.Result {
	p := problemOf(cfg.Class)
	keys, less := p.generate(0, p.keys), make([]int32, p.largest+1)
	cfg.Plant(func() { keys[len(keys)-1] = 0 })
	iterate := func(iteration int) (passed int) {
		p.change(keys, 0, iteration)
		clear(less)
		tally(less[1:], keys, 0)
		accumulate(less)
		for i, number := range p.index {
			if int(less[keys[number]]) == p.want(i, iteration) {
				passed++
			}
		}
		return passed
	}
	iterate(1) // one untimed iteration, as in NPB
	var passed []int
	r := verify.Result{Operations: p.operations()}
	r.Time = timed(func() {
		for i := 1; i <= iterations; i++ {
			passed = append(passed, iterate(i))
			cfg.Advance(1)
		}
	})
	sorted := unsorted(p.keys)
	place(sorted, less, keys, 0, 0)
	report(&r, passed, inOrder(sorted))
	return r
}
