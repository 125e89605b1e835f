package catalog

import (
	"context"
	"errors"
	"fmt"
	"math"
	"syscall"
	"time"

	"github.com/fagus-dsm/fagus/apps/internal/matrix"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

func readMatrix(ctx context.Context, path string) (matrix.Dense, error) {
	return readInput(ctx, path, matrix.Read)
}

// readInput reads a file, or a pipe until ctx ends. Invalid content is a usage error.
func readInput[T any](ctx context.Context, path string, read func(string) (T, error)) (T, error) {
	type reading struct {
		content T
		err     error
	}
	done := make(chan reading, 1)
	go func() {
		content, err := read(path)
		done <- reading{content, err}
	}()
	select {
	case r := <-done:
		return r.content, asUsage(r.err)
	case <-ctx.Done():
		var none T
		return none, fmt.Errorf("while reading %s: %w", path, ctx.Err())
	}
}

// asUsage makes err, an error about input, a usage error, unless the operating system caused it.
func asUsage(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return usage.Wrap(err)
}

// VirtualTime converts d to a fagus.Time. Values out of range become the nearest fagus.Time.
func VirtualTime(d time.Duration) fagus.Time {
	const most = math.MaxInt64 / int64(fagus.Nanosecond)
	return fagus.Time(max(-most, min(d.Nanoseconds(), most))) * fagus.Nanosecond
}
