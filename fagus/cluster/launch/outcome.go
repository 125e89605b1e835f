package launch

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// settling is how long failures are recorded after the first one. A rank that loses another rank
// fails too, and its end may be seen before the end of the lost rank.
const settling = 200 * time.Millisecond

// outcome is the reason why a job has failed: the rank that failed first, as far as known. Most
// ranks tell which one that is. One that does not may have failed because of another if it exits
// with 1.
type outcome struct {
	cancel context.CancelCauseFunc

	mu    sync.Mutex
	why   error
	since time.Time
}

// record records how a rank has ended; err is nil if it succeeded. The first failure ends all
// ranks after the settling time, in which ranks that fail by themselves are still recorded.
func (o *outcome) record(err error) {
	if err == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.why == nil:
		o.why, o.since = err, time.Now()
		time.AfterFunc(settling, func() { o.cancel(err) })
	case time.Since(o.since) < settling && consequential(o.why) && !consequential(err):
		o.why = err
	}
}

func consequential(err error) bool {
	var exit *ExitError
	if !errors.As(err, &exit) {
		return false
	}
	if exit.Because >= 0 {
		return exit.Because != exit.Rank
	}
	return exit.Code == 1
}

func (o *outcome) err(ctx context.Context) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.why != nil {
		return o.why
	}
	return context.Cause(ctx)
}

// firstFailed returns err or, if it is that of a rank which failed because of another, an error of
// the other rank, which has not ended by itself.
func firstFailed(err error) error {
	var exit *ExitError
	if !errors.As(err, &exit) || !consequential(exit) || exit.Because < 0 {
		return err
	}
	return &ExitError{exit.Because, exit.Code, fmt.Errorf("it failed first, and then rank %d: %w", exit.Rank, exit.Err), exit.Because}
}
