package adi

import (
	"fmt"

	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
)

// Benchmark is BT or SP.
type Benchmark struct {
	Name    string
	Problem func(npb.Class) *Problem
	Solver  func(*Problem) Solver
}

// Units returns the number of planes that all steps of a class compute.
func (b Benchmark) Units(c npb.Class) int { p := b.Problem(c); return p.Steps * (p.N - 2) }

// Memory returns the least number of bytes that all ranks of a class need: for the solution, the
// right side and the forcing.
func (b Benchmark) Memory(c npb.Class, _ int) int {
	n := b.Problem(c).N
	return 3 * 8 * components * n * n * n
}

// Validate reports an error if there are more ranks than planes.
func (b Benchmark) Validate(c npb.Class, nodes int) error {
	if n := b.Problem(c).N; nodes > n {
		return fmt.Errorf("%s: class %v on %d nodes: its %d planes are enough for %[4]d nodes at most", b.Name, c, nodes, n)
	}
	return nil
}

// Run runs the benchmark. Every rank calls it with the same Config.
func (b Benchmark) Run(n *fagus.Node, cfg npb.Config) (verify.Result, error) {
	if err := b.Validate(cfg.Class, n.Nodes()); err != nil {
		return verify.Result{}, err
	}
	p := b.Problem(cfg.Class)
	return run(n, cfg, p, b.Solver(p))
}

// Plain runs the benchmark without Fagus.
func (b Benchmark) Plain(cfg npb.Config, timed verify.Timer) verify.Result {
	p := b.Problem(cfg.Class)
	return plain(cfg, timed, p, b.Solver(p))
}
