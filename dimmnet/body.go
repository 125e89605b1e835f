package dimmnet

import (
	"context"
	"fmt"
	"runtime/debug"
)

// RunBody runs body on h and calls ended when it is over, however it ended: with
// the error that Network.Run is to return and the one that the run's other
// ports are to show, or twice nil. It is for networks; network names the one
// that calls it. After runtime.Goexit it does not return.
func RunBody(network string, h Host, body func(Host) error, ended func(cause, shown error)) {
	rank := h.Port().Rank()
	returned := false
	defer func() {
		if returned {
			return
		}
		err := fmt.Errorf("%s: rank %d called runtime.Goexit", network, rank)
		// A panic has a value, nil included (runtime.PanicNilError).
		if v := recover(); v != nil {
			err = panicError(network, rank, v)
		}
		ended(err, err)
	}()
	err := body(h)
	returned = true
	if err != nil {
		ended(err, fmt.Errorf("%s: rank %d failed: %w", network, rank, err))
		return
	}
	ended(nil, nil)
}

// panicError says who panicked, with what, and where.
func panicError(network string, rank Rank, value any) error {
	if err, ok := value.(error); ok {
		return fmt.Errorf("%s: rank %d panicked: %w\n%s", network, rank, err, debug.Stack())
	}
	return fmt.Errorf("%s: rank %d panicked: %v\n%s", network, rank, value, debug.Stack())
}

// ContextErr is why ctx, which is done, ends a run: its error, and its cause if
// it has another. It is for networks.
func ContextErr(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != ctx.Err() {
		return fmt.Errorf("%w: %w", ctx.Err(), cause)
	}
	return ctx.Err()
}
