package repeat

import (
	"errors"
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

// TestQuantile: Quantile interpolates between samples.
func TestQuantile(t *testing.T) {
	for _, one := range []struct {
		samples []float64
		want    [3]float64
	}{
		{[]float64{5}, [3]float64{5, 5, 5}},
		{[]float64{1, 2}, [3]float64{1.25, 1.5, 1.75}},
		{nil, [3]float64{}},
		{[]float64{9, 3, 1, 4, 2}, [3]float64{2, 3, 4}},
	} {
		var got []float64
		for _, q := range []float64{0.25, 0.5, 0.75} {
			got = append(got, Quantile(one.samples, q))
		}
		if !slices.Equal(got, one.want[:]) {
			t.Errorf("%v: %v, want %v", one.samples, got, one.want)
		}
	}
}

// TestInTurn: every round has all items, and begins with another one; an error ends it.
func TestInTurn(t *testing.T) {
	var order []int
	err := InTurn(3, 3, func(round, item int) error {
		order = append(order, 10*round+item)
		return nil
	})
	if want := []int{0, 1, 2, 11, 12, 10, 22, 20, 21}; err != nil || !slices.Equal(order, want) {
		t.Errorf("%v, %v, want %v", order, err, want)
	}
	enough := errors.New("enough")
	if err := InTurn(3, 3, func(_, item int) error { return enough }); err != enough {
		t.Error(err)
	}
}
