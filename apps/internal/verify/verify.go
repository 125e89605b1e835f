package verify

import (
	"fmt"
	"hash/fnv"
	"math"

	"github.com/fagus-dsm/fagus/fagus"
)

// Result is the outcome of a program at one rank.
type Result struct {
	// Checks are the numbers to verify. Lines are lines to print with them. Only rank 0 has both.
	Checks []Check
	Lines  []string
	// Time is the duration of the timed section at this rank.
	Time fagus.Time
	// Operations counts the operations of all ranks in the timed section.
	Operations float64
}

// Timer runs the timed section of a program without Fagus, and returns its duration.
type Timer func(section func()) fagus.Time

// Check compares a computed number with a reference value, or an error with zero.
type Check struct {
	Name      string
	Got, Want float64
	Tolerance float64 // the largest relative error that passes; 0 demands equality
}

// Error returns the relative error, or the absolute error if Want is 0. It is +Inf if Got is NaN.
func (c Check) Error() float64 {
	switch err := math.Abs(c.Got - c.Want); {
	case math.IsNaN(err):
		return math.Inf(1)
	case c.Want == 0:
		return err
	default:
		return err / math.Abs(c.Want)
	}
}

// OK reports whether the error is within the tolerance.
func (c Check) OK() bool { return c.Error() <= c.Tolerance }

// String describes the check and its outcome.
func (c Check) String() string {
	return fmt.Sprintf("%s is %.15g, want %.15g within %g", c.Name, c.Got, c.Want, c.Tolerance)
}

// Excess returns the maximum over all checks of error divided by tolerance. The result passes if
// Excess is at most 1. Without checks, Excess is +Inf.
func (r *Result) Excess() float64 {
	worst := math.Inf(1)
	for i, c := range r.Checks {
		excess := 0.0
		switch {
		case c.Tolerance > 0:
			excess = c.Error() / c.Tolerance
		case !c.OK():
			excess = math.Inf(1)
		}
		if i == 0 || excess > worst {
			worst = excess
		}
	}
	return worst
}

// Bits returns a hash of the checked numbers. Results with equal hashes are equal bit for bit.
func (r *Result) Bits() uint64 {
	h := fnv.New64a()
	for _, c := range r.Checks {
		fmt.Fprintf(h, "%x ", c.Got)
	}
	return h.Sum64()
}

// Mops returns the rate in millions of operations per second. slowest is the slowest rank's time.
func (r *Result) Mops(slowest fagus.Time) float64 {
	if slowest <= 0 {
		return 0
	}
	return r.Operations / 1e6 / (float64(slowest) / float64(fagus.Second))
}
