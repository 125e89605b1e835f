package prk

import (
	"fmt"

	"github.com/fagus-dsm/fagus/apps/verify"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Epsilon is the error that a result may have.
const Epsilon = 1e-8

// What computing takes on a simulated machine: 100 Mflop/s, and 400 MB/s of memory.
const (
	OperationTime = 10 * fagus.Nanosecond
	ByteTime      = 5 * fagus.Nanosecond / 2
)

// Loop is what all kernels are told.
type Loop struct {
	// Iterations are those that are timed, at least 1. One more goes before them.
	Iterations int
	// Progress, if not nil, is called at rank 0 with the iterations just finished, the one
	// before the timed ones included.
	Progress func(iterations int)
	// Spoil makes one number of the last rank that has any wrong: for those who want to see that it is found.
	Spoil bool
}

// Validate reports what cannot be run; kernel is the name in the error.
func (l *Loop) Validate(kernel string) error {
	if l.Iterations < 1 {
		return fmt.Errorf("%s: %d iterations: want at least 1", kernel, l.Iterations)
	}
	return nil
}

// Total is how many iterations there are, the one before the timed ones included.
func (l *Loop) Total() int { return l.Iterations + 1 }

// Advance tells Progress of one iteration.
func (l *Loop) Advance(n *fagus.Node) {
	if l.Progress != nil && n.Rank() == 0 {
		l.Progress(1)
	}
}

// Spoils says whether this rank is to make a number wrong: the one that has the last of so many items, in
// a parts.Block each.
func (l *Loop) Spoils(n *fagus.Node, items int) bool {
	return l.Spoil && n.Rank() == parts.Owner(items, n.Nodes(), items-1)
}

// Timed iterates once, and then Iterations times, of which it returns the time until the last rank has
// done so. It is collective.
func (l *Loop) Timed(n *fagus.Node, iterate func(times int) error) (fagus.Time, error) {
	if err := iterate(1); err != nil {
		return 0, err
	}
	return parts.Timed(n, func() error {
		if err := iterate(l.Iterations); err != nil {
			return err
		}
		return n.Barrier()
	})
}

// Plain is Timed without Fagus: iterate is one iteration, and Progress is told of each.
func (l *Loop) Plain(timed verify.Timer, iterate func()) fagus.Time {
	each := func(times int) {
		for range times {
			iterate()
			if l.Progress != nil {
				l.Progress(1)
			}
		}
	}
	each(1)
	return timed(func() { each(l.Iterations) })
}

// Result is what a rank has in the end.
type Result struct {
	// Got is what came out, and Want the closed form.
	Got, Want float64
	// Error is what PRK holds against [Epsilon]: absolute or relative, as the kernel says.
	Error float64
	// Time is what the timed iterations took.
	Time fagus.Time
	// Work is that of all ranks in the timed iterations: bytes or floating-point operations, as PRK counts them.
	Work float64
}

// Rate is the work in millions a second.
func (r *Result) Rate() float64 {
	if r.Time <= 0 {
		return 0
	}
	return r.Work / 1e6 / (float64(r.Time) / float64(fagus.Second))
}
