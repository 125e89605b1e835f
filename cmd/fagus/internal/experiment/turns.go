package experiment

import (
	"context"
	"slices"
	"sync"
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
