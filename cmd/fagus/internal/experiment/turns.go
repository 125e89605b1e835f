package experiment

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
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

// Crowd calls do for 0, 1 and so on, in several workers at a time, until more reports false, ctx
// ends or a call fails. Calls of more do not overlap. It returns when all workers have ended, with
// the first error; then the context of the other calls has ended, too.
func Crowd(ctx context.Context, workers int, more func(i int) bool, do func(ctx context.Context, i int) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var mu sync.Mutex
	var wait sync.WaitGroup
	next := 0
	take := func() (i int, ok bool) {
		mu.Lock()
		defer mu.Unlock()
		if ctx.Err() != nil || !more(next) {
			return 0, false
		}
		next++
		return next - 1, true
	}
	for range workers {
		wait.Go(func() {
			for i, ok := take(); ok; i, ok = take() {
				if err := do(ctx, i); err != nil {
					stop(err)
				}
			}
		})
	}
	wait.Wait()
	return context.Cause(ctx)
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
