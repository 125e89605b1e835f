package csession

import (
	"github.com/fagus-dsm/fagus/fagus"
)

// Op is the operation of a reduction.
type Op int32

// The operations.
const (
	Sum Op = iota
	Least
	Most
)

// ReduceInt reduces one number of each rank, in rank order, and returns the result at every rank.
// Sums wrap around.
func (s *Session) ReduceInt(op Op, x int64) (all int64, err error) {
	return reduce(s, op, x, func(a, b int64) int64 { return a + b })
}

// ReduceFloat is ReduceInt for floating-point numbers. Least and Most return NaN if any number is
// NaN.
func (s *Session) ReduceFloat(op Op, x float64) (all float64, err error) {
	return reduce(s, op, x, func(a, b float64) float64 { return a + b })
}

func reduce[T int64 | float64](s *Session, op Op, x T, sum func(a, b T) T) (all T, err error) {
	err = s.call("reduce", func() error {
		var fold func(a, b T) T
		switch op {
		case Sum:
			fold = sum
		case Least:
			fold = func(a, b T) T { return min(a, b) }
		case Most:
			fold = func(a, b T) T { return max(a, b) }
		default:
			return fail(Argument, "operation %d: want 0 to %d", op, Most)
		}
		var err error
		all, err = fagus.Reduce(s.node, x, fold)
		return lost(err)
	})
	return all, err
}
