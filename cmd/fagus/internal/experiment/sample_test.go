package experiment

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSample(t *testing.T) {
	for _, tt := range []struct {
		values []int64
		want   Sample
		text   string
	}{
		{[]int64{7}, Sample{7, 7, 7}, "7.000 ns"},
		{[]int64{0, 0}, Sample{0, 0, 0}, "0"},
		{[]int64{3, 1, 2}, Sample{2, 1, 3}, "2.000 ns ±50 %"},
		{[]int64{10, 40, 20, 30}, Sample{25, 10, 40}, "25.000 ns ±60 %"},
		{[]int64{1, 2}, Sample{1, 1, 2}, "1.000 ns ±100 %"},
		{[]int64{1000, 1100, 900, 1000, 700}, Sample{1000, 700, 1100}, "1.000 us ±30 %"},
		{[]int64{0, 0, 5}, Sample{0, 0, 5}, "0 ±0 %"},
	} {
		if got := NewSample(tt.values); got != tt.want || got.String() != tt.text {
			t.Errorf("%v: %+v %q, want %+v %q", tt.values, got, got, tt.want, tt.text)
		}
	}
}

// TestSampleOrder: NewSample gives the same result for shuffled values, and leaves their order.
func TestSampleOrder(t *testing.T) {
	const seed = 5
	random := rand.New(rand.NewPCG(seed, 0))
	values := []int64{5, 1, 4, 4, 9, 2, 7}
	for range 50 {
		random.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		before := slices.Clone(values)
		if got := NewSample(values); got != (Sample{4, 1, 9}) || !slices.Equal(values, before) {
			t.Fatalf("seed %d: %v became %v, %+v", seed, before, values, got)
		}
	}
}
