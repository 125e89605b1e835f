package experiment

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

// TestCrowd: each number is done once, by all workers together.
func TestCrowd(t *testing.T) {
	const workers, items = 4, 100
	var done [items]atomic.Int32
	var all sync.WaitGroup // the first calls of all workers
	all.Add(workers)
	err := Crowd(t.Context(), workers, func(i int) bool { return i < items }, func(_ context.Context, i int) error {
		done[i].Add(1)
		if i < workers {
			all.Done()
			all.Wait()
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	for i := range done {
		if n := done[i].Load(); n != 1 {
			t.Errorf("%d is done %d times", i, n)
		}
	}
}

// TestCrowdEnds: after the first error the other calls see the end of their context, and no call
// follows. The end of the context given ends a crowd, too.
func TestCrowdEnds(t *testing.T) {
	enough, begun := errors.New("enough"), atomic.Int32{}
	err := Crowd(t.Context(), 3, func(int) bool { return true }, func(ctx context.Context, i int) error {
		begun.Add(1)
		if i == 2 {
			return enough
		}
		<-ctx.Done()
		return context.Cause(ctx)
	})
	if err != enough || begun.Load() != 3 {
		t.Errorf("%v after %d calls", err, begun.Load())
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(enough)
	if err := Crowd(ctx, 3, func(int) bool { return true }, func(context.Context, int) error { return nil }); err != enough {
		t.Error(err)
	}
}
