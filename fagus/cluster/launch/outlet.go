package launch

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"time"
)

// patience is how long a write may make no progress when a job is over.
const patience = 500 * time.Millisecond

// atomicWrite is how many bytes a pipe takes whole or not at all (PIPE_BUF of Linux). If this
// process ends during a write, a reader that comes back later sees no part of a line.
const atomicWrite = 4096

// Outlet writes to a standard output or error whose reader may stop reading. A write waits for the
// reader, so a slow reader delays the writer. After EndOutput, a write waits for half a second
// only; then it and all later ones fail. Several goroutines may write, in turn.
type Outlet struct {
	to     io.Writer
	turn   chan struct{}   // holds an element while somebody writes
	over   context.Context // ends by EndOutput
	end    context.CancelCauseFunc
	unread context.Context // ends when a write has been given up
	lose   context.CancelFunc
	text   []byte // of the last write, which may be under way when unread has ended
}

// outletsKey is the key of the outlets of this process, a []*Outlet, in a context.
type outletsKey struct{}

// Outlets returns outlets for the standard output and error of this process. They end when ctx
// does, and by EndOutput with the context that is returned.
func Outlets(ctx context.Context, stdout, stderr io.Writer) (with context.Context, out, errs *Outlet) {
	out, errs = newOutlet(stdout), newOutlet(stderr)
	with = context.WithValue(ctx, outletsKey{}, []*Outlet{out, errs})
	context.AfterFunc(ctx, func() { EndOutput(with, context.Cause(ctx)) })
	return with, out, errs
}

// EndOutput ends the outlets of a context, if it has some: a write then fails with the first cause,
// if its reader does not take it soon.
func EndOutput(ctx context.Context, cause error) {
	all, _ := ctx.Value(outletsKey{}).([]*Outlet)
	for _, o := range all {
		o.end(cause)
	}
}

func newOutlet(to io.Writer) *Outlet {
	o := &Outlet{to: to, turn: make(chan struct{}, 1)}
	o.over, o.end = context.WithCancelCause(context.Background())
	o.unread, o.lose = context.WithCancel(context.Background())
	return o
}

// File returns the file behind the outlet, and nil if there is none.
func (o *Outlet) File() *os.File {
	f, _ := o.to.(*os.File)
	return f
}

// Write implements io.Writer.
func (o *Outlet) Write(p []byte) (n int, err error) {
	late := make(chan struct{})
	defer context.AfterFunc(o.over, func() {
		time.AfterFunc(patience, func() { close(late) })
	})()
	select {
	case o.turn <- struct{}{}:
		defer func() { <-o.turn }()
	case <-late:
		return 0, o.giveUp()
	case <-o.unread.Done():
	}
	for err == nil && n < len(p) {
		if o.unread.Err() != nil {
			return n, o.giveUp()
		}
		o.text = append(o.text[:0], firstPiece(p[n:])...) // p is the caller's, who may go on
		written := make(chan error, 1)
		var count int
		go func() {
			var err error
			count, err = o.to.Write(o.text)
			written <- err
		}()
		select {
		case err = <-written:
			n += count
		case <-late:
			return n, o.giveUp()
		}
	}
	return n, err
}

// giveUp makes all writes fail, and returns their error.
func (o *Outlet) giveUp() error {
	o.lose()
	return &unreadError{context.Cause(o.over)}
}

// firstPiece returns the lines at the begin of p that a pipe takes at once, or a part of a line.
func firstPiece(p []byte) []byte {
	if len(p) <= atomicWrite {
		return p
	}
	if end := bytes.LastIndexByte(p[:atomicWrite], '\n') + 1; end > 0 {
		return p[:end]
	}
	return p[:atomicWrite]
}

// unreadError is the loss of output that nobody has read when the job was over.
type unreadError struct{ cause error }

// Error names the cause of the end.
func (e *unreadError) Error() string {
	return fmt.Sprintf("%v, and output is lost, because nobody reads it", e.cause)
}

// Unwrap returns the cause of the end.
func (e *unreadError) Unwrap() error { return e.cause }

// soon calls a function that writes a report of the launcher, and returns its error. If nobody
// reads, the function goes on by itself: the job does not wait for it.
func soon(write func() error) error {
	done := make(chan error, 1)
	go func() { done <- write() }()
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		return nil
	}
}
