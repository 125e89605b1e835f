package verify

import (
	"fmt"
	"hash/fnv"
	"math"

	"github.com/fagus-dsm/fagus/fagus"
)

// Result is what a rank has in the end.
type Result struct {
	// Checks are what has to be right, and Lines what is printed beside them. Only rank 0 has them.
	Checks []Check
	Lines  []string
	// Time is what the timed section took this rank.
	Time fagus.Time
	// Operations are those of all ranks in the timed section.
	Operations float64
}

// Timer runs the timed section of a program without Fagus, and returns how long it took.
type Timer func(section func()) fagus.Time

// Check is a number that is known beforehand, or an error that has to be small.
type Check struct {
	Name      string
	Got, Want float64
	Tolerance float64 // of the relative error; 0: they must be the same
}

// Error is the relative error, or the absolute one if Want is 0; +Inf if Got is no number.
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

// OK says whether it passes.
func (c Check) OK() bool { return c.Error() <= c.Tolerance }

// String says what was checked.
func (c Check) String() string {
	return fmt.Sprintf("%s is %.15g, want %.15g within %g", c.Name, c.Got, c.Want, c.Tolerance)
}

// Excess is the largest error of all checks in units of its tolerance: they pass if it is at most
// 1. Without checks it is +Inf.
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

// Bits stand for what came out: results with the same are the same, bit for bit.
func (r *Result) Bits() uint64 {
	h := fnv.New64a()
	for _, c := range r.Checks {
		fmt.Fprintf(h, "%x ", c.Got)
	}
	return h.Sum64()
}

// Mops are the millions of operations a second, in the time of the slowest rank.
func (r *Result) Mops(slowest fagus.Time) float64 {
	if slowest <= 0 {
		return 0
	}
	return r.Operations / 1e6 / (float64(slowest) / float64(fagus.Second))
}
