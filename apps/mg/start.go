package mg

import (
	"math"

	"github.com/fagus-dsm/fagus/apps/internal/npb"
)

const (
	seed    = 314159265
	charges = 10 // number of charges of each sign
)

// largest collects the largest numbers of a sequence, in descending order, and their positions.
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

// extremes returns the positions of the smallest and the largest of count random numbers.
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

// newCharges returns the planes lo to hi-1 of the right side: -1 at the smallest random numbers,
// +1 at the largest, and 0 elsewhere.
func newCharges(n, lo, hi int) *own {
	v := newOwn(n, lo, hi)
	clear(v.numbers) // NPB, too, touches the memory before the timed section
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
