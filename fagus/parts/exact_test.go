package parts_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/fagus"
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

// TestAddExact: a sum of sums is the sum of all numbers, also next to the bound at which carries
// are propagated. A sum can be added to itself.
func TestAddExact(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	for round := range 100 {
		var whole, sum parts.Exact
		for range 1 + random.IntN(5) {
			var part parts.Exact
			for range random.IntN(20) {
				x := math.Ldexp(random.NormFloat64(), random.IntN(600)-300)
				whole.Add(x)
				part.Add(x)
			}
			if round%2 == 0 {
				sum.SetAdds(parts.MostAdds - 1 - random.IntN(3))
				part.SetAdds(1 + random.IntN(parts.MostAdds-1))
			}
			sum.AddExact(&part)
			if sum.Adds() >= parts.MostAdds {
				t.Fatalf("seed %d, round %d: %d additions since the last carry", seed, round, sum.Adds())
			}
		}
		if got, want := sum.Float64(), whole.Float64(); got != want {
			t.Fatalf("seed %d, round %d: the sum is %x, want %x", seed, round, got, want)
		}
		want := 2 * sum.Float64()
		if sum.AddExact(&sum); sum.Float64() != want {
			t.Fatalf("seed %d, round %d: twice the sum is %x, want %x", seed, round, sum.Float64(), want)
		}
	}
}

// TestTableOfExact: the sums of a Table have the same bits on any number of ranks.
func TestTableOfExact(t *testing.T) {
	for nodes := 1; nodes <= 4; nodes++ {
		run(t, fagus.Config{Nodes: nodes}, func(n *fagus.Node) error {
			add := func(a, b parts.Exact) parts.Exact { a.AddExact(&b); return a }
			table, err := parts.NewTable(n, "table", strings.Compare, add)
			if err != nil {
				return err
			}
			for i := n.Rank(); i < 30; i += n.Nodes() {
				var e parts.Exact
				for _, x := range []float64{0.1 * float64(i), 1e300, -1e300} {
					e.Add(x)
				}
				table.Add("key", e)
			}
			if err := table.Merge(); err != nil {
				return err
			}
			all, err := table.Collect(0)
			if n.Rank() == 0 && (len(all) != 1 || all[0].Value.Float64() != 43.5) {
				t.Errorf("%d ranks: %d sums", n.Nodes(), len(all))
			}
			return err
		})
	}
}
