package launch

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// SignalError is the cause of a context that has ended because this process got a signal.
type SignalError struct{ Signal os.Signal }

// Error names the signal.
func (e *SignalError) Error() string { return e.Signal.String() + " signal received" }

// Unwrap returns context.Canceled.
func (e *SignalError) Unwrap() error { return context.Canceled }

// NotifyContext returns a context that ends when this process gets SIGINT, SIGTERM or SIGHUP; its
// cause is a *SignalError. A second signal ends the process at once. SIGHUP stays ignored if the
// process was started to ignore it, as by nohup.
func NotifyContext(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			cancel(&SignalError{s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}

// killing is the cause of a context that ends because the job starts again, from a checkpoint.
type killing struct{ error }

func (k *killing) Unwrap() error { return k.error }

// ending returns the signal that ends the ranks when ctx has ended: SIGKILL if the job starts
// again, SIGINT if this process got SIGINT, so that a program sees what its user typed, else
// SIGTERM.
func ending(ctx context.Context) syscall.Signal {
	if again := (*killing)(nil); errors.As(context.Cause(ctx), &again) {
		return syscall.SIGKILL
	}
	var got *SignalError
	if errors.As(context.Cause(ctx), &got) && got.Signal == os.Interrupt {
		return syscall.SIGINT
	}
	return syscall.SIGTERM
}
