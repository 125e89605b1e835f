package ep

import (
	"math"

	"github.com/fagus-dsm/fagus/apps/internal/npb"
)

// chunk is how many pairs are computed at once, in three steps. In each step the pairs are
// independent, and no branch depends on them, so that a processor works on several.
const chunk = 512

// batch counts the pairs of batch b by ring, and returns the sums of their coordinates.
func batch(b int, inRing []int64) (s sums) {
	random := npb.Random(seed).Skip(uint64(b) * 2 * batchPairs)
	var uniform [2 * chunk]float64
	var xs, ys, ts [chunk]float64
	for range batchPairs / chunk {
		random.Fill(uniform[:])
		n := 0 // pairs in the circle
		for i := range chunk {
			x, y := 2*uniform[2*i]-1, 2*uniform[2*i+1]-1
			t := x*x + y*y
			xs[n], ys[n], ts[n] = x, y, t
			n = (n + inside(t)) % chunk
		}
		for i, t := range ts[:n] {
			ts[i] = math.Sqrt(-2 * log(t) / t)
		}
		for i, scale := range ts[:n] {
			x, y := xs[i]*scale, ys[i]*scale
			ax, ay := math.Abs(x), math.Abs(y)
			inRing[int(max(ax, ay))]++
			s[0], s[1], s[2], s[3] = s[0]+x, s[1]+y, s[2]+ax, s[3]+ay
		}
	}
	return s
}

// inside returns 1 if t is at most 1, else 0.
func inside(t float64) int { return int(^math.Float64bits(1-t) >> 63) }

// logBits is the base-2 logarithm of the number of intervals in which log approximates.
const logBits = 7

// logTable has, for each interval of [1, 2), about the inverse of its middle, and the logarithm of
// what that is the inverse of.
var logTable = func() (table [1 << logBits]struct{ inverse, log float64 }) {
	for i := range table {
		inverse := float64(float32(1 / (1 + (float64(i)+0.5)/(1<<logBits))))
		table[i].inverse, table[i].log = inverse, -math.Log(inverse)
	}
	return table
}()

// log returns the natural logarithm of a normal positive number. It differs from math.Log by at
// most 5e-16, or 5e-16 of a logarithm beyond 1. It takes half the time of math.Log, which divides
// and covers all numbers.
func log(x float64) float64 {
	bits := math.Float64bits(x)
	exponent := float64(int64(bits>>52) - 1023)
	part := &logTable[bits>>(52-logBits)%(1<<logBits)]
	mantissa := math.Float64frombits(bits&(1<<52-1) | 1023<<52)
	r := math.FMA(mantissa, part.inverse, -1) // below 2^-7: log(1+r) is the begin of its series
	r2 := r * r
	return exponent*math.Ln2 + part.log + (r + r2*(-0.5+r*(1.0/3)+r2*(-0.25+r*0.2+r2*(-1.0/6))))
}
