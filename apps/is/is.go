package is

import (
	"fmt"

	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Units returns the number of iterations, which is the same for every class.
func Units(npb.Class) int { return iterations }

// Memory returns the least number of bytes that all ranks of a class need: for the keys in their
// original order and in the final one, and for the counts of every rank.
func Memory(c npb.Class, nodes int) int {
	p := problemOf(c)
	return 4 * (2*p.keys + p.largest*nodes)
}

// Run runs the benchmark. Every rank calls it with the same Config.
func Run(n *fagus.Node, cfg npb.Config) (verify.Result, error) {
	p := problemOf(cfg.Class)
	s, err := newSorter(n, p, &cfg.Options)
	if err != nil {
		return verify.Result{}, err
	}
	if _, err := s.iterate(1); err != nil { // one untimed iteration, as in NPB
		return verify.Result{}, err
	}
	var passed []int // tests passed, by iteration
	parts.KeepBlock(n, "keys", &s.keys, p.keys, 1)
	n.Resume(&passed)
	r := verify.Result{Operations: p.operations() * verify.Left(n, iterations)}
	r.Time, err = parts.Timed(n, func() error {
		for i := range n.Steps(iterations) {
			count, err := s.iterate(i + 1)
			if err != nil {
				return err
			}
			passed = append(passed, count)
			cfg.Advance(1)
		}
		return nil
	})
	if err != nil {
		return r, err
	}
	sorted, err := s.verify()
	if n.Rank() == 0 {
		report(&r, passed, sorted)
	}
	return r, err
}

// report adds to r the tests passed in each iteration and the outcome of the final sort.
func report(r *verify.Result, passed []int, sorted bool) {
	passes := 0
	for i, count := range passed {
		passes += count
		r.Lines = append(r.Lines, fmt.Sprintf("iteration %d: %d of %d tests passed", i+1, count, tests))
	}
	if sorted {
		passes++
	}
	r.Lines = append(r.Lines, fmt.Sprintf("keys sorted: %v", sorted))
	r.Checks = []verify.Check{{Name: "number of passes", Got: float64(passes), Want: most}}
}
