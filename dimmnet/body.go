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
	RunThread(network, "", h, body, ended)
}

// ThreadLabel is how networks name a thread after the word "rank": 3 is the body
// of rank 3, 3:name a thread that Host.Go started there.
func ThreadLabel(rank Rank, name string) string {
	if name == "" {
		return fmt.Sprint(rank)
	}
	return fmt.Sprintf("%d:%s", rank, name)
}

// RunThread is RunBody for a thread that Host.Go started by this name.
func RunThread(network, name string, h Host, body func(Host) error, ended func(cause, shown error)) {
	// The label is made when it is needed: printing would double the stack of a
	// simulated thread.
	label := func() string { return ThreadLabel(h.Port().Rank(), name) }
	returned := false
	defer func() {
		if returned {
			return
		}
		err := fmt.Errorf("%s: rank %s called runtime.Goexit", network, label())
		// A panic has a value, nil included (runtime.PanicNilError).
		if v := recover(); v != nil {
			err = panicError(network, label(), v)
		}
		ended(err, err)
	}()
	err := body(h)
	returned = true
	if err != nil {
		ended(err, fmt.Errorf("%s: rank %s failed: %w", network, label(), err))
		return
	}
	ended(nil, nil)
}

// panicError says who panicked, with what, and where.
func panicError(network, label string, value any) error {
	if err, ok := value.(error); ok {
		return fmt.Errorf("%s: rank %s panicked: %w\n%s", network, label, err, debug.Stack())
	}
	return fmt.Errorf("%s: rank %s panicked: %v\n%s", network, label, value, debug.Stack())
}

// ContextErr is why ctx, which is done, ends a run: its error, and its cause if
// it has another. It is for networks.
func ContextErr(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != ctx.Err() {
		return fmt.Errorf("%w: %w", ctx.Err(), cause)
	}
	return ctx.Err()
}
