package launch

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	// settling is how long failures are recorded after the first one. A rank that loses another
	// rank fails too, and its end may be seen before the end of the lost rank.
	settling = 200 * time.Millisecond
	// blaming is the same for a rank that says which other rank has failed. The end of that rank
	// comes for certain unless it hangs: late if its host is busy or far.
	blaming = 2 * time.Second
)

// outcome is the reason why a job has failed: the rank that failed first, as far as known. Most
// ranks tell which one that is. One that does not may have failed because of another if it exits
// with 1.
type outcome struct {
	// cancel ends all ranks. It is nil in an agent, which reports each failure, and whose launcher
	// decides.
	cancel context.CancelCauseFunc
	// kill ends all ranks at once, and by SIGKILL, after a failure that lets the job start again.
	kill   bool
	report func(error) // called with each failure, in any goroutine; may be nil

	mu      sync.Mutex
	why     error
	settled bool // the ranks are ended: later failures are consequences
	timer   *time.Timer
}

// record records how a rank has ended; err is nil if it succeeded. The first failure ends all
// ranks after the settling time, in which ranks that fail by themselves are still recorded.
func (o *outcome) record(err error) {
	if err == nil {
		return
	}
	if o.report != nil {
		o.report(err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.why != nil && (o.settled || !consequential(o.why) || consequential(err) && !blames(o.why, err)) {
		return
	}
	o.why = err
	if o.cancel == nil {
		return
	}
	if o.timer != nil {
		o.timer.Stop()
	}
	if o.kill && died(err) {
		o.end()
		return
	}
	wait := settling
	var exit *ExitError
	if errors.As(err, &exit) && consequential(exit) && exit.Because >= 0 {
		wait = blaming
	}
	o.timer = time.AfterFunc(wait, o.settle)
}

// settle ends all ranks.
func (o *outcome) settle() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.end()
}

// end ends all ranks. The lock is held.
func (o *outcome) end() {
	o.settled = true
	if why := o.why; o.kill && died(firstFailed(why, nil)) {
		o.cancel(&killing{why})
		return
	}
	o.cancel(o.why)
}

// blames reports whether err is of the rank that, according to why, failed first.
func blames(why, err error) bool {
	var of, by *ExitError
	return errors.As(err, &of) && errors.As(why, &by) && by.Because == of.Rank
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

// failed reports whether a failure has been recorded.
func (o *outcome) failed() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.why != nil
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
// the other rank, which has not ended by itself. hosts are the hosts of all ranks; nil: one host.
func firstFailed(err error, hosts []string) error {
	var exit *ExitError
	if !errors.As(err, &exit) || !consequential(exit) || exit.Because < 0 {
		return err
	}
	where := ""
	if exit.Because < len(hosts) {
		where = "on host " + hosts[exit.Because] + ": "
	}
	return &ExitError{exit.Because, exit.Code, fmt.Errorf("%sit failed first, and then rank %d: %w", where, exit.Rank, exit.Err), exit.Because, true}
}
