package mg

import (
	"math"

	"github.com/fagus-dsm/fagus/apps/npb"
)

const (
	seed    = 314159265
	charges = 10 // of each sign
)

// largest are the largest numbers of a sequence, in order, and where they were.
type largest struct {
	numbers [charges]float64
	at      [charges]int
}

func (l *largest) offer(x float64, at int) {
	i := charges - 1
	for ; i > 0 && l.numbers[i-1] < x; i-- {
		l.numbers[i], l.at[i] = l.numbers[i-1], l.at[i-1]
	}
	l.numbers[i], l.at[i] = x, at
}

// extremes are where the smallest and the largest of count random numbers are.
func extremes(count int) (smallest, greatest [charges]int) {
	var low, high largest
	for i := range charges {
		low.numbers[i], high.numbers[i] = math.Inf(-1), math.Inf(-1)
	}
	random := npb.Random(seed)
	for at := range count {
		x := random.Next()
		if x > high.numbers[charges-1] {
			high.offer(x, at)
		}
		if -x > low.numbers[charges-1] {
			low.offer(-x, at)
		}
	}
	return low.at, high.at
}

// newCharges is the right side: 0 but for -1 where the smallest random numbers are, and +1 where
// the largest are. Of it this rank has the planes lo up to but not including hi.
func newCharges(n, lo, hi int) *own {
	v := newOwn(n, lo, hi)
	smallest, greatest := extremes(n * n * n)
	set := func(at int, charge float64) {
		if z := at / (n * n); lo <= z && z < hi {
			v.Row(z)[at%(n*n)] = charge
		}
	}
	for i := range charges {
		set(smallest[i], -1)
		set(greatest[i], +1)
	}
	return v
}
