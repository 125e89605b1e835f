package repeat

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// InTurn calls do for each of count items in every round, one after the other. Each round begins
// with another item, so that a disturbance of the machine affects all of them.
func InTurn(rounds, count int, do func(round, item int) error) error {
	for round := range rounds {
		for i := range count {
			if err := do(round, (i+round)%count); err != nil {
				return err
			}
		}
	}
	return nil
}

// Quantile returns the value above a fraction q of values, interpolated linearly: of 0.5 the
// median. It sorts the values; of none it returns 0.
func Quantile[T ~int64 | ~float64](values []T, q float64) T {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	at := q * float64(len(values)-1)
	below := int(at)
	above := min(below+1, len(values)-1)
	return values[below] + T((at-float64(below))*float64(values[above]-values[below]))
}

// Sample summarises the times of several runs, in nanoseconds.
type Sample struct {
	Median int64 `json:"median"`
	Min    int64 `json:"min"`
	Max    int64 `json:"max"`
}

// NewSample summarises at least one value. The median of an even number of values is the mean
// of the middle two, rounded down.
func NewSample(values []int64) Sample {
	return Sample{Median: Quantile(slices.Clone(values), 0.5), Min: slices.Min(values), Max: slices.Max(values)}
}

// Spread returns the largest deviation from the median, divided by the median. For a median of 0
// it returns 0.
func (s Sample) Spread() float64 {
	if s.Median == 0 {
		return 0
	}
	return float64(max(s.Max-s.Median, s.Median-s.Min)) / float64(s.Median)
}

// String returns the median, followed by the spread unless the spread is 0.
func (s Sample) String() string {
	text := duration(s.Median).String()
	if s.Min != s.Max {
		text += fmt.Sprintf(" ±%.0f %%", 100*s.Spread())
	}
	return text
}

func duration(ns int64) dimmnet.Time { return dimmnet.Time(ns) * dimmnet.Nanosecond }

// Ratio summarises the ratios of times of several rounds.
type Ratio struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// NewRatio returns how many times as long as b a took, round by round: both were measured soon
// after one another. It returns nil if a time is 0.
func NewRatio(a, b []int64) *Ratio {
	var all []float64
	for round := range min(len(a), len(b)) {
		if b[round] <= 0 {
			return nil
		}
		all = append(all, float64(a[round])/float64(b[round]))
	}
	if len(all) == 0 {
		return nil
	}
	return &Ratio{Quantile(all, 0.5), slices.Min(all), slices.Max(all)}
}

// String returns a text such as "1.85 (1.70 to 1.91)", and "" of nil.
func (r *Ratio) String() string {
	switch {
	case r == nil:
		return ""
	case r.Min == r.Max:
		return fmt.Sprintf("%.2f", r.Median)
	}
	return fmt.Sprintf("%.2f (%.2f to %.2f)", r.Median, r.Min, r.Max)
}
