package dimmnet

import (
	"context"
	"fmt"
	"runtime/debug"
)

// RunBody runs body on h and calls ended once, when body has returned, panicked or called
// runtime.Goexit. ended gets the error that Network.Run is to return (cause) and the error
// that the other ports of the run are to show (shown); both are nil if body returned nil.
// Networks call it; network is the name of the network in error messages. If body calls
// runtime.Goexit, RunBody does not return.
func RunBody(network string, h Host, body func(Host) error, ended func(cause, shown error)) {
	RunThread(network, "", h, body, ended)
}

// ThreadLabel returns the name of a thread for error messages: "3" is the body of rank 3, and
// "3:name" is a thread that Host.Go started there.
func ThreadLabel(rank Rank, name string) string {
	if name == "" {
		return fmt.Sprint(rank)
	}
	return fmt.Sprintf("%d:%s", rank, name)
}

// RunThread is RunBody for a thread that Host.Go started with this name.
func RunThread(network, name string, h Host, body func(Host) error, ended func(cause, shown error)) {
	// Formatted only when needed: fmt would double the stack of a simulated thread.
	label := func() string { return ThreadLabel(h.Port().Rank(), name) }
	returned := false
	defer func() {
		if returned {
			return
		}
		err := fmt.Errorf("%s: rank %s called runtime.Goexit", network, label())
		// A recovered panic is never nil: runtime.PanicNilError replaces panic(nil).
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

func panicError(network, label string, value any) error {
	if err, ok := value.(error); ok {
		return fmt.Errorf("%s: rank %s panicked: %w\n%s", network, label, err, debug.Stack())
	}
	return fmt.Errorf("%s: rank %s panicked: %v\n%s", network, label, value, debug.Stack())
}

// ContextErr returns the error of ctx, joined with its cause if that differs. ctx must be done.
func ContextErr(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != ctx.Err() {
		return fmt.Errorf("%w: %w", ctx.Err(), cause)
	}
	return ctx.Err()
}
