package dimmnet

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
)

// RunBody runs body on h and calls ended once, when body has returned, panicked or called
// runtime.Goexit. ended gets the error that Network.Run should return (cause) and the error that
// the other ports of the run should show (shown); both are nil if body returned nil.
// After a panic both contain the stack; Reason returns the text without it.
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

// panicked is the failure of a thread that panicked.
type panicked struct {
	error        // without the stack
	stack string // from the frame that panicked
}

func panicError(network, label string, value any) error {
	p := &panicked{stack: fromPanic(string(debug.Stack()))}
	if err, ok := value.(error); ok {
		p.error = fmt.Errorf("%s: rank %s panicked: %w", network, label, err)
	} else {
		p.error = fmt.Errorf("%s: rank %s panicked: %v", network, label, value)
	}
	return p
}

// fromPanic returns a stack without the frames above the one that panicked, which are of the
// recovery and of the runtime.
func fromPanic(stack string) string {
	head, frames, _ := strings.Cut(stack, "\n")
	_, after, found := strings.Cut(frames, "\npanic(")
	if !found {
		return stack
	}
	next := func() { // a frame has two lines: the call, and its place
		for range 2 {
			_, after, _ = strings.Cut(after, "\n")
		}
	}
	next() // the rest of panic's own frame
	for strings.HasPrefix(after, "runtime.") {
		next()
	}
	return head + "\n" + after
}

func (p *panicked) Error() string { return fmt.Sprintf("%v\n%s", p.error, p.stack) }
func (p *panicked) Unwrap() error { return p.error }

// Reason returns the text of err for the other processes of a run. For a panic it is the first
// line: with the stack, every rank of a job would print a copy of it. Networks call it.
func Reason(err error) string {
	text := err.Error()
	if p := (*panicked)(nil); errors.As(err, &p) {
		text, _, _ = strings.Cut(text, "\n")
	}
	return text
}

// ContextErr returns the error of ctx, joined with its cause if that differs. ctx must be done.
func ContextErr(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != ctx.Err() {
		return fmt.Errorf("%w: %w", ctx.Err(), cause)
	}
	return ctx.Err()
}
