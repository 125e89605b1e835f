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
	// blaming is the same for a rank that blames another rank. The end of that rank comes unless it
	// hangs: late if its host is busy or far, or if it asks the others what they have called (two
	// seconds and its own share).
	blaming = 4 * time.Second
)

// cause is what the end of a rank means for its job. This is the rule by which --restart decides:
//
//	exit code 0                          right    no failure of its own
//	it says that another failed first    follows  the end of the other decides (verdict)
//	a signal, 129 to 192, stopped        gone     the job starts again
//	it says that it is lost itself       gone     also if it knows that from the others
//	exit code 1, and it says nothing     unclear  a decision, unless another rank has failed
//	any other end                        decided  the job ends: the program would do that again
type cause uint8

const (
	right cause = iota
	follows
	gone
	unclear
	decided
)

// told is what the process of a rank has said of its end (cluster.ReportOrigin).
type told struct {
	rank   int    // which failed first; -1: it has said nothing
	gone   bool   // the process itself is lost
	prints bool   // it prints why it ended
	text   string // what it would have printed, if another rank failed first
}

func (e *ExitError) cause() cause {
	switch {
	case e.Code == 0:
		return right
	case e.Because >= 0 && e.Because != e.Rank:
		return follows
	case e.Died:
		return gone
	case e.Because < 0 && e.Code == 1:
		return unclear
	}
	return decided
}

// outcome is how the ranks of an attempt have ended, and what follows from that.
type outcome struct {
	// cancel ends all ranks. It is nil in an agent, which reports each end: the launcher decides.
	cancel context.CancelCauseFunc
	// kill ends all ranks at once, and by SIGKILL, after a failure that lets the job start again.
	kill   bool
	report func(error) // called with each end, in any goroutine; may be nil
	hosts  []string    // the host of each rank; nil: one host

	mu      sync.Mutex
	ends    []error       // in order, until the ranks are ended: *ExitError, or an error of no rank
	settled bool          // the ranks are ended: later failures are consequences
	wait    time.Duration // of timer
	timer   *time.Timer
}

// record records how a rank has ended, or another failure. Some time after the first failure all
// ranks are ended; until then other failures are recorded, too.
func (o *outcome) record(err error) {
	if err == nil {
		return
	}
	if o.report != nil {
		o.report(err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.settled {
		return
	}
	o.ends = append(o.ends, err)
	wait, why := o.verdict()
	if o.cancel == nil || why == nil {
		return
	}
	if wait == 0 && o.kill && died(why) {
		o.end()
		return
	}
	if wait = max(wait, settling); o.timer == nil || wait != o.wait {
		if o.timer != nil {
			o.timer.Stop()
		}
		o.wait, o.timer = wait, time.AfterFunc(wait, o.settle)
	}
}

func (o *outcome) settle() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.end()
}

// end ends all ranks. The lock is held.
func (o *outcome) end() {
	if o.timer != nil {
		o.timer.Stop()
	}
	o.settled = true
	_, why := o.verdict()
	if o.kill && died(why) {
		why = &killing{why}
	}
	o.cancel(why)
}

// verdict returns why the attempt has failed, as far as known; nil if it has not. The first end
// that is a rank's own decision counts. Otherwise the rank that the others blame has failed: by its
// own end, or by its loss if it has not ended after wait. The lock is held.
func (o *outcome) verdict() (wait time.Duration, why error) {
	ends := map[int]*ExitError{}
	accusers := map[int]int{} // by accused rank
	first := -1               // the rank that most accuse: the first of them
	var silent error
	for _, err := range o.ends {
		var exit *ExitError
		if !errors.As(err, &exit) {
			return 0, err
		}
		ends[exit.Rank] = exit
		switch exit.cause() {
		case gone, decided:
			return 0, err
		case follows:
			if accusers[exit.Because]++; first < 0 || accusers[exit.Because] > accusers[first] {
				first = exit.Because
			}
		case unclear:
			if silent == nil {
				silent = err
			}
		}
	}
	if first < 0 {
		return settling, silent
	}
	return o.accused(first, ends)
}

// accused returns the failure of the rank that most of the others blame. It may itself have ended
// because of another, unless the two blame each other.
func (o *outcome) accused(first int, ends map[int]*ExitError) (wait time.Duration, why error) {
	blamed := first
	for range ends {
		if e := ends[blamed]; e != nil && e.cause() == follows {
			blamed = e.Because
		}
	}
	if e := ends[blamed]; e != nil && e.cause() == follows {
		blamed = first
	}
	if e := ends[blamed]; e != nil && e.cause() == unclear {
		return 0, e
	}
	var accuser *ExitError
	for _, err := range o.ends {
		if e := (*ExitError)(nil); errors.As(err, &e) && e.cause() == follows && e.Because == blamed {
			accuser = e
			break
		}
	}
	where := ""
	if blamed < len(o.hosts) {
		where = "on host " + o.hosts[blamed] + ": "
	}
	if e := ends[blamed]; e != nil && e.cause() == right {
		why := fmt.Errorf("%sit ended with exit code 0 before the others, and then rank %d: %w", where, accuser.Rank, accuser.Err)
		return 0, &ExitError{blamed, accuser.Code, why, blamed, false, false}
	}
	return blaming, &ExitError{blamed, accuser.Code, fmt.Errorf("%sit failed first, and then rank %d: %w", where, accuser.Rank, accuser.Err), blamed, true, false}
}

func (o *outcome) failed() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, why := o.verdict()
	return why != nil
}

func (o *outcome) err(ctx context.Context) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, why := o.verdict(); why != nil {
		return why
	}
	return context.Cause(ctx)
}
