package is

import (
	"fmt"

	"github.com/fagus-dsm/fagus/apps/npb"
	"github.com/fagus-dsm/fagus/apps/verify"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Units is how often the keys of a class are ranked.
func Units(npb.Class) int { return iterations }

// Run runs the benchmark. Every rank calls it with the same Config.
func Run(n *fagus.Node, cfg npb.Config) (verify.Result, error) {
	p := problemOf(cfg.Class)
	s, err := newSorter(n, p, cfg.Spoil)
	if err != nil {
		return verify.Result{}, err
	}
	if _, err := s.iterate(1); err != nil { // once untimed, as NPB does
		return verify.Result{}, err
	}
	passes, lines := 0, []string(nil)
	r := verify.Result{Operations: iterations * float64(p.keys)} // NPB counts a key as one
	r.Time, err = parts.Timed(n, func() error {
		for i := 1; i <= iterations; i++ {
			passed, err := s.iterate(i)
			if err != nil {
				return err
			}
			passes += passed
			lines = append(lines, fmt.Sprintf("iteration %d: %d of %d tests passed", i, passed, tests))
			cfg.Advance(1)
		}
		return nil
	})
	if err != nil {
		return r, err
	}
	sorted, err := s.verify()
	if sorted {
		passes++
	}
	if n.Rank() == 0 {
		r.Lines = append(lines, fmt.Sprintf("keys sorted: %v", sorted))
		r.Checks = []verify.Check{{Name: "number of passes", Got: float64(passes), Want: most}}
	}
	return r, err
}
