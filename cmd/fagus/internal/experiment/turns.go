package experiment

import (
	"context"
	"sync"
)

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
