package parts_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/fagus/parts"
)

// TestExact compares sums of random numbers with sums of 4000 bits, which are exact, too.
func TestExact(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	for round := range 300 {
		var e parts.Exact
		sum := new(big.Float).SetPrec(4000)
		for range 1 + random.IntN(200) {
			x := math.Float64frombits(random.Uint64())
			if round%3 == 0 {
				x = random.NormFloat64()
			}
			if math.IsNaN(x) || math.IsInf(x, 0) {
				continue
			}
			e.Add(x)
			sum.Add(sum, new(big.Float).SetFloat64(x))
		}
		if want, _ := sum.Float64(); e.Float64() != want {
			t.Fatalf("seed %d, round %d: the sum is %x, want %x", seed, round, e.Float64(), want)
		}
	}
}

// TestExactEdges adds the smallest and largest numbers, numbers that cancel, ties, infinities
// and NaN.
func TestExactEdges(t *testing.T) {
	const ulp = 1.0 / (1 << 52)
	for _, c := range []struct {
		add  []float64
		want float64
	}{
		{nil, 0},
		{[]float64{math.SmallestNonzeroFloat64, math.SmallestNonzeroFloat64}, 2 * math.SmallestNonzeroFloat64},
		{[]float64{math.MaxFloat64, math.MaxFloat64, -math.MaxFloat64}, math.MaxFloat64},
		{[]float64{math.MaxFloat64, math.MaxFloat64}, math.Inf(1)},
		{[]float64{1e300, 1, -1e300}, 1},
		{[]float64{1, ulp / 2}, 1},
		{[]float64{1 + ulp, ulp / 2}, 1 + 2*ulp},
		{[]float64{1, ulp / 2, math.SmallestNonzeroFloat64}, 1 + ulp},
		{[]float64{-1, 0.5}, -0.5},
		{[]float64{math.Inf(1), 3}, math.Inf(1)},
		{[]float64{math.Inf(-1), math.MaxFloat64}, math.Inf(-1)},
		{[]float64{math.Inf(1), math.Inf(-1)}, math.NaN()},
		{[]float64{math.NaN(), 1}, math.NaN()},
	} {
		var e parts.Exact
		for _, x := range c.add {
			e.Add(x)
		}
		if got := e.Float64(); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("the sum of %g is %g, want %g", c.add, got, c.want)
		}
	}
}

func BenchmarkExact(b *testing.B) {
	var e parts.Exact
	x := 1.0
	for b.Loop() {
		e.Add(x)
		x = -x * 1.000001
	}
}
