package main

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// sample sums up what several runs measured, in nanoseconds.
type sample struct {
	Median int64 `json:"median"`
	Min    int64 `json:"min"`
	Max    int64 `json:"max"`
}

// newSample sums up at least one value. The median of an even number is the mean
// of the middle two, rounded down.
func newSample(values []int64) sample {
	sorted := slices.Sorted(slices.Values(values))
	lower, upper := sorted[(len(sorted)-1)/2], sorted[len(sorted)/2]
	return sample{Median: lower + (upper-lower)/2, Min: sorted[0], Max: sorted[len(sorted)-1]}
}

// spread is how far the farthest run is from the median, relative to it; 0 if
// the median is 0.
func (s sample) spread() float64 {
	if s.Median == 0 {
		return 0
	}
	return float64(max(s.Max-s.Median, s.Median-s.Min)) / float64(s.Median)
}

// String is the median, and the spread if there is one.
func (s sample) String() string {
	text := nsTime(s.Median).String()
	if s.Min != s.Max {
		text += fmt.Sprintf(" ±%.0f %%", 100*s.spread())
	}
	return text
}

func nsTime(ns int64) dimmnet.Time { return dimmnet.Time(ns) * dimmnet.Nanosecond }
