package prk

import (
	"fmt"
	"math"

	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Epsilon is the largest error of a correct result.
const Epsilon = 1e-8

// The cost of computing on a simulated machine: 100 Mflop/s, and 400 MB/s of memory bandwidth.
const (
	OperationTime = 10 * fagus.Nanosecond
	ByteTime      = 5 * fagus.Nanosecond / 2
)

const maxIterations = 1 << 30

// Loop has the parameters that all kernels share.
type Loop struct {
	// Iterations is the number of timed iterations, at least 1. One untimed iteration precedes
	// them.
	Iterations int
	// Progress counts iterations at rank 0, including the untimed one. Spoil corrupts a number of
	// the last rank that has data.
	verify.Options
	done int // iterations, including the untimed one, before the run resumed
}

// Validate reports an error if the loop has no iteration, or too many. kernel is the name in the
// error.
func (l *Loop) Validate(kernel string) error {
	if l.Iterations < 1 || l.Iterations > maxIterations {
		return fmt.Errorf("%s: %d iterations: want 1 to %d", kernel, l.Iterations, maxIterations)
	}
	return nil
}

// Total returns the number of iterations, including the untimed one.
func (l *Loop) Total() int { return l.Iterations + 1 }

// Resume returns how many iterations, including the untimed one, the former run had made at the
// checkpoint from which this run resumes. A kernel calls it when its input is ready. Timed makes
// the checkpoints.
func (l *Loop) Resume(n *fagus.Node) (done int) {
	if n.Resume() {
		l.done = 1 + n.Begun()
	}
	return l.done
}

// Timed calls iterate for the untimed iteration, unless the run has resumed, and then for all timed
// iterations. It returns the time of the timed iterations of this run, until the last rank has
// finished. All ranks call it. With Config.Checkpoints it calls iterate for one at a time, with a
// Checkpoint in between.
func (l *Loop) Timed(n *fagus.Node, iterate func(times int) error) (fagus.Time, error) {
	if l.done == 0 {
		if err := iterate(1); err != nil {
			return 0, err
		}
	}
	return parts.Timed(n, func() error {
		if !n.Checkpoints() {
			if err := iterate(l.Iterations); err != nil {
				return err
			}
			return n.Barrier()
		}
		for range n.Steps(l.Iterations) {
			if err := iterate(1); err != nil {
				return err
			}
		}
		return n.Barrier()
	})
}

// Made returns how many timed iterations this run makes.
func (l *Loop) Made() int { return l.Total() - max(1, l.done) }

// Step is one iteration: it calls f while the set is held, and reports progress. A Fence orders it
// before the next iteration. All ranks call it.
func (l *Loop) Step(n *fagus.Node, set *fagus.SyncSet, f func() error) error {
	if err := n.During(set, f); err != nil {
		return err
	}
	if err := n.Fence(); err != nil {
		return err
	}
	l.AdvanceTogether(n, 1)
	return nil
}

// Plain does the same as Timed without Fagus. iterate performs one iteration, and Plain reports
// each iteration to Progress.
func (l *Loop) Plain(timed verify.Timer, iterate func()) fagus.Time {
	each := func(times int) {
		for range times {
			iterate()
			l.Advance(1)
		}
	}
	each(1)
	return timed(func() { each(l.Iterations) })
}

// Result is the outcome of a kernel at one rank.
type Result struct {
	// Got is the computed number, and Want the number from the closed form.
	Got, Want float64
	// Error is the error that PRK compares with [Epsilon]. Whether it is absolute or relative
	// depends on the kernel.
	Error float64
	// Time is the duration of the timed iterations.
	Time fagus.Time
	// Work is the work of all ranks in a timed iteration: bytes or floating-point operations, as
	// PRK counts them. Made is the number of timed iterations.
	Work float64
	Made int
}

// Relative returns r with Error set to the relative error of Got.
func (r Result) Relative() Result {
	r.Error = math.Abs(r.Got-r.Want) / r.Want
	return r
}

// Absolute returns r with Error set to the absolute error of Got.
func (r Result) Absolute() Result {
	r.Error = math.Abs(r.Got - r.Want)
	return r
}

// Rate returns the work in millions per second.
func (r *Result) Rate() float64 {
	if r.Time <= 0 {
		return 0
	}
	return float64(r.Made) * r.Work / 1e6 / (float64(r.Time) / float64(fagus.Second))
}
