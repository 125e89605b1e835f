package experiment

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
)

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

// spread returns the largest deviation from the median, divided by the median. For a median of 0
// it returns 0.
func (s Sample) spread() float64 {
	if s.Median == 0 {
		return 0
	}
	return float64(max(s.Max-s.Median, s.Median-s.Min)) / float64(s.Median)
}

// String returns the median, followed by the spread unless the spread is 0.
func (s Sample) String() string {
	text := base.Nanoseconds(s.Median).String()
	if s.Min != s.Max {
		text += fmt.Sprintf(" ±%.0f %%", 100*s.spread())
	}
	return text
}
