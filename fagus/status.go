package fagus

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/fagus-dsm/fagus/fagus/internal/source"
)

// status says whether a rank may make calls.
type status struct {
	err      error                 // the first error of a call; every later call returns it
	crossed  atomic.Pointer[error] // of a call of another goroutine; the next call returns it
	caller   atomic.Uintptr        // the goroutine that makes calls; 0 before the first one
	returned bool                  // the program has returned
	ctx      context.Context       // of Context
	cancel   context.CancelCauseFunc
}

// Err returns the first error of this rank's calls, or else the reason why the run has failed, or
// nil. Errors stick: after an error every call returns the same error at once and does nothing, and
// Run returns it even if the program does not. (Errors of NewArray, Bind and Wrote do not stick:
// the call has done nothing.) So a program may leave errors unchecked, and check Err once before it
// uses results:
//
//	x := fagus.NewGuarded[float64](n, "x", 1000)
//	for i := 0; i < steps && n.Err() == nil; i++ {
//		n.Set(x.Write().Unordered()).Do(func() { add(x.Slice()) })
//		n.Barrier()
//	}
//	return n.Err()
//
// A program that computes for long between calls should check Err now and then, so that it stops
// when another rank fails.
func (n *Node) Err() error {
	if n.status.err != nil {
		return n.status.err
	}
	if crossed := n.status.crossed.Load(); crossed != nil {
		return *crossed
	}
	err := n.host.Port().Err()
	if err != nil {
		n.monitor.Fail()
	}
	return err
}

// follows reports whether err, the error of the program, follows from a failure of the run, or from
// its end from outside.
func (n *Node) follows(ctx context.Context, err error) bool {
	return err != nil && (n.host.Port().Err() != nil || ctx.Err() != nil)
}

// Context returns the context of Run. It is also done when a call of this rank has failed, and when
// the rank's program has returned. Any goroutine may use it.
func (n *Node) Context() context.Context { return n.status.ctx }

type rankError struct {
	rank int
	err  error
}

func (e *rankError) Error() string { return fmt.Sprintf("fagus: rank %d: %v", e.rank, e.err) }
func (e *rankError) Unwrap() error { return e.err }

// problem returns an error that names the rank.
func (n *Node) problem(format string, args ...any) error {
	return &rankError{n.rank, fmt.Errorf(format, args...)}
}

// errorf returns an error that names the rank. The first one becomes the error of all later calls.
func (n *Node) errorf(format string, args ...any) error {
	return n.stick(n.problem(format, args...))
}

// stick makes err, the error of a call, the error of all later calls if it is the first one.
func (n *Node) stick(err error) error {
	if n.status.err == nil {
		n.status.err = err
		n.status.cancel(err)
		_ = n.events.tellAll(event{kind: eventFailed, err: err}) // the first error counts
	}
	return err
}

var errReturned = errors.New("the program of this rank has returned")

// alone returns an error if another goroutine has made the calls before.
func (n *Node) alone(call string) error {
	own := goroutine()
	caller := n.status.caller.Load()
	if caller == own || caller == serialized || n.status.caller.CompareAndSwap(0, own) || n.status.returned {
		return nil
	}
	return n.cross(call)
}

// serialized is a caller: any goroutine. No goroutine has this address.
const serialized = ^uintptr(0)

// Serialized says that several goroutines make the calls of this Node, one call at a time, as with
// MPI_THREAD_SERIALIZED: the program sees to the order. Without it, a call by another goroutine
// than in the first call is an error.
func (n *Node) Serialized() { n.status.caller.Store(serialized) }

// cross returns the error of a call that another goroutine makes than the one that makes the calls
// of this Node, which may use n.status.err. Its next call returns the error, too.
func (n *Node) cross(call string) error {
	err := n.problem("%s at %s is made by another goroutine than the calls before: a Node belongs to one goroutine; "+
		"let other goroutines work on slices only, and make all calls of the Node in the one that runs the program", call, source.Here())
	n.status.crossed.CompareAndSwap(nil, &err)
	return err
}

// alive returns an error if this rank can declare nothing any more.
func (n *Node) alive(call string) error {
	if err := n.alone(call); err != nil {
		return err
	}
	switch {
	case n.status.err != nil:
		return n.status.err
	case n.engine == nil:
		return n.errorf("%s: %w", call, errReturned)
	case n.Err() != nil:
		return n.errorf("%s: %w", call, n.Err())
	}
	return nil
}

// ready returns an error if this rank can make no collective call now.
func (n *Node) ready(call string) error {
	if err := n.alone(call); err != nil {
		return err
	}
	if n.status.err != nil {
		return n.status.err
	}
	if n.engine == nil {
		return n.errorf("%s: %w", call, errReturned)
	}
	if n.held != nil {
		return n.errorf("%s while holding %s: release it first; to hold several variables at once, put them into one set (n.Set(a, b); Pairs: parts.Together(p, q))", call, n.held)
	}
	return nil
}
